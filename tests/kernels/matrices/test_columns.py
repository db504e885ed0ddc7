"""Columns of a matrix: the same for both storages."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.kernels.matrices import (
    append_columns,
    column_extremes,
    column_moments,
    divide_columns,
    stored_columns,
    take_columns,
)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(60, 5)) * [1, 10, 1e-3, 1, 1] + [0, 5, 0, 0, 0]
    words = (rng.random((60, 4)) < [0.3, 0.1, 0.05, 0.0]).astype(float)
    return np.hstack([dense, words])


def test_moments_match_numpy_and_survive_the_largest_numbers(X):
    weights = np.random.default_rng(1).random(60)
    moments = column_moments(X, weights)
    mean = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(moments.mean, mean, atol=1e-12)
    np.testing.assert_allclose(
        moments.deviation, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    )
    huge = column_moments(X * 1e300, weights)
    np.testing.assert_allclose(huge.deviation / 1e300, moments.deviation, rtol=1e-9)
    for a, b in zip(column_moments(sp.csr_array(X), weights), moments):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_a_large_offset_hides_no_column():
    """Red if seconds since 1970 count as a constant."""
    t = np.random.default_rng(0).uniform(0, 100, 600)
    np.testing.assert_allclose(column_moments((1.7e9 + t)[:, None]).deviation, t.std(), rtol=1e-6)
    assert column_moments(np.full((600, 1), 0.1)).deviation == 0.0


def test_every_operation_gives_the_same_for_both_storages(X):
    """Red if a storage rounds otherwise, loses a column or changes its order."""
    both, divisors = (X, sp.csr_array(X)), np.array([3.0, 7.0, 0.1, 1e300, np.inf, 2.0, 3.0, 4.0, 5.0])
    for operation in (
        lambda M: divide_columns(M, divisors),
        lambda M: append_columns(M, np.eye(60)[:, :2]),
        lambda M: take_columns(M, np.array([7, 2])),
    ):
        dense, sparse = map(operation, both)
        assert sp.issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), dense)
    for of_dense, of_sparse in zip(*map(column_extremes, both)):
        np.testing.assert_array_equal(of_dense, of_sparse)


def test_stored_columns_and_zeros_make_the_matrix(X):
    """Red if a stored value is given to another row, or a duplicate entry is not added."""
    twice = sp.csr_array((np.ones(2), [1, 1], [0, 2]), shape=(1, 3))
    for M in (X, sp.csr_array(X), twice):
        made = np.zeros(M.shape)
        for j, (rows, values) in enumerate(stored_columns(M)):
            made[rows, j] = values
        np.testing.assert_array_equal(made, M.toarray() if sp.issparse(M) else M)
