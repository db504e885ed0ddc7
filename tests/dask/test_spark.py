"""The recipe of the guide for scoring with Spark: its function on batches, and all of it where Spark is there."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import setwise
from setwise import BinaryRelevance

PAGE = Path(__file__).parents[2] / "docs/big_data.md"


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """The lines of the recipe, in a folder that has the model; and rows to score."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(40, 2)), columns=["size", "weight"])
    labels = pd.DataFrame({"big": rows["size"] > 0, "heavy": rows["weight"] > 0}).astype(int)
    setwise.save(BinaryRelevance(l2=1.0).fit(rows, labels), "model.setwise")
    (found,) = [
        block for block in re.findall(r"```py\n(.*?)```", PAGE.read_text(), re.S) if "mapInPandas" in block
    ]
    return found, rows


def test_the_function_of_the_recipe_scores_batches(recipe):
    """Red if the guide shows a function that does not run, or that mixes columns up."""
    code, rows = recipe
    names = {}
    exec(code.split("schema = ")[0], names)
    parts = list(names["score"](iter([rows[:30], rows[30:].assign(other="x")])))
    known = setwise.load("model.setwise").predict(rows)
    assert np.array_equal(pd.concat(parts).to_numpy(), known)
    assert list(parts[0].columns) == ["big", "heavy"]


def test_the_recipe_runs_on_spark(recipe):
    """Red if Spark refuses the schema or the types of the answers."""
    pytest.importorskip("pyspark", reason="needs pyspark and Java")
    from pyspark.sql import SparkSession

    code, rows = recipe
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        lines = code.strip().replace("frame.mapInPandas", "answers = frame.mapInPandas")
        names = {"frame": spark.createDataFrame(rows)}
        exec(lines, names)
        assert np.array_equal(
            names["answers"].toPandas().to_numpy(), setwise.load("model.setwise").predict(rows)
        )
    finally:
        spark.stop()
