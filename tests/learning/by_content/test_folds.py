import numpy as np
import scipy.sparse as sp

from setwise.learning.by_content.folds import row_folds


def features(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


def test_folds_are_of_about_equal_size_and_follow_the_row():
    """Red if a row's fold depends on its place, on the other rows, or on how X is stored."""
    X = features(3000)
    fold = row_folds(X, 5)
    assert np.abs(np.bincount(fold) - 600).max() < 80
    some = np.random.default_rng(1).permutation(3000)[:1000]
    assert np.array_equal(row_folds(X[some], 5), fold[some])
    assert np.array_equal(row_folds(sp.csr_array(X), 5), fold)
    assert np.array_equal(row_folds(X.astype(np.float32), 5), fold)


def test_few_rows_are_dealt_evenly():
    """Red if chance may leave a fold of a small table nearly empty."""
    for n in range(6, 40):
        for seed in range(10):
            sizes = np.bincount(row_folds(features(n, seed)), minlength=3)
            assert sizes.min() >= max(2, n / 6)


def test_copies_share_a_fold_and_do_not_count_as_rows():
    """Red if a copy of a training row can be validated on, or copies make up for too few rows."""
    X = np.repeat(features(200), 3, axis=0)
    fold = row_folds(X)
    assert (fold.reshape(200, 3) == fold[::3, None]).all()
    assert row_folds(np.repeat(features(5), 100, axis=0)) is None


def test_learners_inside_an_outer_fold_have_even_folds():
    """Red if rows outside one fold lack one of the folds made of them."""
    X = features(900)
    inside = X[row_folds(X, outer=True) != 0]
    assert np.bincount(row_folds(inside)).min() > 150
