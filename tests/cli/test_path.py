"""The whole path in a shell: a data file in, a model file, predictions and a report out, as a user would go it."""

import csv
import datetime
import io
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise
from setwise.cli import main
from setwise.datasets import Dataset, read, write_arff, write_csv, write_libsvm, write_npz
from setwise.persistence import describe

PAPERS = {
    "mc": ["n_components=2", "max_iter=3", "candidate_parents=2"],
    "mlme": ["n_components=2", "max_iter=3", "candidate_parents=2", "gate_l2=1.0"],
    "cbm": ["n_components=3", "tuning=false", "max_iter=5", "n_init=1"],
    "cdn": ["n_samples=100"],
    "naibx": [],
}
"""The five papers' models, quick."""


def shell(*arguments, stdin=None):
    run = subprocess.run(
        [sys.executable, "-m", "setwise", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return run.stdout


def generated(n=120, seed=0):
    """Rows of four features and three labels that hang together, with awkward names."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(4)
    first = X[:, 0] + 0.5 * rng.normal(size=n) > 0
    Y = np.column_stack([first, first ^ (rng.random(n) < 0.1), X[:, 1] > 0]).astype(int)
    names = ["sad, calm", "<b>", "ünï '"]
    return Dataset(X, Y, ["a", "b b", "c", "d"], names, name="generated")


@pytest.fixture
def files(tmp_path):
    write_arff(generated(), tmp_path / "train.arff")
    write_arff(generated(seed=1), tmp_path / "test.arff")
    return tmp_path / "train.arff", tmp_path / "test.arff"


def raw_files(data_folder):
    train, test = (data_folder / "raw" / f"emotions-{part}.arff" for part in ("train", "test"))
    if not (train.exists() and test.exists()):
        pytest.skip("the raw ARFF files of emotions are not among the data")
    return train, test


def go_the_path(shell, model, train, test, folder):
    """Every step on the command line, compared with the same steps in Python."""
    file, out, report = folder / "m.setwise", folder / "answers.csv", folder / "report.html"
    settings = ["--set", *PAPERS[model]] if PAPERS[model] else []
    shell("fit", train, "--model", model, *settings, "-o", file)
    shell("predict", file, test, "-o", out)
    assert main(["predict", str(file), str(test), "--proba", "-o", str(folder / "p.jsonl")]) == 0
    probabilities = [
        json.loads(line)["proba"] for line in (folder / "p.jsonl").read_text("utf-8").splitlines()
    ]
    scores = json.loads(shell("evaluate", file, test, "--json", "--html", report))["records"][0]["scores"]
    data, loaded = read(test), setwise.load(file)
    with open(out, newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    assert header == list(data.label_names) == list(loaded.label_names_)
    np.testing.assert_array_equal(np.array(rows, dtype=int), loaded.predict(data.X))
    shown = np.array([[p[name] for name in data.label_names] for p in probabilities])
    np.testing.assert_array_equal(shown, loaded.predict_proba(data.X))  # JSON keeps every bit
    assert scores["exact_match"] == pytest.approx((loaded.predict(data.X) == data.Y).all(axis=1).mean())
    assert "<html" in report.read_text()
    return loaded


def python_model(model, train):
    from setwise.cli.models import build

    data = read(train)
    made = build(model, PAPERS[model], time_budget=60, checkpoint=None, seed=None)
    return made.fit(data.X, data.named_labels())


@pytest.mark.parametrize("model", PAPERS)
def test_the_path_of_every_papers_model(model, files, tmp_path):
    """Red when the shell and Python, or a model before and after its file, differ in a single bit."""
    loaded = go_the_path(shell, model, *files, tmp_path)
    X = read(files[1]).X
    before = python_model(model, files[0])
    np.testing.assert_array_equal(before.predict_proba(X), loaded.predict_proba(X))
    np.testing.assert_array_equal(before.predict(X), loaded.predict(X))


@pytest.mark.parametrize("model", PAPERS)
def test_the_path_on_real_files(model, data_folder, tmp_path, capsys):
    """As published by Mulan; in this process, since starting Python takes longer than the work."""

    def here(*arguments):
        assert main(list(map(str, arguments))) == 0
        return capsys.readouterr().out

    go_the_path(here, model, *raw_files(data_folder), tmp_path)


def test_auto_is_the_default_and_says_why(files, tmp_path, capsys):
    file = str(tmp_path / "m.setwise")
    assert main(["fit", str(files[0]), "--time-budget", "1", "-o", file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["leaderboard"][0]["status"] == "chosen"
    assert "smallest joint log-loss" in told["reason"]
    assert told["data_rows"] == 120
    assert main(["inspect", file]) == 0
    assert "AutoSetClassifier" in capsys.readouterr().out


def test_few_rows_are_told_once(tmp_path, capsys):
    """Red where the estimator's own warning stands beside the command's."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    write_csv(Dataset(X, X > 0, label_names=["tag_a", "tag_b"], name="own"), tmp_path / "own.csv")
    command = ["fit", str(tmp_path / "own.csv"), "--labels", "tag_*", "--time-budget", "0"]
    assert main([*command, "-o", str(tmp_path / "m.setwise")]) == 0
    told = capsys.readouterr().err
    assert told.count("of the 1200 rows") == 1
    assert "is fitted to" not in told


def test_a_choice_that_saw_some_rows_says_so(files, tmp_path, monkeypatch, capsys):
    """Red when fit, its JSON, the file's notes or inspect count rows that the model never saw, or name no remedy."""
    fit = setwise.AutoSetClassifier.fit

    def out_of_time(self, *arguments, **options):
        fit(self, *arguments, **options)
        self.refitted_, self.n_rows_ = False, 40
        return self

    monkeypatch.setattr(setwise.AutoSetClassifier, "fit", out_of_time)
    file = str(tmp_path / "m.setwise")
    command = ["fit", str(files[0]), "--time-budget", "1", "-o", file]
    assert main([*command, "--json"]) == 0
    told = capsys.readouterr()
    summary = json.loads(told.out)
    assert (summary["rows"], summary["data_rows"]) == (40, 120)
    remedy = f"for all rows give a --time-budget above 1 or --model {summary['estimator']}"
    assert f"{summary['estimator']} saw only 40 of the 120 rows; {remedy}" in told.err
    assert main(command) == 0
    assert "fitted to 40 of 120 rows" in " ".join(capsys.readouterr().out.split())
    assert describe(file).notes["rows"] == 40
    assert main(["inspect", file]) == 0
    assert "40 of 120 rows of train.arff" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["br", "tree", "cdn"])
def test_the_same_command_makes_the_same_file(name, files, tmp_path):
    """Red when the file keeps what differs from run to run, such as how long the fit took."""
    settings = ["--set", *PAPERS[name]] if name in PAPERS else []
    made = [tmp_path / "one.setwise", tmp_path / "two.setwise"]
    for file in made:
        assert main(["fit", str(files[0]), "--model", name, *settings, "-o", str(file)]) == 0
    assert made[0].read_bytes() == made[1].read_bytes()


@pytest.fixture
def model(files, tmp_path, capsys):
    path = tmp_path / "tree.setwise"
    assert main(["fit", str(files[0]), "--model", "tree", "-o", str(path)]) == 0
    capsys.readouterr()
    return path


WRITE = {".csv": write_csv, ".tsv": write_csv, ".arff": write_arff, ".npz": write_npz, ".csv.gz": write_csv}


@pytest.mark.parametrize("form", WRITE)
def test_a_model_reads_every_format(form, model, files, tmp_path, capsys):
    """The columns may come in another order, with others between them, and with or without the labels."""
    data = read(files[1])
    shuffled = Dataset(
        np.hstack([data.X[:, [3, 1]], np.ones((len(data.X), 1)), data.X[:, [0, 2]]]),
        data.Y[:, ::-1],
        ["d", "b b", "extra", "a", "c"],
        data.label_names[::-1],
    )
    path = tmp_path / f"other{form}"
    WRITE[form](shuffled, path)
    assert main(["predict", str(model), str(path)]) == 0
    answers = capsys.readouterr().out
    assert main(["predict", str(model), str(files[1])]) == 0
    assert capsys.readouterr().out == answers
    assert main(["evaluate", str(model), str(path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["records"][0]["scores"]
    assert scores["exact_match"] == (setwise.load(model).predict(data.X) == data.Y).all(axis=1).mean()


def test_libsvm_files_have_numbers_instead_of_names(tmp_path, capsys):
    data = generated()
    for name, part in (("train", data), ("test", data.take(np.arange(30)))):
        write_libsvm(part, tmp_path / f"{name}.svm")
    file = str(tmp_path / "m.setwise")
    assert main(["fit", str(tmp_path / "train.svm"), "--model", "br", "-o", file]) == 0
    capsys.readouterr()
    assert main(["predict", file, str(tmp_path / "test.svm")]) == 0
    assert capsys.readouterr().out.startswith("0,1,2\n")
    assert main(["evaluate", file, str(tmp_path / "test.svm")]) == 0


@pytest.mark.parametrize("zero_based", [True, False])
def test_a_libsvm_file_is_counted_as_the_training_file_was(zero_based, tmp_path, capsys):
    """Red when a test file without its first feature is read one column off, or an old model file is not read."""
    data = generated()
    train, test, file = (str(tmp_path / name) for name in ("train.svm", "test.svm", "m.setwise"))
    X = np.where(np.arange(4) == 0, 0.0, data.X[:30])
    dump_svmlight_file(data.X, data.Y, train, multilabel=True, zero_based=zero_based)
    dump_svmlight_file(X, data.Y[:30], test, multilabel=True, zero_based=zero_based)
    assert main(["fit", train, "--model", "br", "-o", file]) == 0
    capsys.readouterr()

    def probabilities(path):
        assert main(["predict", file, path, "--proba"]) == 0
        _, *rows = csv.reader(capsys.readouterr().out.splitlines())
        return np.array(rows, float)

    fitted = setwise.load(file)
    expected = fitted.predict_proba(X)
    np.testing.assert_allclose(probabilities(test), expected, rtol=1e-12)
    (tmp_path / "features.csv").write_text(
        "".join(",".join(map(str, row)) + "\n" for row in [["x0", "x1", "x2", "x3"], *X.tolist()])
    )
    np.testing.assert_allclose(probabilities(str(tmp_path / "features.csv")), expected, rtol=1e-12)
    kept = describe(file).notes
    del kept["schema"]
    setwise.save(fitted, file, notes=kept)
    assert probabilities(train).shape == (120, 3)


@pytest.mark.parametrize(("typed", "delimiter"), [(";", ";"), ("\\t", "\t")])
def test_a_model_keeps_the_delimiter_of_its_file(typed, delimiter, tmp_path, capsys):
    """Red when a model cannot read files like its own, or no other ones where they are told."""
    train, comma, file = (str(tmp_path / name) for name in ("train.csv", "comma.csv", "m.setwise"))
    lines = ["a,b,tag_x,tag_y", *(f"{i},{i % 3},{i % 2},{int(i > 9)}" for i in range(20))]
    Path(comma).write_text("\n".join(lines) + "\n")
    Path(train).write_text(Path(comma).read_text().replace(",", delimiter))
    fit = ["fit", train, "--labels", "tag_*", "--model", "br", "-o", file]
    assert main(fit) == 2
    assert f"pass --delimiter {delimiter!r}" in capsys.readouterr().err
    assert main([*fit, "--delimiter", typed]) == 0
    capsys.readouterr()
    answers = []
    for arguments in ([train], [comma, "--delimiter", ","]):
        assert main(["predict", file, *arguments]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    for command in ("evaluate", "errors", "inspect"):
        assert main([command, file, comma, "--delimiter", ","]) == 0
    assert main(["predict", file, comma]) == 2
    assert "pass --delimiter ','" in capsys.readouterr().err


def test_a_model_keeps_the_decimal_comma_of_its_file(tmp_path, capsys):
    """Red when a model cannot read the numbers of files like its own, or no other ones where they are told."""
    commas, points, file = (str(tmp_path / name) for name in ("commas.csv", "points.csv", "m.setwise"))
    lines = ["a;b;tag_x;tag_y", *(f"{i}.5;{i % 3}.25;{i % 2};{int(i > 9)}" for i in range(40))]
    Path(points).write_text("\n".join(lines) + "\n")
    Path(commas).write_text(Path(points).read_text().replace(".", ","))
    how = ["--labels", "tag_*", "--model", "br", "--delimiter", ";", "-o", file]
    assert main(["fit", commas, *how, "--decimal", ","]) == 0
    answers = []
    for arguments in ([commas], [points, "--decimal", "."]):
        capsys.readouterr()
        assert main(["predict", file, *arguments, "--proba"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    tabs = tmp_path / "commas.tsv"
    tabs.write_text(Path(commas).read_text().replace(";", "\t"))
    assert main(["predict", file, str(tabs), "--proba"]) == 0
    assert capsys.readouterr().out == answers[0]
    assert main(["predict", file, commas, "--decimal", "."]) == 2
    assert main(["fit", points, *how]) == 0
    capsys.readouterr()
    assert main(["predict", file, commas]) == 2
    assert "expected a number in column 'a', found '0,5'; if its comma" in capsys.readouterr().err
    for command in ("evaluate", "errors", "inspect"):
        assert main([command, file, commas, "--decimal", ","]) == 0


def test_csv_from_standard_input(model, files, tmp_path, capsys):
    write_csv(read(files[1]), tmp_path / "test.csv")
    piped = shell("predict", model, "-", stdin=(tmp_path / "test.csv").read_text())
    assert main(["predict", str(model), str(tmp_path / "test.csv")]) == 0
    assert capsys.readouterr().out == piped


@pytest.fixture
def with_ids(files, tmp_path):
    """The test rows as CSV, with identifiers that no model knows and a column called like one of the answers'."""
    write_csv(read(files[1]), tmp_path / "plain.csv")
    header, *lines = (tmp_path / "plain.csv").read_text().splitlines()
    ids = [f"{i},007 ü" for i in range(1000, 1000 + len(lines))]
    path = tmp_path / "ids.csv"
    path.write_text("\n".join([f"row,id,{header}", *map(",".join, zip(ids, lines))]) + "\n")
    return path


def test_columns_are_kept_beside_the_answers(model, with_ids, tmp_path, capsys):
    """Red when a kept entry changes, goes to another row, is lost in a format, or hides the row's number."""

    def predicted(*options):
        out = tmp_path / f"answers.{options[-1]}"
        assert main(["predict", str(model), str(with_ids), *options[:-1], "-o", str(out)]) == 0
        return out

    keep = ["--keep", "row", "id"]
    plain, kept = (polars.read_csv(predicted(*how, "csv"), infer_schema=False) for how in ([], keep))
    written = (tmp_path / "answers.csv").read_text()
    numbers = [str(n) for n in range(1000, 1120)]
    assert kept.columns == ["row", "id", *plain.columns]
    assert kept["row"].to_list() == numbers
    assert set(kept["id"]) == {"007 ü"}
    assert kept.drop("row", "id").equals(plain)
    best = polars.read_csv(predicted(*keep, "--top-k", "2", "csv"), infer_schema=False)
    assert best.columns[:5] == ["row_", "rank", "probability", "row", "id"]
    assert [int(n) - 1000 for n in best["row"]] == [int(n) for n in best["row_"]]
    lines = [json.loads(line) for line in predicted(*keep, "--proba", "jsonl").read_text().splitlines()]
    assert lines[3]["kept"] == {"row": "1003", "id": "007 ü"}
    table = polars.read_parquet(predicted(*keep, "parquet"))
    assert table["row"].to_list() == numbers
    capsys.readouterr()
    assert shell("predict", model, "-", *keep, stdin=with_ids.read_text()) == written


def test_errors_names_rows_by_kept_columns(model, with_ids, tmp_path, capsys):
    """Red when a doubtful row cannot be found by its identifier in the table, the CSV file or the JSON."""
    errors = ["errors", str(model), str(with_ids), "--top", "4", "--keep", "row"]
    assert main([*errors, "--json", "--csv", str(tmp_path / "doubtful.csv")]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    assert [int(r["kept"]["row"]) - 1000 for r in records] == [r["row"] for r in records]
    header, *rows = csv.reader(io.StringIO((tmp_path / "doubtful.csv").read_text()))
    assert header == ["row_", "row", "score", "given", "expected"]
    assert [row[1] for row in rows] == [r["kept"]["row"] for r in records]
    assert main(errors) == 0
    assert f"{records[0]['row']} {records[0]['kept']['row']}" in capsys.readouterr().out


def test_parquet_columns_are_kept_with_their_types(model, with_ids, tmp_path, capsys):
    """Red when numbers become words, a date stops the writer, or what is missing becomes a word."""
    more = {"day": [datetime.datetime(2026, 1, 1)] * 120, "note": [None, "x"] * 60, "size": [math.nan] * 120}
    polars.read_csv(with_ids).with_columns(**{n: polars.Series(v) for n, v in more.items()}).write_parquet(
        tmp_path / "ids.parquet"
    )
    for form in ("parquet", "jsonl", "csv"):
        out = tmp_path / f"answers.{form}"
        keep = ["--keep", "row", "day", "note", "size"]
        assert main(["predict", str(model), str(tmp_path / "ids.parquet"), *keep, "-o", str(out)]) == 0
    table = polars.read_parquet(tmp_path / "answers.parquet")
    assert table["row"].to_list() == list(range(1000, 1120))
    assert table["note"].null_count() == 60
    assert table["day"].dtype == polars.Datetime
    first = json.loads((tmp_path / "answers.jsonl").read_text().splitlines()[0])["kept"]
    assert first == {"row": 1000, "day": "2026-01-01 00:00:00", "note": None, "size": "nan"}
    capsys.readouterr()
    assert main(["errors", str(model), str(tmp_path / "ids.parquet"), *keep, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)["records"][0]["kept"]
    assert kept["row"] >= 1000
    assert kept["day"] == first["day"]


def test_kept_entries_of_several_lines_stay_one_entry(model, with_ids, tmp_path):
    """Red when a line break of any kind makes two rows of one."""
    frame = polars.read_csv(with_ids).with_columns(id=polars.Series(["a\rb", "a\nb", "a\r\nb", 'a"b'] * 30))
    frame.write_parquet(tmp_path / "lines.parquet")
    out = tmp_path / "answers.csv"
    assert main(["predict", str(model), str(tmp_path / "lines.parquet"), "--keep", "id", "-o", str(out)]) == 0
    with open(out, newline="", encoding="utf-8") as stream:
        _, *rows = csv.reader(stream)
    assert [row[0] for row in rows] == frame["id"].to_list()


def test_data_sets_by_name_keep_nothing(model, capsys):
    """Red when columns that cannot be kept are left out without a word."""
    assert main(["predict", str(model), "yeast", "--keep", "Att1"]) == 2
    assert "--keep Att1: yeast is a data set by name" in capsys.readouterr().err


def test_a_label_may_be_kept_in_json_lines(model, with_ids, tmp_path, capsys):
    """Red when the given labels cannot be seen beside the answers where names do not collide."""
    assert main(["predict", str(model), str(with_ids), "--keep", "<b>", "--json"]) == 0
    given = [json.loads(line)["kept"]["<b>"] for line in capsys.readouterr().out.splitlines()]
    assert given == polars.read_csv(with_ids, infer_schema=False)["<b>"].to_list()


def test_standard_input_has_no_path(tmp_path, monkeypatch, capsys):
    """Red when an error or a warning about CSV from a pipe names a file that the user never had."""
    fit = ["fit", "-", "--labels", "y", "--model", "br", "-o", str(tmp_path / "m.setwise")]
    for text, code, told in (
        (",a,y\n0,1,0\n1,2,1\n", 0, "setwise: standard input: a column without a name is left out"),
        (",a,y\n0,1,0\n1,2\n", 2, "setwise: standard input:3:3: expected 3 fields"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(fit) == code
        shown = capsys.readouterr().err
        assert shown.startswith(told)
        assert len(shown.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(model, files):
    """As in ``setwise predict ... | head -1``."""
    command = f"{sys.executable} -m setwise predict {model} {files[1]} --top-k 8"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_words_tags_and_missing_values(tmp_path, capsys):
    """A table as people have them: words, holes, a column of tags, an identifier."""
    rng = np.random.default_rng(0)
    lines = ["id,size,colour,kind,tags"]
    for i in range(60):
        colour = "red" if rng.random() < 0.5 else "blue"
        tags = ";".join(["warm"] * (colour == "red") + ["big"] * (i % 3 == 0)) or "plain"
        lines.append(f"r{i},{i % 7 if i % 5 else '?'},{colour},{'xyz'[i % 3]},{tags}")
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("\n".join(lines) + "\n")
    test.write_text("colour,kind,size\nred,x,1\nred,w,?\n")
    file = str(tmp_path / "m.setwise")
    fit = ["fit", str(train), "--labels", "tags", "--tag-separator", ";", "--ignore", "id", "--model", "br"]
    assert main([*fit, "-o", file]) == 0
    assert "filled with their columns' means" in " ".join(capsys.readouterr().out.split())
    assert describe(file).label_names == ["big", "plain", "warm"]
    assert main(["predict", file, str(test), "--json"]) == 0
    shown = capsys.readouterr()
    assert "warm" in json.loads(shown.out.splitlines()[0])["labels"]
    assert "are new, such as 'w'" in shown.err
    assert main(["evaluate", file, str(train), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["records"][0]["labels"]["warm"]["f1"] == 1.0


def test_a_missing_feature_is_found_in_the_file(tmp_path, capsys):
    """Red when the command names a row of its own counting instead of the line, or no remedy."""
    train, test, file = (tmp_path / name for name in ("train.csv", "test.csv", "m.setwise"))
    train.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(20)))
    test.write_text("b,a\n1,2\n2,\n")
    fit = ["fit", str(train), "--labels", "y", "-o", str(file), "--model", "br"]
    assert main(fit) == 0
    assert main(["predict", str(file), str(test)]) == 2
    told = capsys.readouterr().err
    assert "test.csv:3:2: the value of column 'a' is missing, which the model cannot take; fill it in" in told
    train.write_text(train.read_text() + "?,1,1\n")
    assert main(fit) == 0
    assert main(["predict", str(file), str(test)]) == 0


def test_tags_that_are_not_known_are_not_judged(tmp_path, capsys):
    """Red when a tag that a test file lacks counts as off in a row whose tags are not known."""
    train, test, file = (tmp_path / name for name in ("train.csv", "test.csv", "m.setwise"))
    train.write_text("size,tags\n" + "1,small\n2,small;odd\n9,big\n" * 5 + "5,?\n")
    test.write_text("size,tags\n1,small\n9,?\n")
    fit = ["fit", str(train), "--labels", "tags", "--tag-separator", ";", "--model", "br", "-o", str(file)]
    assert main([*fit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label_values_missing"] == 3
    assert main(["evaluate", str(file), str(test)]) == 2
    assert "label 'big' of row 1 is not known; leave the row out" in capsys.readouterr().err


def test_labels_that_are_not_known_are_summed_out(files, tmp_path, capsys):
    """A question mark in a label column: fitted by those that can, also by the automatic choice, refused by others."""
    data = generated()
    hidden = np.random.default_rng(0).random(data.Y.shape) < 0.2
    write_arff(
        Dataset(data.X, np.where(hidden, -1, data.Y), data.feature_names, data.label_names),
        tmp_path / "h.arff",
    )
    fit = ["fit", str(tmp_path / "h.arff"), "--labels", "3", "-o", str(tmp_path / "m.setwise"), "--model"]
    for model in ("br", "tree", "auto"):
        assert main([*fit, model, "--time-budget", "2", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["label_values_missing"] == hidden.sum()
    assert "left out: some labels are missing" in {row["status"] for row in told["leaderboard"]}
    assert main(["evaluate", str(tmp_path / "m.setwise"), str(files[1])]) == 0
    assert main([*fit, "powerset"]) == 2
    assert "is not known; leave the row out, or use --model auto or br or tree" in capsys.readouterr().err


def test_every_output_format_holds_the_same_answers(model, files, tmp_path, capsys):
    expected = setwise.load(model).predict(read(files[1]).X)
    for form in ("csv", "tsv", "parquet", "arff"):
        out = tmp_path / f"answers.{form}"
        assert main(["predict", str(model), str(files[1]), "-o", str(out)]) == 0
        labels = None if form == "arff" else -3
        np.testing.assert_array_equal(read(out, labels).Y, expected)
    assert main(["predict", str(model), str(files[1]), "-o", str(tmp_path / "a.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    names = read(files[1]).label_names
    np.testing.assert_array_equal([[int(n in line["labels"]) for n in names] for line in lines], expected)


def test_best_sets_known_labels_and_decisions(model, files, capsys):
    data, loaded = read(files[1]), setwise.load(model)
    assert main(["predict", str(model), str(files[1]), "--top-k", "2", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])["sets"]
    best = loaded.predict_top_k(data.X, 2)
    assert [s["probability"] for s in first] == np.exp(best.log_prob[0]).tolist()
    assert main(["predict", str(model), str(files[1]), "--top-k", "9"]) == 0
    header, *lines = csv.reader(capsys.readouterr().out.splitlines())
    assert header[:3] == ["row", "rank", "probability"]
    assert len(lines) <= 8 * len(data.X)  # three labels have eight sets
    assert main(["predict", str(model), str(files[1]), "--given", "sad, calm=1", "--proba"]) == 0
    _, *rows = csv.reader(capsys.readouterr().out.splitlines())
    known = np.tile([1, -1, -1], (len(data.X), 1))
    np.testing.assert_array_equal(
        np.array(rows, float), loaded.distribution(data.X).condition(known).marginals()
    )
    assert main(["predict", str(model), str(files[1]), "--decision", "hamming"]) == 0
    _, *rows = csv.reader(capsys.readouterr().out.splitlines())
    np.testing.assert_array_equal(np.array(rows, int), loaded.predict(data.X, decision="hamming"))


def test_a_model_of_a_data_frame_is_asked_by_its_names(tmp_path, capsys):
    """Red when each question warns of missing names, or a step that chooses columns by name cannot find them."""
    data = generated()
    frame = pandas.DataFrame(data.X, columns=data.feature_names)
    chosen = ColumnTransformer([("scaled", StandardScaler(), ["c", "a"])])
    file, table = str(tmp_path / "m.setwise"), str(tmp_path / "table.csv")
    write_csv(data.with_features(["d", "c", "b b", "a"]), table)
    for model in (setwise.BinaryRelevance(), make_pipeline(chosen, setwise.BinaryRelevance())):
        setwise.save(model.fit(frame, data.named_labels()), file)
        for command in ("evaluate", "predict"):
            assert main([command, file, table]) == 0
            shown = capsys.readouterr()
            assert shown.err == ""
        _, *rows = csv.reader(shown.out.splitlines())
        np.testing.assert_array_equal(np.array(rows, int), model.predict(frame))


def test_errors_finds_the_rows_that_were_changed(model, files, tmp_path, capsys):
    data = read(files[1])
    Y = data.Y.copy()
    Y[5, :2] = 1 - Y[5, :2]
    certain = np.abs(data.X[:, 0]).argmax()
    Y[certain] = 1 - Y[certain]
    write_arff(Dataset(data.X, Y, data.feature_names, data.label_names), tmp_path / "changed.arff")
    for how in ([], ["--folds", "3"]):
        assert main(["errors", str(model), str(tmp_path / "changed.arff"), "--top", "3", "--json", *how]) == 0
        records = json.loads(capsys.readouterr().out)["records"]
        assert int(certain) in [record["row"] for record in records]
        assert [r["score"] for r in records] == sorted((r["score"] for r in records), reverse=True)


def test_errors_counts_the_rows_beyond_the_listed(model, files, capsys):
    """Red when the heading gives the length of the list for the number of rows answered otherwise."""
    titles = []
    for top in ("2", "200"):
        assert main(["errors", str(model), str(files[1]), "--top", top, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        titles.append(told["title"])
    n_rows = len(told["records"])
    assert 2 < n_rows < 120
    assert titles[0] == titles[1]
    assert titles[0].startswith("The most doubtful of the 120 rows of generated; ")
    assert titles[0].endswith(f" would answer otherwise in {n_rows}")


def test_csv_files_are_one_table_that_programs_read(model, files, tmp_path, capsys):
    """Red when a file has rows of several kinds, a number that is none, or other numbers than JSON has."""
    out = tmp_path / "out.csv"

    def table_and_json(*arguments):
        assert main([*map(str, arguments), "--csv", str(out), "--json"]) == 0
        return polars.read_csv(out), json.loads(capsys.readouterr().out)["records"]

    table, [record] = table_and_json("evaluate", model, files[1])
    assert table.columns == ["label", "measure", "value"]
    values = {(label or "", measure): value for label, measure, value in table.rows()}
    assert values["", "exact_match"] == record["scores"]["exact_match"]
    assert values["sad, calm", "f1"] == record["labels"]["sad, calm"]["f1"]
    assert len(values) == len(record["scores"]) + 3 * 4
    table, records = table_and_json("errors", model, files[1], "--top", 5)
    assert table["row"].to_list() == [record["row"] for record in records]
    assert table["score"].to_list() == [record["score"] for record in records]
    assert table["given"][0] or ", ".join(records[0]["given"]) == ""
    table, records = table_and_json("compare", files[0], "--methods", "br", "--folds", 2, "--jobs", 1)
    exact = table.filter(measure="exact_match").row(0, named=True)
    assert exact["mean"] == np.mean([record["scores"]["exact_match"] for record in records])
    assert (exact["data"], exact["method"], exact["repeats"]) == ("train.arff", "BinaryRelevance", 2)
    assert 0 <= exact["standard_error"] < 1
    table, _ = table_and_json("inspect", model)
    assert table.columns == ["what", "value"]
    paper = ["reproduce", "mc", "--datasets", "yeast", "--methods", "BR", "--folds", 2, "--jobs", 1]
    table, records = table_and_json(*paper)
    assert table["printed"].to_list() == [record["value"] for record in records]
    assert table["mean"].to_list() == [record["ours"]["mean"] for record in records]


def test_datasets(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path / "cache"))
    assert main(["datasets", "list", "--json"]) == 0
    assert {"name": "yeast", "here": True}.items() <= json.loads(capsys.readouterr().out)[-1].items()
    assert main(["datasets", "info", str(files[0]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 120
    assert main(["datasets", "info", str(files[0])]) == 0
    assert main(["datasets", "convert", str(files[0]), str(tmp_path / "c.csv")]) == 0
    assert main(["datasets", "get", "yeast"]) == 0
    assert "yeast is here already" in capsys.readouterr().out
    parts = [str(tmp_path / "train.npz"), str(tmp_path / "test.npz")]
    assert main(["datasets", "split", str(files[0]), *parts, "--test-size", "0.25"]) == 0
    assert [read(part).X.shape[0] for part in parts] == [90, 30]
    again = read(tmp_path / "c.csv", list(read(files[0]).label_names))
    np.testing.assert_array_equal(again.X, read(files[0]).X)


@pytest.mark.parametrize("data", ["own.csv", "-"])
def test_the_parts_of_a_table_are_like_the_table(data, tmp_path, monkeypatch, capsys):
    """Red when a model of the training part cannot read the table that the part came from, or a row is lost."""
    monkeypatch.chdir(tmp_path)
    lines = ["id;size;city;tags", *(f"r{i};{i};{'KBP'[i % 3]};{'a,b' if i % 2 else 'b'}" for i in range(30))]
    (tmp_path / "own.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "own.csv").read_bytes())))
    labels = ["--labels", "tags", "--delimiter", ";"]
    assert main(["datasets", "split", data, "train.csv", "test.csv", *labels, "--ignore", "id"]) == 0
    (head, *train), (_, *test) = ((tmp_path / f"{n}.csv").read_text().splitlines() for n in ("train", "test"))
    assert head == "size;city;tags"
    assert sorted(train + test) == sorted(line.split(";", 1)[1] for line in lines[1:])
    assert main(["fit", "train.csv", *labels, "--model", "br", "-o", "m.setwise"]) == 0
    assert main(["evaluate", "m.setwise", "own.csv"]) == 0
    assert capsys.readouterr().err == ""


def test_get_fetches_and_keeps(tmp_path, monkeypatch, capsys):
    """With openml.org replaced by a data set of the right shape."""
    from setwise.cli.commands import datasets

    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path))
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    made = Dataset(np.zeros((593, 72)), np.zeros((593, 6), dtype=int))
    monkeypatch.setattr(datasets, "read_openml", lambda number: made)
    assert main(["datasets", "get", "emotions"]) == 0
    assert setwise.datasets.load("emotions").X.shape == (593, 72)
    assert [path.name for path in Path(tmp_path).iterdir()] == ["emotions.npz"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(name, capsys):
    assert main(["completion", name]) == 0
    script = capsys.readouterr().out
    for word in ("predict", "inspect", "top-k", "time-budget"):
        assert word in script
    if name == "bash":
        ask = script + '\nCOMP_WORDS=(setwise predict --top); COMP_CWORD=2; _setwise; echo "${COMPREPLY[@]}"'
        run = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "--top-k"
