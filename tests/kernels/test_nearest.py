"""The nearest rows are those that scikit-learn and SciPy find."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from setwise.kernels.nearest import BOOLEAN, METRICS, check_metric, nearest_rows

RNG = np.random.default_rng(0)
NAMES = {"minkowski": "euclidean", "l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock"}


@pytest.mark.parametrize("columns", [3, 40])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_nearest_have_the_smallest_distances(metric, columns, form):
    """Red if a distance is another one than SciPy's, or a nearer row is missed."""
    rows, X = (np.abs(RNG.normal(size=(n, columns))) for n in (300, 20))
    rows[RNG.random(rows.shape) < 0.3] = 0
    X[RNG.random(X.shape) < 0.3] = 0
    found = nearest_rows(form(X), form(rows), 7, metric)
    kind = np.bool_ if metric in BOOLEAN else np.float64
    truth = cdist(X.astype(kind), rows.astype(kind), NAMES.get(metric, metric))
    truth = np.where(np.isnan(truth), np.inf, truth)
    np.testing.assert_allclose(
        np.take_along_axis(truth, found, axis=1), np.sort(truth, axis=1)[:, :7], rtol=1e-9
    )


@pytest.mark.parametrize("columns", [2, 15, 16, 60])
def test_neighbours_of_the_rows_themselves(columns):
    """Red if a row is its own neighbour, or blocks of rows are put together wrongly."""
    rows = RNG.normal(size=(3000, columns))
    expected = NearestNeighbors(n_neighbors=5).fit(rows).kneighbors(return_distance=False)
    np.testing.assert_array_equal(nearest_rows(rows, rows, 5, others=True), expected)


def test_of_equally_near_rows_the_first_are_found():
    rows = np.repeat(np.eye(3), 5, axis=0)
    np.testing.assert_array_equal(nearest_rows(np.eye(3), rows, 5), np.arange(15).reshape(3, 5))
    np.testing.assert_array_equal(nearest_rows(np.zeros((1, 3)), rows, 4), [[0, 1, 2, 3]])


def test_far_away_rows_are_told_apart():
    """Red if products round away the differences of rows that are far from zero."""
    rows = 1e8 + np.arange(40.0)[:, None]
    np.testing.assert_array_equal(nearest_rows(rows, rows, 1)[:, 0], np.arange(40))


def test_numbers_that_overflow_find_some_neighbours():
    with np.errstate(all="ignore"):
        found = nearest_rows(np.full((2, 20), 1e300), RNG.normal(size=(9, 20)) * 1e200, 3)
    assert found.shape == (2, 3)
    assert all(len(set(row)) == 3 for row in found.tolist())


def test_all_rows_can_be_asked_for():
    rows = RNG.normal(size=(6, 2))
    assert sorted(nearest_rows(rows[:1], rows, 6)[0].tolist()) == list(range(6))


def test_functions_are_metrics_too():
    rows, X = RNG.normal(size=(30, 4)), RNG.normal(size=(5, 4))
    own = nearest_rows(X, rows, 3, lambda a, b: float(np.abs(a - b).max()))
    np.testing.assert_array_equal(own, nearest_rows(X, rows, 3, "chebyshev"))


def test_unknown_metrics_are_named():
    with pytest.raises(ValueError, match="metric is 'far'; expected one of minkowski, euclidean"):
        check_metric("far")
