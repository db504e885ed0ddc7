import json
from types import SimpleNamespace

import numpy as np
import polars
import pytest

from setwise import BinaryRelevance
from setwise.cli import main
from tests.cli.data import run
from tests.cli.wrong_files import check_wrong_usage

RED = ["--labels", "red", "round"]
WRONG = [
    ["compare", "nowhere.csv"],
    ["compare", "good.csv"],
    ["compare", "good.csv", "--folds", "x"],
    ["compare", "good.csv", "--protocol", "luck"],
    ["compare", "good.csv", *RED, "--models", "gpt"],
    ["compare", "good.csv", *RED, "--folds", "0"],
    ["compare", "good.csv", "good.csv", *RED],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    check_wrong_usage(arguments, wrong, capsys)


def test_json_is_strict(own_table):
    done = run(
        "compare", own_table, "--labels", "tag_*", "--models", "BinaryRelevance", "--folds", 2, "--json"
    )
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout, parse_constant=pytest.fail)["records"]
    assert [record["repeat"] for record in records] == [0, 1]
    assert all(record["scores"]["exact_match"] > 0.5 for record in records)


def test_files_are_written_and_a_journal_is_continued(own_table, tmp_path, capsys):
    arguments = [
        "compare",
        str(own_table),
        "--labels",
        "tag_*",
        "--models",
        "BinaryRelevance",
        "--folds",
        "2",
    ]
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


def test_the_csv_file_has_the_means_of_the_records(files, tmp_path, capsys):
    compare = ["compare", str(files[0]), "--methods", "br", "--folds", "2", "--jobs", "1"]
    assert main([*compare, "--csv", str(tmp_path / "out.csv"), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    exact = polars.read_csv(tmp_path / "out.csv").filter(measure="exact_match").row(0, named=True)
    assert exact["mean"] == np.mean([record["scores"]["exact_match"] for record in records])
    assert (exact["data"], exact["method"], exact["repeats"]) == ("train.arff", "BinaryRelevance", 2)
    assert 0 <= exact["standard_error"] < 1


def test_a_failing_method_is_shown_and_sets_the_exit_code(own_table, monkeypatch, capsys):
    """A method whose every task fails: the command says so and ends with 1."""
    broken = SimpleNamespace(build=lambda: BinaryRelevance(l2=-1))
    monkeypatch.setattr("setwise.cli.commands.compare.method", lambda name: broken)
    assert main(["compare", str(own_table), "--labels", "tag_*", "--methods", "br", "--folds", "2"]) == 1
    captured = capsys.readouterr()
    assert "failed" in captured.out + captured.err
    assert "l2 is -1" in " ".join(captured.out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--folds", "61"], "own.csv: --folds 61: 60 rows cannot be split into 61 folds"),
        (["--folds", "1"], "--folds is 1; expected at least 2"),
        (["--protocol", "official"], "own.csv: data set 'own' has no official split; use folds"),
    ],
)
def test_rows_that_cannot_be_split_are_named_once(own_table, arguments, message, capsys):
    """Red if wrong usage is reported by every task, with an empty table at the end."""
    assert main(["compare", str(own_table), "--labels", "tag_*", "--jobs", "1", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,2,3,?,1", "own.csv: label 'tag_a' of row 60 is unknown; leave the row out"),
        ("inf,2,3,0,1", "own.csv:62:1: expected a finite number in column 'x0', found 'inf'"),
    ],
)
def test_rows_that_cannot_be_judged_are_named_once(own_table, row, message, capsys):
    """Red if a row that no method can take fails in every task."""
    own_table.write_text(own_table.read_text() + row + "\n")
    assert main(["compare", str(own_table), "--labels", "tag_*", "--jobs", "1"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, len(captured.err.splitlines())) == ("", 1)


def test_unknown_methods_are_named(own_table, capsys):
    assert main(["compare", str(own_table), "--labels", "tag_*", "--models", "Nonsense"]) == 2
    assert "unknown method 'Nonsense'" in capsys.readouterr().err


def test_missing_features_are_filled_as_fit_does(own_table, capsys):
    """Red if a file that fit takes fails here: a peer's pipeline too, whose scaler passes missing values on."""
    head, first, *rest = own_table.read_text().splitlines()
    own_table.write_text("\n".join([head, "," + first.split(",", 1)[1], *rest]) + "\n")
    fit = ["fit", str(own_table), "--labels", "tag_*", "-o", str(own_table.with_suffix(".setwise"))]
    for model in ("br", "mlknn"):
        assert main([*fit, "--model", model]) == 0
    compare = ["compare", str(own_table), "--labels", "tag_*", "--folds", "2", "--methods"]
    assert main([*compare, "sklearn-OneVsRest", "br", "mlknn"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "sklearn-OneVsRest" in shown


def test_methods_have_the_names_that_fit_takes(own_table, capsys):
    """Red if a short name is an unknown method, or a method of two names is judged twice."""
    compare = ["compare", str(own_table), "--labels", "tag_*", "--folds", "2", "--json", "--methods"]
    assert main([*compare, "br", "BinaryRelevance", "conditionaltree"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {record["method"] for record in report["records"]} == {"BinaryRelevance", "ConditionalTree"}
    assert len(report["records"]) == 4
    assert "missing" not in report["subtitle"]


def test_known_data_sets_are_compared_by_name(capsys):
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


def test_limits_are_raised_in_every_task(tmp_path, capsys):
    """Red if a worker process refuses a file that ``--raise-limits`` allows."""
    path = tmp_path / "wide.svm"
    path.write_text("0 1:1 1100000:1\n1 2:1\n0,1 3:1\n" * 4)
    compare = ["compare", str(path), "--methods", "naibx", "--folds", "2", "--jobs", "2"]
    assert main(compare) == 2
    assert main([*compare, "--raise-limits", "2", "--protocol", "holdout"]) in (0, 1)
    shown = capsys.readouterr()
    assert "features" not in shown.err.splitlines()[-1] or "at most" not in shown.out
