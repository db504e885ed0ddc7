"""Evidence in every form that users pass."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from setwise.contract import read_evidence

NAMES = np.array(["sea", "sand", "sky"], dtype=object)
ROWS = np.array([[1, 0, -1], [0, 0, 1]])


def read(given, names=NAMES):
    return read_evidence(given, 2, 3, names)


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        ROWS.tolist(),
        np.where(ROWS < 0, np.nan, ROWS),
        pd.DataFrame(ROWS, columns=NAMES)[["sky", "sea", "sand"]],
        pd.DataFrame(ROWS, columns=NAMES).replace(-1, pd.NA)[["sand", "sky", "sea"]],
        pl.DataFrame(ROWS, schema=list(NAMES))[["sky", "sand", "sea"]],
        pd.DataFrame(ROWS),
        {"sea": [1, 0], "sand": 0, "sky": [-1, 1]},
        {"sand": 0, 0: np.array([1, 0]), "sky": [None, 1]},
        sp.csr_array(ROWS),
    ],
    ids=lambda given: type(given).__module__.partition(".")[0] + "." + type(given).__name__,
)
def test_every_form_means_the_same(given):
    """Red if columns are matched by position, or an unknown label counts as 0 or 1."""
    evidence = read(given)
    assert evidence.dtype == np.int8
    assert_array_equal(evidence, ROWS)


def test_a_series_gives_labels_by_name():
    assert_array_equal(read(pd.Series({"sky": 1, "sea": 0})), [[0, -1, 1]] * 2)


def test_without_names_positions_decide():
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    assert_array_equal(read(frame, names=None), ROWS)
    assert_array_equal(read(frame, names=np.array(["0", "1", "2"], dtype=object)), ROWS)


def test_numbered_columns_are_names_beside_the_same_numbers():
    frame = pd.DataFrame(ROWS)[[2, 0, 1]]
    assert_array_equal(read(frame, names=np.array(["0", "1", "2"], dtype=object)), ROWS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            pd.DataFrame(ROWS, columns=["sea", "sand", "fog"]),
            r"the columns of evidence do not match the labels: missing 'sky'; unexpected 'fog'. Expected 'sea', 'sand'",
        ),
        (pd.DataFrame(ROWS[:, :2], columns=["sea", "sand"]), "missing 'sky'. Expected"),
        (pd.DataFrame(ROWS, columns=["sea", "sand", "sea"]), "2 columns are named 'sea'"),
        ({"fog": 1}, "no label is named 'fog'; the labels are 'sea', 'sand', 'sky'"),
        ({3: 1}, "label 3 does not exist; labels are numbered from 0 to 2"),
        ({"sea": 2}, r"the evidence for label 'sea' is 2; expected 0, 1 or -1 \(not observed\)"),
        ({"sea": [1, 0, 1]}, "expected 0, 1 or -1"),
        ([[1, 0]], r"evidence has shape \(1, 2\); expected one row of 3 labels for each of the 2 rows"),
        ([[1, 0, 7], [0, 0, 0]], r"evidence\[0, 2\] is 7; a label is 0, 1 or -1"),
    ],
)
def test_errors_say_what_was_expected(given, message):
    with pytest.raises(ValueError, match=message):
        read(given)


def test_labels_without_names_are_given_by_number():
    with pytest.raises(ValueError, match="no label is named 'sea'; these labels have no names; use numbers"):
        read({"sea": 1}, names=None)
