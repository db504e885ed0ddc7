import numpy as np
import pytest
import scipy.sparse as sp

from setwise.blocks import ArrayBlocks, budget, merge
from setwise.kernels.matrices import column_moments
from setwise.learning.counting import counts
from setwise.learning.counting.counts import count
from setwise.learning.counting.smoothing import Smoothing


@pytest.fixture(params=[np.asarray, sp.csr_array], ids=["dense", "sparse"])
def X(request):
    rng = np.random.default_rng(0)
    return request.param(np.where(rng.random((500, 6)) < 0.4, 0.0, rng.normal(3.0, 2.0, (500, 6))))


@pytest.fixture
def small_budget(monkeypatch):
    """Blocks of a few rows."""
    monkeypatch.setattr(budget, "BLOCK_BYTES", 2000)


def test_blocks_hold_every_array_of_the_same_rows(X, small_budget):
    """Red if a block lacks a row, mixes rows of its arrays, or loses an array that is not there."""
    numbers = np.arange(500.0)
    parts = list(
        ArrayBlocks((X, numbers, None), 500, 6).map(lambda X, at, none: (X.shape[0], X.sum(), at, none))
    )
    assert len(parts) > 10
    assert np.array_equal(np.concatenate([at for _, _, at, _ in parts]), numbers)
    assert sum(n for n, _, _, _ in parts) == 500
    np.testing.assert_allclose(sum(total for _, total, _, _ in parts), X.sum())
    assert {none for _, _, _, none in parts} == {None}


def test_one_block_is_the_arrays_themselves(X):
    """Red if rows that fit the budget are copied."""
    assert next(ArrayBlocks((X,), 500, 6).map(lambda X: X)) is X


def test_parts_are_merged_from_the_first_to_the_last():
    """Red if sums depend on anything but the order of the rows."""
    assert merge(iter(["a", "b", "c"])) == "abc"
    assert merge([3, 9, 4], max) == 9


def test_column_moments_of_blocks_are_those_of_all_rows(X, monkeypatch):
    """Red if a block's mean, unit or weight is taken for that of all rows."""
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 500)
    whole = column_moments(X, weights)
    monkeypatch.setattr(budget, "BLOCK_BYTES", 2000)
    for ours, truth in zip(column_moments(X, weights), whole):
        np.testing.assert_allclose(ours, truth, rtol=1e-12)


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "multinomial"])
def test_counts_of_blocks_are_those_of_all_rows(X, family, monkeypatch):
    """Red if merging blocks loses a class that a block does not have, or a block's spread around its own mean."""
    rng = np.random.default_rng(2)
    Y, weights = (rng.random((500, 3)) < 0.3).astype(np.int8), rng.uniform(0.5, 2.0, 500)
    X = abs(X)
    given = X, Y, weights, np.full(6, family), Smoothing()
    whole = count(*given)
    monkeypatch.setattr(budget, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(counts, "MIN_ROWS", 1)
    blocks = count(*given)
    classes = np.ones(7, bool)
    np.testing.assert_allclose(blocks.labels.pairs, whole.labels.pairs)
    np.testing.assert_allclose(
        blocks.features.log_likelihood(X, classes), whole.features.log_likelihood(X, classes), rtol=1e-9
    )


def test_a_bad_value_is_named_by_its_row_in_all_the_rows(small_budget):
    """Red if the row of an error is counted from the beginning of its block."""
    X = np.ones((500, 6))
    X[321, 4] = -1.0
    families = np.array(["gaussian"] * 2 + ["multinomial"] * 4)
    with pytest.raises(ValueError, match="row 321, column 4"):
        count(X, np.ones((500, 2), np.int8), None, families, Smoothing())
