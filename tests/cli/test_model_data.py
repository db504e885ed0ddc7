"""Data for a fitted model: every format, names, separators, tags and missing values."""

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pandas
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise
from setwise.cli import main
from setwise.datasets import Dataset, read, write_arff, write_csv, write_libsvm, write_npz
from setwise.persistence import describe
from tests.cli.data import generated

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
    """Red if a test file without its first feature is read one column off, or a model without notes is not read."""
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
    setwise.save(fitted, file)
    assert probabilities(train).shape == (120, 3)


@pytest.mark.parametrize(("typed", "delimiter"), [(";", ";"), ("\\t", "\t")])
def test_a_model_keeps_the_delimiter_of_its_file(typed, delimiter, tmp_path, capsys):
    """Red if a model cannot read files like its own, or no other ones when asked to."""
    train, comma, file = (str(tmp_path / name) for name in ("train.csv", "comma.csv", "m.setwise"))
    lines = ["a,b,tag_x,tag_y", *(f"{i},{i % 3},{i % 2},{int(i > 9)}" for i in range(20))]
    Path(comma).write_text("\n".join(lines) + "\n")
    Path(train).write_text(Path(comma).read_text().replace(",", delimiter))
    fit = ["fit", train, "--labels", "tag_*", "--model", "br", "-o", file]
    assert main(fit) == 2
    assert f"pass --delimiter {shlex.quote(typed)}" in capsys.readouterr().err
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
    assert "pass --delimiter ," in capsys.readouterr().err


def test_a_model_keeps_the_decimal_comma_of_its_file(tmp_path, capsys):
    """Red if a model cannot read the numbers of files like its own, or no other ones when asked to."""
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
    shown = capsys.readouterr().err
    assert "expected a number in column 'a', found '0,5'; if the comma is a decimal separator" in shown
    assert "pass --decimal ," in shown
    for command in ("evaluate", "errors", "inspect"):
        assert main([command, file, commas, "--decimal", ","]) == 0


def test_categories_tags_and_missing_values(tmp_path, capsys):
    """A table as people have them: categories, missing values, a column of tags, an identifier."""
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
    assert "number, marked if missing" in " ".join(capsys.readouterr().out.split())
    assert describe(file).label_names == ["big", "plain", "warm"]
    assert main(["predict", file, str(test), "--json"]) == 0
    shown = capsys.readouterr()
    assert "warm" in json.loads(shown.out.splitlines()[0])["labels"]
    assert "is new, such as 'w'" in shown.err
    assert main(["evaluate", file, str(train), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["records"][0]["labels"]["warm"]["f1"] == 1.0
    assert main(["evaluate", file, str(test)]) == 2
    assert "column 'tags' not found" in capsys.readouterr().err


def test_tags_that_are_numbers_are_read_again_as_tags(tmp_path, capsys):
    """Red if a test file whose tags happen to be 0 and 1 is read as one label."""
    train, test, file = (tmp_path / name for name in ("train.csv", "test.csv", "m.setwise"))
    train.write_text("a,y\n" + "0,0\n1,1\n2,2\n" * 10)
    test.write_text("a,y\n0,0\n1,1\n")
    fit = ["fit", str(train), "--labels", "y", "--model", "br", "-o", str(file)]
    assert main(fit) == 2
    assert "if each number is a tag, pass --tag-separator ," in capsys.readouterr().err
    assert main([*fit, "--tag-separator", ","]) == 0
    assert main(["evaluate", str(file), str(test), "--json"]) == 0


def test_a_missing_feature_is_answered_by_a_table_and_named_by_a_matrix(files, tmp_path, capsys):
    """Red when a model of a table stops at an empty cell, or one of a matrix does not say which cell and what to do."""
    train, test, file = (tmp_path / name for name in ("train.csv", "test.csv", "m.setwise"))
    train.write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(20)))
    test.write_text("b,a\n1,2\n2,\n")
    assert main(["fit", str(train), "--labels", "y", "-o", str(file), "--model", "br"]) == 0
    assert main(["predict", str(file), str(test)]) == 0
    assert main(["fit", str(files[0]), "-o", str(file), "--model", "br"]) == 0
    names = describe(file).notes["training"]["features"]
    test.write_text(",".join(names) + "\n" + ",".join(["1"] * (len(names) - 1)) + ",\n")
    capsys.readouterr()
    assert main(["predict", str(file), str(test)]) == 2
    shown = capsys.readouterr().err
    assert "of row 0 is missing, which the model does not accept; fill it in" in shown


def test_unknown_tags_are_not_judged(tmp_path, capsys):
    """Red if a tag that a test file lacks counts as off in a row whose tags are not known."""
    train, test, file = (tmp_path / name for name in ("train.csv", "test.csv", "m.setwise"))
    train.write_text("size,tags\n" + "1,small\n2,small;odd\n9,big\n" * 5 + "5,?\n")
    test.write_text("size,tags\n1,small\n9,?\n")
    fit = ["fit", str(train), "--labels", "tags", "--tag-separator", ";", "--model", "br", "-o", str(file)]
    assert main([*fit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label_values_missing"] == 3
    assert main(["evaluate", str(file), str(test)]) == 2
    assert "label 'big' of row 1 is unknown; leave the row out" in capsys.readouterr().err


def test_a_label_that_the_data_lack_is_named(wrong, capsys):
    """Red if the label of a model is blamed on an option that this command does not have."""
    assert main(["evaluate", "m.setwise", "one_label.csv"]) == 2
    shown = capsys.readouterr().err
    assert "one_label.csv: column 'round' not found; the columns are 'a', 'b', 'red'; it is a label" in shown
    assert "--labels" not in shown


def test_a_model_of_a_data_frame_is_given_its_columns_by_name(tmp_path, capsys):
    """Red if each question warns of missing names, or a step that chooses columns by name cannot find them."""
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
