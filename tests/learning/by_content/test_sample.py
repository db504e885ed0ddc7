import numpy as np
import pytest
import scipy.sparse as sp

from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.sample import sample_cells, sample_rows


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(5000, 3))


def test_samples_have_about_the_size_asked_for_and_follow_the_row(X):
    """Red if the sample depends on the order or the storage of rows, or a smaller one is not part of a larger."""
    rows = sample_rows(X, 1000)
    assert 900 < len(rows) < 1100
    order = np.random.default_rng(1).permutation(5000)
    assert np.array_equal(np.sort(order[sample_rows(X[order], 1000)]), rows)
    assert np.array_equal(sample_rows(sp.csr_array(X), 1000), rows)
    assert set(sample_rows(X, 300)) <= set(rows)


def test_folds_of_a_sample_are_even(X):
    """Red if the sample takes its rows from some folds only."""
    fold = row_folds(X[sample_rows(X, 600)])
    assert np.bincount(fold, minlength=3).min() > 150


def test_copies_of_few_rows_leave_no_sample_empty():
    """Red if rows whose few hashes all lie above the threshold give no sample."""
    for seed in range(20):
        X = np.repeat(np.random.default_rng(seed).normal(size=(4, 2)), 1000, axis=0)
        rows = sample_rows(X, 100)
        assert len(rows) >= 100
        assert len(rows) % 1000 == 0


def test_cells_are_bounded_and_never_run_out(X):
    """Red if rows times classes exceed the limit, or copies of one row leave none."""
    which = np.arange(5000) % 700
    rows = sample_cells(X, which, 100_000)
    assert 0 < len(rows) * len(np.unique(which[rows])) <= 100_000
    assert len(sample_cells(X, which, 5000 * 700)) == 5000
    assert len(sample_cells(np.zeros((50, 2)), np.arange(50), 10)) > 0
