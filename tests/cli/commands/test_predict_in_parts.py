"""Rows are read, answered and written some at a time: the answers are those of all rows at once."""

import csv
import json

import numpy as np
import polars
import pytest

import setwise
from setwise.cli import main
from setwise.cli.commands import predict


@pytest.fixture
def people(tmp_path):
    """A table of text, numbers and categories, one of them new after the training, and a model of it."""
    rng = np.random.default_rng(0)
    lines = [
        f"{i},{rng.normal():.4f},{'red' if i % 3 else 'blue'},word{i % 5} and word{i % 7},{'p;q' if i % 2 else 'q'}"
        for i in range(90)
    ]
    header = "id,size,colour,note,tags\n"
    (tmp_path / "train.csv").write_text(header + "\n".join(lines) + "\n")
    (tmp_path / "new.csv").write_text(header + "\n".join(lines).replace("blue", "green") + "\n")
    fit = ["fit", "train.csv", "--labels", "tags", "--columns", "id=ignore", "note=text", "--model", "tree"]
    return tmp_path, [*fit, "-o", "m.setwise"]


@pytest.fixture
def model(people, monkeypatch):
    folder, fit = people
    monkeypatch.chdir(folder)
    assert main(fit) == 0
    return folder


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "xlsx", "arff"])
def test_parts_change_no_answer(model, form, monkeypatch, capsys):
    """Red when a part repeats the header, counts its rows anew, loses a kept column or another bit."""
    for question in ([], ["--proba"], ["--top-k", "2"], ["--given", "p=1"], ["--keep", "id"]):
        if form == "arff" and question[:1] in (["--top-k"], ["--keep"]):
            continue
        found = []
        for rows in (2**14, 8):
            monkeypatch.setattr(predict, "MOST_ROWS", rows)
            assert main(["predict", "m.setwise", "new.csv", *question, "-o", f"out.{form}"]) == 0
            found.append(_content(model / f"out.{form}", form))
            warnings = [line for line in capsys.readouterr().err.splitlines() if "are new" in line]
            assert warnings == [
                "setwise: new.csv: 30 entries of column 'colour' are new, such as 'green'; they count as none of the "
                "known categories"
            ]
        assert found[0] == found[1]


def _content(path, form):
    if form == "parquet":
        return polars.read_parquet(path).to_dicts()
    if form == "xlsx":
        return [*pytest.importorskip("openpyxl").load_workbook(path).active.values]
    return path.read_bytes()


def test_every_table_gives_the_same_answers(model, monkeypatch, capsys):
    """Red when a Parquet file, a workbook or standard input is read differently from the CSV file."""
    monkeypatch.setattr(predict, "MOST_ROWS", 16)
    frame = polars.read_csv("new.csv")
    frame.write_parquet("new.parquet")
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (frame.columns, *frame.iter_rows()):
        book.active.append(row)
    book.save("new.xlsx")
    answers = []
    for name in ("new.csv", "new.parquet", "new.xlsx"):
        assert main(["predict", "m.setwise", name, "--proba", "--keep", "id"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] == answers[2]
    shown = [[float(cell) for cell in row[1:]] for row in [*csv.reader(answers[0].splitlines())][1:]]
    np.testing.assert_array_equal(shown, setwise.load("m.setwise").predict_proba(frame.drop("tags")))


def test_an_error_in_a_later_part_writes_nothing(model, monkeypatch, capsys):
    """Red when half an answer stands for a whole one."""
    monkeypatch.setattr(predict, "MOST_ROWS", 8)
    with open("new.csv", "a") as file:
        file.write("1,many,red,a note,q\n")
    assert main(["predict", "m.setwise", "new.csv", "-o", "out.jsonl"]) == 2
    assert "new.csv:92:2: expected a number in column 'size', found 'many'" in capsys.readouterr().err
    assert not (model / "out.jsonl").exists()


def test_a_decision_for_the_batch_sees_all_rows(model, monkeypatch, capsys):
    """Red when the thresholds of macro F1 are those of a part."""
    monkeypatch.setattr(predict, "MOST_ROWS", 8)
    assert main(["predict", "m.setwise", "new.csv", "--decision", "macro_f1", "--json"]) == 0
    shown = [json.loads(line)["labels"] for line in capsys.readouterr().out.splitlines()]
    frame = polars.read_csv("new.csv")
    assert shown == setwise.load("m.setwise").predict_tags(frame, decision="macro_f1")
