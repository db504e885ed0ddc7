"""A comparison reads well: a table for each data set, every measure in the frame."""

import pandas as pd
import pytest

from setwise.evaluation import Comparison

HOSTILE = "<script>\x1b[31m"


@pytest.fixture
def result():
    return Comparison(
        [
            {"data": "a", "method": "BR", "repeat": 0, "scores": {"exact_match": 0.2, "joint_log_loss": 3.0}},
            {"data": "a", "method": "BR", "repeat": 1, "scores": {"exact_match": 0.4, "joint_log_loss": 3.5}},
            {
                "data": "a",
                "method": HOSTILE,
                "repeat": 0,
                "scores": {"exact_match": 0.1, "joint_log_loss": 2.0},
            },
            {"data": "b", "method": "BR", "repeat": 0, "error": "no rows"},
        ]
    )


def test_a_table_a_data_set_with_the_best_marked(result):
    """Red if the larger loss is marked, or a data set or a failure is left out."""
    first, second = repr(result).split("\n\n")
    assert "0.300 ± 0.100*" in first
    assert "2.000*" in first
    assert "3.250 ± 0.250*" not in first
    assert second.startswith("b: scores")
    assert "BR, repetition 0 failed: no rows" in second


def test_hostile_names_of_methods_are_text(result):
    assert "\x1b" not in repr(result)
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


def test_the_frame_has_every_measure(result):
    frame = result.to_frame()
    assert frame.columns.tolist() == ["data", "method", "measure", "mean", "standard_error", "repeats"]
    wide = frame.pivot(index="method", columns="measure", values="mean")
    assert wide.loc["BR", "exact_match"] == pytest.approx(0.3)
    assert result.to_frame(library="polars").to_dict(as_series=False)["mean"] == frame["mean"].tolist()


def test_a_comparison_of_nothing_has_an_empty_frame():
    nothing = Comparison([])
    assert repr(nothing).startswith("0 methods on 0 data sets")
    assert isinstance(nothing.to_frame(), pd.DataFrame)
    assert nothing.to_frame().empty
