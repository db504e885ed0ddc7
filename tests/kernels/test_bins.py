"""Columns in bins: never on the wrong side of a threshold, dense or sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.kernels.bins import MAX_BINS, Bins


def columns():
    """Columns that are hard to cut: continuous, neighbouring floats, huge, tiny, single precision, counts."""
    rng = np.random.default_rng(0)
    n = 3000
    neighbours = 1.0 + np.spacing(1.0) * rng.integers(0, 5, n)
    return {
        "continuous": rng.normal(size=n),
        "neighbours": neighbours,
        "many neighbours": 1.0 + np.spacing(1.0) * np.arange(n),
        "huge": rng.choice([-1.7e308, 1.6e308, 1.7e308], n),
        "tiny": 5e-324 * rng.integers(-2, 3, n),
        "single": rng.normal(size=n).astype(np.float32),
        "counts": rng.geometric(0.3, n) * np.where(rng.random(n) < 0.2, rng.integers(1, 5000, n), 1),
        "constant": np.full(n, 0.1),
    }


def edges(bins, j):
    return bins.edges[bins.first[j] : bins.first[j + 1]]


@pytest.mark.parametrize("name", columns())
def test_a_value_is_in_a_bin_or_before_where_it_is_at_most_the_threshold(name):
    """Red if a value at a threshold is put behind it, or a threshold is rounded to the value above it, so that two
    values share a bin and another is empty."""
    column = columns()[name]
    bins = Bins.of(column[:, None])
    assert bins.sizes[0] == len(np.unique(bins.codes))
    assert bins.sizes[0] <= MAX_BINS
    for b, threshold in enumerate(edges(bins, 0)):
        np.testing.assert_array_equal(bins.codes[0] <= b, column <= threshold)


@pytest.mark.parametrize("n_values", [1, 2, MAX_BINS])
def test_few_values_have_a_bin_each_and_thresholds_midway(n_values):
    """Red if values share a bin while there are bins enough, or rows count more than values."""
    values = np.arange(n_values) * 2.0
    bins = Bins.of(np.repeat(values, [900] + [2] * (n_values - 1))[:, None])
    assert bins.sizes[0] == n_values
    np.testing.assert_array_equal(edges(bins, 0), values[:-1] + 1.0)


def test_many_values_share_bins_of_about_as_many_rows():
    """Red if bins are quantiles of the values instead of the rows: the common small counts would share one."""
    rng = np.random.default_rng(1)
    common, rare = np.repeat(np.arange(5.0), 2000), 5.0 + rng.permutation(2550)
    bins = Bins.of(np.concatenate([common, rare])[:, None])
    rows = np.bincount(bins.codes[0])
    assert (rows[:5] == 2000).all()
    assert rows[5:].max() <= 2 * len(bins.codes[0]) / MAX_BINS


@pytest.mark.parametrize("n_values", [4, 2000])
def test_sparse_columns_are_cut_as_dense_ones(n_values):
    """Red if the zeros that are not stored, or those that are, are not counted."""
    rng = np.random.default_rng(2)
    X = rng.integers(-n_values, n_values, (3000, 6)) * (rng.random((3000, 6)) < [0, 0.01, 0.3, 0.9, 1, 1])
    X[:, 5] = np.arange(3000) + 1
    sparse = sp.csr_array(X.astype(np.float64))
    sparse.data[::7] = 0.0
    for ours, dense in zip(Bins.of(sparse), Bins.of(sparse.toarray()), strict=True):
        np.testing.assert_array_equal(ours, dense)
