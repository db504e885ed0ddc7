"""The command as a user meets it: exit codes, one-line errors, JSON."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from setwise import BinaryRelevance
from setwise.cli import main
from setwise.datasets import Dataset, write_csv


@pytest.fixture
def table(tmp_path):
    """A small file of one's own, with two labels that follow the features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    data = Dataset(X, X[:, :2] > 0, label_names=["tag_a", "tag_b"], name="own")
    path = tmp_path / "own.csv"
    write_csv(data, path)
    return path


def setwise(*arguments):
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from setwise.cli import main; sys.exit(main())",
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_does_not_import_the_heavy_libraries():
    """Red when an import at the top of the package or of the command makes the start slow."""
    code = (
        "import sys; from setwise.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'sklearn', 'scipy', 'rich'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_without_the_extra_the_remedy_is_named():
    """Red where a missing package shows as a traceback."""
    code = (
        "import sys; sys.modules['rich'] = None\n"
        "from setwise.cli import main; sys.exit(main(['fit', 'own.csv', '-o', 'own.setwise']))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("setwise: rich")
    assert "pip install 'setwise[cli]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_unknown_commands_are_refused():
    result = setwise("fly")
    assert result.returncode == 2
    assert "invalid choice" in result.stderr


def test_an_error_is_one_line_and_debug_shows_the_traceback():
    short = setwise("compare", "nowhere.csv")
    assert short.returncode == 2
    assert len(short.stderr.strip().splitlines()) == 1
    assert "nowhere.csv is neither a file nor a known data set" in short.stderr
    long = setwise("compare", "nowhere.csv", "--debug")
    assert long.returncode == 1
    assert "Traceback" in long.stderr


def test_compare_prints_strict_json(table):
    result = setwise(
        "compare", table, "--labels", "tag_*", "--models", "BinaryRelevance", "--folds", 2, "--json"
    )
    assert result.returncode == 0, result.stderr
    records = json.loads(result.stdout, parse_constant=pytest.fail)["records"]
    assert [record["repeat"] for record in records] == [0, 1]
    assert all(record["scores"]["exact_match"] > 0.5 for record in records)


def test_compare_writes_its_files_and_goes_on_from_its_journal(table, tmp_path, capsys):
    arguments = ["compare", str(table), "--labels", "tag_*", "--models", "BinaryRelevance", "--folds", "2"]
    arguments += ["--journal", str(tmp_path / "run.jsonl")]
    files = {kind: str(tmp_path / f"t.{kind}") for kind in ("csv", "html", "markdown")}
    assert main([*arguments, *(part for kind, path in files.items() for part in (f"--{kind}", path))]) == 0
    first = capsys.readouterr().out
    lines = (tmp_path / "run.jsonl").read_text()
    assert "BinaryRelevance" in (tmp_path / "t.csv").read_text()
    assert "| BinaryRelevance |" in (tmp_path / "t.markdown").read_text()
    assert "data:image/svg+xml" in (tmp_path / "t.html").read_text()
    assert main(arguments) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "run.jsonl").read_text() == lines


def test_a_failing_method_is_shown_and_sets_the_exit_code(table, monkeypatch, capsys):
    """A method whose every task fails: the command says so and ends with 1."""
    broken = SimpleNamespace(build=lambda: BinaryRelevance(l2=-1))
    monkeypatch.setattr("setwise.cli.commands.compare.method", lambda name: broken)
    assert main(["compare", str(table), "--labels", "tag_*", "--methods", "br", "--folds", "2"]) == 1
    captured = capsys.readouterr()
    assert "failed" in captured.out + captured.err
    assert "l2 is -1" in " ".join(captured.out.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--folds", "61"], "own.csv: 60 rows cannot be dealt to 61 folds"),
        (["--folds", "1"], "--folds is 1; at least 2 must be asked for"),
        (["--protocol", "official"], "own.csv: data set 'own' has no official split; use folds"),
    ],
)
def test_what_cannot_be_dealt_is_told_once(table, arguments, told, capsys):
    """Red when wrong use is told by every task, with an empty table at the end."""
    assert main(["compare", str(table), "--labels", "tag_*", "--jobs", "1", *arguments]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1,2,3,?,1", "own.csv: label 'tag_a' of row 60 is not known; leave the row out"),
        ("inf,2,3,0,1", "own.csv: feature 'x0' of row 60 is infinite"),
    ],
)
def test_rows_that_cannot_be_judged_are_told_once(table, row, told, capsys):
    """Red when a row that no method can take fails in every task."""
    table.write_text(table.read_text() + row + "\n")
    assert main(["compare", str(table), "--labels", "tag_*", "--jobs", "1"]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)


def test_methods_not_built_are_named(table):
    result = setwise("compare", table, "--labels", "tag_*", "--models", "Nonsense")
    assert result.returncode == 2
    assert "unknown method 'Nonsense'" in result.stderr


def test_compare_fills_missing_features_as_fit_does(table, capsys):
    """Red when a file that fit takes fails here: a peer's pipeline too, whose scaler lets the hole through."""
    head, first, *rest = table.read_text().splitlines()
    table.write_text("\n".join([head, "," + first.split(",", 1)[1], *rest]) + "\n")
    fit = ["fit", str(table), "--labels", "tag_*", "-o", str(table.with_suffix(".setwise"))]
    for model in ("br", "mlknn"):
        assert main([*fit, "--model", model]) == 0
    compare = ["compare", str(table), "--labels", "tag_*", "--folds", "2", "--methods"]
    assert main([*compare, "sklearn-OneVsRest", "br", "mlknn"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "missing features of own.csv were filled with their columns' means" in shown


def test_compare_takes_the_names_that_fit_takes(table, capsys):
    """Red when a short name is an unknown method, or a method of two names is judged twice."""
    compare = ["compare", str(table), "--labels", "tag_*", "--folds", "2", "--json", "--methods"]
    assert main([*compare, "br", "BinaryRelevance", "conditionaltree"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {record["method"] for record in told["records"]} == {"BinaryRelevance", "ConditionalTree"}
    assert len(told["records"]) == 4
    assert "missing" not in told["subtitle"]


def test_compare_on_a_known_data_set(capsys):
    arguments = [
        "compare",
        "yeast",
        "--methods",
        "sklearn-OneVsRest",
        "--protocol",
        "holdout",
        "--folds",
        "1",
    ]
    assert main(arguments) == 0
    assert "sklearn-OneVsRest" in capsys.readouterr().out


def test_the_demo_runs(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    for expected in ("ConditionalTree", "the true set", "before and after", "What to try next"):
        assert expected in shown
