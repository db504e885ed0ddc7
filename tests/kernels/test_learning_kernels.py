"""The compiled halves of the learners against their NumPy twins, and against themselves on other thread counts."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import kernels
from setwise.contract import FREE
from setwise.kernels import implementation, reference

compiled = pytest.mark.skipif(
    not kernels.COMPILED, reason="built without a compiler: only the NumPy twins exist"
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    n, B, T, G = 700, 9, 4, 3
    return {
        "z": rng.normal(size=(n, B)) * 20,
        "d": rng.normal(size=(n, B)),
        "t": rng.random(B),
        "targets": np.where(rng.random((n, T)) < 0.2, FREE, rng.random((n, T))),
        "target": rng.integers(0, T, B).astype(np.int32),
        "weights": rng.random((n, G)) * (rng.random((n, G)) < 0.8),
        "weight": rng.integers(0, G, B).astype(np.int32),
    }


def run_logistic(module, rows, dtype=np.float64):
    z, d = rows["z"].astype(dtype), rows["d"].astype(dtype)
    out = np.full_like(z, np.nan), np.full_like(z, np.nan)
    targets, weights = rows["targets"].astype(dtype), rows["weights"].astype(dtype)
    picks = targets, rows["target"], weights, rows["weight"]
    return (module.logistic_step(z, d, rows["t"], *picks, *out), *out)


@compiled
@pytest.mark.parametrize(("dtype", "tol"), [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("in_order", [True, False])
def test_logistic_step_equals_its_twin(rows, dtype, tol, weighted, in_order):
    """Red if exp or log1p of vecmath.h lose digits, a column is picked wrongly, or an unknown target counts."""
    if in_order:
        rows["targets"], rows["target"] = rows["targets"][:, rows["target"]], np.arange(9, dtype=np.int32)
    if not weighted:
        rows["weights"], rows["weight"] = np.empty((len(rows["z"]), 0)), np.zeros(9, np.int32)
    for ours, twin in zip(run_logistic(implementation, rows, dtype), run_logistic(reference, rows, dtype)):
        np.testing.assert_allclose(ours, twin, rtol=tol, atol=tol)


def test_logistic_step_is_finite_at_extreme_scores(rows):
    """Red if a score of 1e300 turns into inf - inf."""
    rows["z"][0], rows["z"][1], rows["d"][:2] = 1e300, -1e300, 0.0
    assert all(np.isfinite(part).all() for part in run_logistic(implementation, rows))


@compiled
def test_results_do_not_depend_on_the_number_of_threads(rows):
    """Red if partial sums are added in the order in which threads finish."""
    results = []
    for n_threads in (1, 2, 5):
        kernels.set_threads(n_threads)
        results.append(run_logistic(implementation, rows))
    kernels.set_threads(2)
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))


@compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_pairs", [0, 1, 4])
@pytest.mark.parametrize("widths", [[1] * 37, [37], [5, 1, 20, 11]], ids=["columns", "one", "groups"])
def test_lbfgs_direction_equals_its_twin(widths, n_pairs, dtype):
    """Red if a dot product runs over the columns of another problem, or a pair is met before the last is taken away."""
    rng = np.random.default_rng(1)
    m, D, C, B = 5, 300, 37, len(widths)
    gradient, coef, rho = rng.normal(size=(D, C)), rng.normal(size=(D, C)), rng.normal(size=(m, B)) / D
    pairs = rng.normal(size=(2, m, D, C)).astype(dtype)
    diagonal = rng.random(D), rng.random(C), rng.random(C), 7, rng.random(C)
    order, first = np.array([3, 4, 0, 1], np.int32)[:n_pairs], np.cumsum([0, *widths], dtype=np.int32)
    arguments = (gradient, *pairs, rho, order, coef, *diagonal, first)
    rounding = {"rtol": 1e-3, "atol": 1e-2} if dtype == np.float32 else {"rtol": 1e-8, "atol": 1e-9}
    for ours, twin in zip(implementation.lbfgs_direction(*arguments), reference.lbfgs_direction(*arguments)):
        assert ours.dtype == twin.dtype
        np.testing.assert_allclose(ours, twin, **rounding)


@compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lbfgs_update_equals_its_twin(dtype):
    """Red if the intercept is penalized, or the gradient before the step is lost before the change is written."""
    rng, D, C = np.random.default_rng(2), 50, 37
    results = []
    coef, gradient = rng.normal(size=(2, D, C))
    direction, product = rng.normal(size=(2, D, C)).astype(dtype)
    length, l2 = rng.random((2, C))
    for module in (implementation, reference):
        ours = coef.copy(), gradient.copy(), np.empty((D, C), dtype), np.empty((D, C), dtype)
        sums = module.lbfgs_update(ours[0], ours[1], direction, length, product, l2, 3, *ours[2:])
        results.append((sums, *ours))
    for ours, twin in zip(*results):
        np.testing.assert_allclose(ours, twin, rtol=1e-5 if dtype == np.float32 else 1e-12, atol=1e-12)


@compiled
def test_softmax_step_equals_its_twin():
    """Red if a problem meets the columns or the step of another, or one that was not asked for is touched."""
    rng = np.random.default_rng(2)
    z, d, h = rng.normal(size=(500, 7)) * 30, rng.normal(size=(500, 7)), rng.random((500, 7))
    first, which, t = np.array([0, 2, 3, 7], np.int32), np.array([0, 2], np.int32), np.array([0.7, 5.0, 0.1])
    ours, twin = ([np.full_like(z, 9.0), np.full_like(z, 9.0)] for _ in range(2))
    ours += implementation.softmax_step(z, d, t, h, first, which, *ours)
    twin += reference.softmax_step(z, d, t, h, first, which, *twin)
    for a, b in zip(ours, twin):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("width", [1, 3, 11, 22, 64, 159])
def test_csr_products_equal_dense_ones(dtype, index, width):
    """Red if a width between two parts of columns is left out or added twice, or what was there is lost."""
    rng = np.random.default_rng(3)
    X = sp.random(200, 50, 0.1, format="csr", random_state=0, dtype=dtype)
    B, out = rng.normal(size=(50, width)).astype(dtype), rng.normal(size=(200, width)).astype(dtype)
    expected = out + X.toarray() @ B
    implementation.csr_add_product(X.data, X.indices.astype(index), X.indptr.astype(index), B, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)


@compiled
def test_tree_sums_equal_their_twin():
    """Red if a row goes the wrong way at a threshold, or a tree adds to another column."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (300, 3)).astype(np.float64)
    feature = np.array([0, 1, -1, -1, -1, 2, -1, -1], np.int32)
    threshold = np.array([1.0, 2.0, 0, 0, 0, 0.0, 0, 0])
    left = np.array([1, 2, 0, 0, 0, 6, 0, 0], np.int32)
    right = np.array([4, 3, 0, 0, 0, 7, 0, 0], np.int32)
    value = rng.normal(size=8)
    trees = np.array([0, 5], np.int32), np.array([1, 0], np.int32)
    ours, twin = np.zeros((300, 2)), np.zeros((300, 2))
    implementation.tree_scores(X, feature, threshold, left, right, value, *trees, ours)
    reference.tree_scores(X, feature, threshold, left, right, value, *trees, twin)
    np.testing.assert_array_equal(ours, twin)
    np.testing.assert_array_equal(ours[:, 0], np.where(X[:, 2] <= 0, value[6], value[7]))
