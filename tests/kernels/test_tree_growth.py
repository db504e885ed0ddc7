"""The compiled grower of trees against its NumPy twin, and on data whose best tree is known."""

import numpy as np
import pytest

from setwise import kernels
from setwise.kernels import implementation, reference

compiled = pytest.mark.skipif(
    not kernels.COMPILED, reason="built without a compiler: only the NumPy twins exist"
)
both = pytest.mark.parametrize(
    "module", [pytest.param(implementation, marks=compiled), reference], ids=["compiled", "twin"]
)


def data(n_bins, d=12, n=400, seed=0):
    """Codes (d, n) with ``n_bins`` at most, sizes, some of the rows, gradients of weighted labels."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_bins, (d, n)).astype(np.uint8)
    sizes = codes.max(axis=1).astype(np.int32) + 1
    rows = np.flatnonzero(rng.random(n) < 0.8)
    weights, p = rng.random(len(rows)) * (rng.random(len(rows)) < 0.9), rng.random(len(rows))
    y = rng.random(len(rows)) < 0.2 + 0.6 * (codes[0, rows] > n_bins // 2)
    return codes, sizes, rows, weights * (p - y), weights * p * (1.0 - p)


def grow(module, arrays, *, weights=None, seed=0, n_draws=3, max_leaves=8, min_weight=5, penalty=1.0):
    weights = np.ones(len(arrays[2])) if weights is None else weights
    return module.grow_tree(*arrays, weights, seed, n_draws, max_leaves, min_weight, penalty)


def assert_same(tree, other):
    for ours, theirs in zip(tree, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@compiled
@pytest.mark.parametrize("n_bins", [2, 7, 255])
@pytest.mark.parametrize(
    "limits", [{}, {"max_leaves": 3}, {"min_weight": 60}, {"n_draws": 12, "penalty": 0.01}], ids=str
)
def test_trees_equal_their_twins(n_bins, limits):
    """Red if a sum, a drawn feature, a tie, the order of the splits or a limit differs."""
    sizes = set()
    for seed in range(20):
        arrays = data(n_bins, seed=seed)
        weights = np.random.default_rng(seed).gamma(2.0, size=len(arrays[2])) if seed % 2 else None
        tree = grow(implementation, arrays, weights=weights, seed=seed, **limits)
        assert_same(tree, grow(reference, arrays, weights=weights, seed=seed, **limits))
        sizes.add(len(tree[0]))
    assert max(sizes) > 3


@compiled
def test_features_are_drawn_until_one_parts_the_rows():
    """Red if a node gives up when the drawn columns are constant, or nearly so, as columns of words are."""
    codes, _, rows, _, hessian = data(2, d=60)
    codes[:57] = 0
    codes[:57, 3] = 1
    codes[57:] = codes[57]
    arrays = codes, np.full(60, 2, np.int32), rows, codes[57, rows] - 0.5, hessian
    for seed in range(10):
        tree = grow(implementation, arrays, seed=seed, n_draws=1)
        assert tree[0][0] >= 57
        assert_same(tree, grow(reference, arrays, seed=seed, n_draws=1))


@both
def test_an_obvious_split_is_found(module):
    """Red if the sign of the gain is wrong, or the bin before or after the best one is taken."""
    codes, sizes, rows, _, hessian = data(9, d=4)
    gradient = np.where(codes[2, rows] <= 5, -1.0, 1.0)
    feature, last_left, left, right, steep, _ = grow(
        module, (codes, sizes, rows, gradient, np.ones_like(hessian)), n_draws=4
    )
    assert (feature[0], last_left[0], left[0], right[0]) == (2, 5, 1, 2)
    np.testing.assert_array_equal(steep[:3], [gradient.sum(), -(gradient < 0).sum(), (gradient > 0).sum()])


@both
def test_the_best_node_is_split_first(module):
    """Red if nodes are split level by level: of three leaves, two are of the side that is not yet pure."""
    codes = np.array([[0] * 40 + [1] * 40, [0, 1] * 40], np.uint8)
    gradient = np.where(codes[0] == 0, 0.1, np.where(codes[1] == 0, 1.0, 3.0))
    feature, _, left, _, _, _ = grow(
        module,
        (codes, np.array([2, 2], np.int32), np.arange(80), gradient, np.ones(80)),
        n_draws=2,
        max_leaves=3,
    )
    np.testing.assert_array_equal(feature, [0, -1, 1, -1, -1])
    assert left[2] == 3


@both
@pytest.mark.parametrize("case", ["constant columns", "few rows", "no rows", "no gradient"])
def test_where_nothing_can_be_split_the_root_is_a_leaf(module, case):
    """Red if a child may be empty, or a split may gain nothing."""
    codes, sizes, rows, gradient, hessian = data(5)
    if case == "constant columns":
        codes[:] = 3
    elif case == "no gradient":
        gradient[:] = 0.0
    else:
        few = slice(9 if case == "few rows" else 0)
        rows, gradient, hessian = rows[few], gradient[few], hessian[few]
    feature, _, left, _, steep, _ = grow(module, (codes, sizes, rows, gradient, hessian))
    assert feature.tolist() == [-1]
    assert left.tolist() == [-1]
    np.testing.assert_allclose(steep, [gradient.sum()], atol=1e-12)


@both
def test_leaves_have_rows_enough_and_the_sums_of_their_rows(module):
    """Red if a leaf has fewer rows than asked for, or a row is counted in the wrong one."""
    arrays = codes, _, rows, gradient, hessian = data(30)
    feature, last_left, left, right, steep, bent = grow(module, arrays, min_weight=40)
    number = np.zeros(codes.shape[1])
    module.add_tree(codes, feature, last_left, left, right, np.arange(len(feature)) * 1.0, number)
    at = number[rows].astype(int)
    leaves = np.flatnonzero(feature < 0)
    assert len(leaves) > 2
    assert np.bincount(at)[leaves].min() >= 40
    np.testing.assert_allclose(np.bincount(at, gradient)[leaves], steep[leaves], atol=1e-12)
    np.testing.assert_allclose(np.bincount(at, hessian)[leaves], bent[leaves], atol=1e-12)


@both
def test_a_row_of_weight_three_is_three_rows(module):
    """Red if leaves count rows: fewer splits would then be allowed where rows are weighted instead of repeated."""
    codes, sizes, rows, gradient, _ = data(30, n=40)
    gradient = np.round(gradient * 64) / 64  # sums of such numbers have no rounding to differ by
    hessian, weights = np.full(len(rows), 0.25), np.full(len(rows), 3.0)
    weighted = grow(module, (codes, sizes, rows, 3 * gradient, 3 * hessian), weights=weights)
    repeated = codes, sizes, *(np.repeat(a, 3) for a in (rows, gradient, hessian))
    assert_same(weighted, grow(module, repeated))
    assert len(weighted[0]) > len(grow(module, (codes, sizes, rows, 3 * gradient, 3 * hessian))[0])


@both
def test_rows_of_no_weight_move_no_split(module):
    """Red if rows count beside their weights: half of them, of no weight, lie on the other side."""
    codes, sizes, rows, _, _ = data(9, d=1)
    heavy = np.arange(len(rows)) % 2 == 0
    gradient = np.where(heavy, np.where(codes[0, rows] <= 3, -1.0, 1.0), 0.0)
    feature, last_left, *_ = grow(module, (codes, sizes, rows, gradient, heavy * 1.0), n_draws=1)
    assert (feature[0], last_left[0]) == (0, 3)


def test_the_seed_alone_decides():
    """Red if something drawn depends on the last call, or nothing on the seed."""
    arrays = data(255)
    first = [grow(implementation, arrays, seed=seed) for seed in range(8)]
    for seed, tree in enumerate(first):
        assert_same(tree, grow(implementation, arrays, seed=seed))
    assert len({tuple(tree[0]) for tree in first}) > 4


@compiled
def test_a_tree_adds_the_same_on_any_number_of_threads():
    """Red if a block starts at the wrong row or node, or a row stops at an inner node."""
    codes, sizes, rows, gradient, hessian = data(255, d=6, n=150_000)
    feature, last_left, left, right, steep, _ = grow(implementation, (codes, sizes, rows, gradient, hessian))
    start = np.random.default_rng(1).normal(size=codes.shape[1])
    twin = start.copy()
    reference.add_tree(codes, feature, last_left, left, right, steep, twin)
    for n_threads in (1, 2, 5):
        kernels.set_threads(n_threads)
        out = start.copy()
        implementation.add_tree(codes, feature, last_left, left, right, steep, out)
        np.testing.assert_array_equal(out, twin)
    kernels.set_threads(2)
