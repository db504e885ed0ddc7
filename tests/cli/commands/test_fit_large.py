"""Tables that are read some rows at a time: the same model as from memory, or an error that says where."""

import json
import re

import numpy as np
import polars
import pytest

import setwise
from setwise import BinaryRelevance
from setwise.blockwise import BlockwiseSetClassifier
from setwise.cli import main
from setwise.datasets.large_tables import LargeTable
from setwise.tables.encoder import TableEncoder

N = 900
FIT = ["--labels", "tags", "--set", "l2=1.0", "tol=1e-18", "--model", "br", "-o", "m.setwise"]


@pytest.fixture
def table(monkeypatch, tmp_path):
    """Rows of numbers, a category and words, with tags that follow from them; blocks have 256 rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("setwise.blockwise.memory.MOST_ROWS", 256)
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=N), rng.choice(["red", "blue", "green"], N)
    words = rng.choice(["money back", "cannot log in", "charged twice", "hello"], N)
    on = {"big": size > 0.3, "warm": colour == "red", "refund": words == "money back"}
    tags = [";".join(name for name in on if on[name][row]) for row in range(N)]
    return polars.DataFrame({"size": size, "colour": colour, "text": words, "tags": tags})


@pytest.mark.parametrize("form", ["csv", "parquet", "folder"])
def test_a_fit_within_memory_is_that_of_all_rows(table, tmp_path, form):
    """Red if a block is encoded otherwise than the sample, if a row is lost, or if tags are in another order."""
    table.write_csv("all.csv")
    data = {"csv": "all.csv", "parquet": "all.parquet", "folder": "parts"}[form]
    if form == "parquet":
        table.write_parquet(data, row_group_size=100)
    elif form == "folder":
        (tmp_path / "parts").mkdir()
        table[:400].write_parquet("parts/a.parquet")
        table[400:].select("tags", "text", "size", "colour").write_parquet("parts/b.parquet")
    assert main(["fit", "all.csv", *FIT]) == 0
    whole = setwise.load("m.setwise")
    assert main(["fit", data, *FIT, "--memory", "300MB"]) == 0
    model = setwise.load("m.setwise")
    assert np.allclose(model.predict_proba(table), whole.predict_proba(table), atol=1e-9)
    assert list(model.label_names_) == ["big", "refund", "warm"]


def test_the_choice_is_made_on_the_sample(table, capsys):
    """Red if the automatic choice takes a model that cannot be fitted to blocks, or if only the sample is learnt."""
    table.write_parquet("all.parquet")
    fit = [
        "fit",
        "all.parquet",
        "--labels",
        "tags",
        "--memory",
        "300MB",
        "--effort",
        "2",
        "--json",
        "-o",
        "m.setwise",
    ]
    assert main(fit) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == said["data_rows"] == N
    assert said["leaderboard"]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, ["--memory", "much"], "the memory limit is 'much'"),
        ({}, ["--memory", "250MB"], "give at least"),
        (
            {},
            ["--memory", "1GB", "--model", "mlknn", "--set", "n_neighbors=3"],
            "with --memory, use auto or one of",
        ),
        ({}, ["--memory", "1GB", "--labels", "nothing"], "the columns are"),
        (
            {"big": "yes,,no"},
            ["--memory", "1GB", "--model", "chain", "--labels", "big"],
            "all.csv:3: label 'big' is unknown",
        ),
        ({"big": "1,0,2"}, ["--memory", "1GB", "--labels", "big", "size"], "all.csv:2:1: expected 0 or 1"),
    ],
)
def test_errors(table, capsys, change, options, message):
    """Red if something that is wrong ends in a traceback, or is not said with its place."""
    for name, values in change.items():
        entries = values.split(",")
        table = table[: len(entries)].with_columns(polars.Series(name, entries))
    table.write_csv("all.csv")
    assert main(["fit", "all.csv", *FIT, *options]) != 0
    said = capsys.readouterr().err
    assert re.search(message, said), said


def test_a_table_in_python(table):
    """Red if the encoder is lost, or if labels of the sample are taken for those of other rows."""
    table.write_parquet("all.parquet")
    model = BlockwiseSetClassifier(BinaryRelevance(l2=1.0), memory_limit="300MB")
    model = model.fit_table("all.parquet", "tags").to_local()
    asked = model.predict_tags(
        {"size": [2.0, -2.0], "colour": ["red", "blue"], "text": ["hello", "money back"]}
    )
    assert asked == [["big", "warm"], ["refund"]]


def test_files_of_a_folder_have_the_same_columns(table, tmp_path):
    (tmp_path / "parts").mkdir()
    with pytest.raises(setwise.errors.InputError, match=r"parts: the folder has no \.parquet files"):
        LargeTable(tmp_path / "parts").files
    table.write_parquet("parts/a.parquet")
    table.rename({"size": "weight"}).write_parquet("parts/b.parquet")
    with pytest.raises(
        setwise.errors.InputError, match=r"b\.parquet: expected the columns .* 'size', 'weight' differ"
    ):
        LargeTable(tmp_path / "parts").sample("tags", 100, encoder=TableEncoder())
