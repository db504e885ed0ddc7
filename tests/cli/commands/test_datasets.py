import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.cli.commands import datasets
from setwise.datasets import Dataset, read
from tests.cli.wrong_files import check_wrong_usage

WRONG = [
    ["datasets", "info", "nowhere"],
    ["datasets", "info", "good.csv"],
    ["datasets", "get", "nowhere"],
    ["datasets", "get", "cal500"],
    ["datasets", "convert", "good.arff", "x.parquet"],
    ["datasets", "convert", "good.arff", "x"],
    ["datasets", "convert", "good.arff", "good.arff"],
    ["datasets", "convert", "good.arff", "no/where.csv"],
    ["datasets", "convert", "good.csv", "x.arff"],
    ["datasets", "convert", "broken.arff", "precious.csv"],
    ["datasets", "split", "good.arff", "x.csv", "y.csv", "--test-size", "0"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_prints_one_line(arguments, wrong, capsys):
    check_wrong_usage(arguments, wrong, capsys)


def test_the_option_of_an_empty_part_is_named(wrong, capsys):
    assert main(["datasets", "split", "good.arff", "x.csv", "y.csv", "--test-size", "0.001"]) == 2
    assert "--test-size 0.001: one of the two parts of 30 rows is empty" in capsys.readouterr().err


def test_lists_describes_converts_and_splits(files, tmp_path, capsys, monkeypatch):
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
    """Red if a model of the training part cannot read the table that the part came from, or a row is lost."""
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


def test_get_downloads_and_keeps(tmp_path, monkeypatch, capsys):
    """With openml.org replaced by a data set of the right shape."""
    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path))
    monkeypatch.delenv("SETWISE_DATA", raising=False)
    made = Dataset(np.zeros((593, 72)), np.zeros((593, 6), dtype=int))
    monkeypatch.setattr(datasets, "read_openml", lambda number: made)
    assert main(["datasets", "get", "emotions"]) == 0
    assert setwise.datasets.load("emotions").X.shape == (593, 72)
    assert [path.name for path in Path(tmp_path).iterdir()] == ["emotions.npz"]
