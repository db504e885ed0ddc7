"""Data frames that cannot become arrays: the error names the column and the remedy."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from setwise import BinaryRelevance, CalibratedSets
from setwise.decisions import Abstain, FBeta
from setwise.distributions import ForestMixture

X = pd.DataFrame({"size": np.arange(20.0), "weight": np.ones(20)})
Y = np.eye(2, dtype=int)[np.arange(20) % 2]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_text_is_named_with_its_first_word(library):
    """Red if NumPy's error, which names no column, reaches the user."""
    frame = library({"size": np.arange(20.0), "colour": ["1.5", None, *["red"] * 18]})
    message = "column 'colour' of X is 'red' in row 2; expected a number. Encode the column first"
    with pytest.raises(ValueError, match=message):
        BinaryRelevance().fit(frame, Y)


def test_a_column_of_dates_is_named():
    """Red if a frame of numbers and dates fails with a list of NumPy's types."""
    frame = X.assign(day=pd.date_range("2026-01-01", periods=20))
    with pytest.raises(ValueError, match=r"column 'day' of X has the type datetime64.*expected numbers"):
        BinaryRelevance().fit(frame, Y)


def test_new_rows_are_checked_like_training_rows():
    """Red if only ``fit`` names the column."""
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="column 'weight' of X is 'heavy' in row 0"):
        model.predict(X.assign(weight="heavy"))


def test_other_errors_of_frames_stay():
    """Red if a missing column is reported as something else."""
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["size"]])


def test_lazy_frames_are_refused_with_the_remedy():
    """Red if a LazyFrame fails inside NumPy, or a frame with a column called collect counts as one."""
    with pytest.raises(TypeError, match=r"X is a LazyFrame, .*; pass X.collect\(\)"):
        BinaryRelevance().fit(pl.from_pandas(X).lazy(), Y)
    with pytest.raises(TypeError, match=r"y is a LazyFrame, .*; pass y.collect\(\)"):
        BinaryRelevance().fit(X, pl.DataFrame(Y, schema=["a", "b"]).lazy())
    BinaryRelevance(l2=1.0).fit(X.rename(columns={"size": "collect"}), Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BinaryRelevance(l2=np.float64(-0.3)).fit(X, Y), "l2 is -0.3; expected"),
        (lambda: BinaryRelevance(min_labels=np.int64(9)).fit(X, Y), "min_labels is 9; expected"),
        (lambda: BinaryRelevance().fit(X, np.where(Y == 1, 0.3, 0)), "y is 0.3 in row 0, label '0'"),
        (lambda: Abstain(np.float64(1.3)), "confidence is 1.3; expected"),
        (lambda: ForestMixture.independent([[0.0]]).decide(FBeta(np.float64(-1))), "beta is -1.0; expected"),
        (
            lambda: ForestMixture.independent([[0.0]]).condition({0: np.ones(7)}),
            r"is an array of shape \(7,\)",
        ),
        (
            lambda: ForestMixture.independent([[0.0]]).tempered(0),
            "temperature is 0; expected a number above 0",
        ),
        (lambda: CalibratedSets("ConditionalTree").fit(X, Y), "an instance and not a name"),
    ],
)
def test_errors_show_plain_numbers_and_no_arrays(call, message):
    """Red if a message has np.float64(...) or the content of an array."""
    with pytest.raises(ValueError, match=message):
        call()
