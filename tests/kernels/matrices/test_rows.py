"""Rows of a matrix: the same for both storages."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.blocks import BLOCK_BYTES
from setwise.kernels.matrices import (
    count_distinct_rows,
    dense_blocks,
    row_keys,
    row_lengths,
    true_columns,
    unit_rows,
)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 9)) * (rng.random((60, 9)) < 0.4)


def test_row_keys_depend_on_content_alone(X):
    keys = row_keys(X)
    assert len(np.unique(keys)) == len(np.unique(X, axis=0))
    assert np.array_equal(row_keys(sp.csr_array(X)), keys)
    assert np.array_equal(row_keys(X[::-1]), keys[::-1])


def test_lengths_and_unit_rows_are_the_same_for_both_storages(X):
    """Red if a storage rounds otherwise, or a row of zeros becomes NaN."""
    X[3] = 0.0
    np.testing.assert_allclose(row_lengths(X), np.linalg.norm(X, axis=1))
    np.testing.assert_array_equal(row_lengths(sp.csr_array(X)), row_lengths(X))
    np.testing.assert_array_equal(unit_rows(sp.csr_array(X)).toarray(), unit_rows(X))
    assert not unit_rows(X)[3].any()


def test_blocks_are_the_rows_within_the_budget():
    """Red if a row is lost, a block exceeds the budget, or a block is not float64 in row-major order."""
    X = np.asfortranarray(np.arange(3 * 2**20, dtype=np.float32).reshape(-1, 3))
    for M in (X, sp.csr_array(X)):
        blocks = list(dense_blocks(M, n_arrays=2))
        assert len(blocks) > 1
        assert all(
            b.flags.c_contiguous and b.dtype == np.float64 and 2 * b.nbytes <= BLOCK_BYTES for _, b in blocks
        )
        np.testing.assert_array_equal(np.concatenate([block for _, block in blocks]), X)


def test_true_columns_ignore_stored_zeros_and_order():
    """Red if an explicit False counts, or unsorted indices make equal rows differ."""
    on = sp.csr_array((np.array([True, True, False, True, True]), [2, 0, 1, 0, 2], [0, 2, 5]), shape=(2, 3))
    columns, bounds = true_columns(on)
    assert columns.tolist() == [0, 2, 0, 2]
    assert bounds.tolist() == [0, 2, 4]
    assert count_distinct_rows(on) == count_distinct_rows(on.toarray()) == 1


def test_lengths_and_unit_rows_survive_the_largest_numbers():
    """Red if squares overflow, X is changed in place, or single precision becomes double."""
    X = np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.7e308, 0.0, 1.7e308]])
    for form in (X, sp.csr_array(X)):
        np.testing.assert_allclose(row_lengths(form[:2]), [5.0, 0.0])
        unit = unit_rows(form)
        assert sp.issparse(unit) == sp.issparse(form)
        unit = unit.toarray() if sp.issparse(unit) else unit
        np.testing.assert_allclose(unit, [[0.6, 0.0, 0.8], [0, 0, 0], [0.5**0.5, 0.0, 0.5**0.5]], rtol=1e-6)
    assert X[0, 0] == 3.0
    assert unit_rows(X[:2].astype(np.float32)).dtype == np.float32
