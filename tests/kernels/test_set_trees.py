"""Randomized trees over label sets: the compiled kernels against their twins, and against what a tree must be."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import kernels
from setwise.kernels import implementation, reference
from setwise.kernels.bins import RowBins
from setwise.kernels.matrices import true_columns
from setwise.kernels.set_trees import SetTrees, SparseTargets

compiled = pytest.mark.skipif(
    not kernels.COMPILED, reason="built without a compiler: only the NumPy twins exist"
)


def data(seed=0, n=150, d=6, L=4, *, sparse=False):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1) * (rng.random((n, d)) < 0.4 if sparse else 1.0)
    Y = (rng.random((n, L)) < 1 / (1 + np.exp(-2 * X[:, :L]))).astype(np.int8)
    return X, Y


def arguments(X, Y, *, weights=None, n_trees=3, n_draws=3):
    rng = np.random.default_rng(1)
    bins, (places, bounds) = RowBins.of(X), true_columns(Y == 1)
    classes = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    targets = SparseTargets(
        bounds.astype(np.int64), places.astype(np.int32), np.ones(len(places)), Y.shape[1]
    )
    weights = np.ones(len(Y)) if weights is None else weights
    bag = rng.random((n_trees, len(Y))) < 0.6
    return bins, targets, classes, weights, bag, np.arange(n_trees, dtype=np.uint64), n_draws


def raw(module, X, Y, **options):
    bins, targets, classes, weights, bag, seeds, n_draws = arguments(X, Y, **options)
    rows = bins.codes, bins.columns, bins.bounds, bins.absent, *targets, classes.astype(np.int32)
    return module.grow_set_trees(*rows, weights, bag.astype(np.uint8), seeds, n_draws)


def grow(X, Y, **options):
    return SetTrees.grow(*arguments(X, Y, **options))


@compiled
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_trees_equal_their_twins(sparse):
    """Red if a drawn feature or place, a gain, a tie or the order of the rows differs."""
    for seed in range(8):
        X, Y = data(seed, sparse=sparse)
        weights = np.random.default_rng(seed).integers(1, 4, len(Y)).astype(float) if seed % 2 else None
        X = sp.csr_array(X) if sparse else X
        for ours, theirs in zip(
            raw(implementation, X, Y, weights=weights), raw(reference, X, Y, weights=weights)
        ):
            np.testing.assert_array_equal(ours, theirs)


def test_storage_changes_no_tree():
    """Red if columns that no row of a node lists are drawn, or zeros are binned otherwise."""
    X, Y = data(sparse=True)
    for ours, theirs in zip(grow(X, Y), grow(sp.csr_array(X), Y)):
        np.testing.assert_array_equal(ours, theirs)


def test_the_order_of_rows_changes_no_tree():
    """Red if anything is drawn by the place of a row: only the order inside a leaf may differ."""
    X, Y = data()
    order = np.random.default_rng(2).permutation(len(Y))
    bins, targets, classes, weights, bag, seeds, n_draws = arguments(X, Y)
    here = SetTrees.grow(bins, targets, classes, weights, bag, seeds, n_draws)
    bins, targets, classes, weights, _, seeds, n_draws = arguments(X[order], Y[order])
    there = SetTrees.grow(bins, targets, classes, weights, bag[:, order], seeds, n_draws)
    for name in ("feature", "threshold", "left", "begin", "end", "weight"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))


def test_rows_end_in_the_leaf_that_holds_them():
    """Red if a threshold does not part rows as their bins do, or a row is lost."""
    X, Y = data()
    X[::7, 0] = np.nan
    trees, bag = grow(X, Y), arguments(X, Y)[4]
    leaves = trees.leaves(X)
    for t in range(len(trees.root)):
        for row in np.flatnonzero(bag[t]):
            leaf = leaves[row, t]
            assert trees.feature[leaf] == -1
            assert row in trees.member[trees.begin[leaf] : trees.end[leaf]]


def test_leaves_are_of_one_label_set():
    """Red if growth stops early, with features left that part the rows."""
    X, Y = data(d=8)
    trees = grow(X, Y)
    for leaf in np.flatnonzero(trees.feature < 0):
        rows = trees.member[trees.begin[leaf] : trees.end[leaf]]
        assert len(np.unique(Y[rows], axis=0)) == 1 or len(np.unique(X[rows], axis=0)) == 1


def test_the_best_of_all_features_is_taken():
    """Red if the gain has the wrong sign: a label that equals a feature is parted by it at the root."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 5)).astype(float)
    trees = grow(X, X[:, [3]].astype(np.int8), n_draws=5)
    assert (trees.feature[trees.root] == 3).all()


@pytest.mark.parametrize("least", [2.0, 5.0, 20.0, 1000.0])
def test_pruned_trees_answer_as_the_ancestors_do(least):
    """Red if a node is cut off whose members are needed, or a row stays too deep."""
    X, Y = data()
    trees, new = grow(X, Y), data(5)[0]
    shares = trees.shares(trees.leaves(new, least), len(Y))
    pruned = trees.pruned(least)
    assert pruned.is_sound(X.shape[1], len(Y))
    np.testing.assert_allclose(pruned.shares(pruned.leaves(new), len(Y)), shares)
    assert len(pruned.feature) < len(trees.feature)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_shares_are_means_over_the_trees_that_count():
    """Red if a skipped tree takes part, or a weight counts for nothing."""
    X, Y = data()
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    trees = grow(X, Y, weights=weights)
    leaves = trees.leaves(X[:5], 10.0)
    leaves[0, 1], leaves[1] = -1, -1
    expected = np.zeros((5, len(Y)))
    for row in range(5):
        counted = leaves[row][leaves[row] >= 0]
        for leaf in counted:
            rows = trees.member[trees.begin[leaf] : trees.end[leaf]]
            expected[row, rows] += weights[rows] / weights[rows].sum() / len(counted)
    np.testing.assert_allclose(trees.shares(leaves, len(Y)), expected, atol=1e-12)


def test_joined_trees_answer_as_the_parts_do():
    """Red if nodes or members of the second part are numbered wrongly."""
    X, Y = data()
    one, two = grow(X, Y, n_trees=2), grow(X, Y, n_trees=3)
    both = SetTrees.joined([one, two])
    mean = (2 * one.shares(one.leaves(X), len(Y)) + 3 * two.shares(two.leaves(X), len(Y))) / 5
    np.testing.assert_allclose(both.shares(both.leaves(X), len(Y)), mean, atol=1e-12)


def test_damaged_trees_are_not_sound():
    """Red if a file could make a walk run in circles or read outside."""
    X, Y = data()
    trees = grow(X, Y)
    assert trees.is_sound(6, len(Y))
    assert not trees.is_sound(3, len(Y))
    assert not trees._replace(left=np.zeros_like(trees.left)).is_sound(6, len(Y))
    assert not trees._replace(end=trees.end + np.int32(1)).is_sound(6, len(Y))
    assert not trees._replace(weight=trees.weight * 0).is_sound(6, len(Y))
