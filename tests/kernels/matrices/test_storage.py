"""From one storage to the other."""

import numpy as np
import scipy.sparse as sp

from setwise.kernels.matrices import (
    as_matrix,
    first_cell,
    match_storage,
    missing_cells,
    share_storage,
    stored_values,
    with_values,
)

X = np.array([[0.0, np.nan, 2.0], [-1.0, 0.0, 0.0]])


def test_any_sparse_format_becomes_csr_and_anything_else_an_array():
    """Red if a list stays a list or a COO matrix reaches a kernel."""
    assert as_matrix(sp.coo_array(X)).format == "csr"
    assert isinstance(as_matrix(X.tolist()), np.ndarray)


def test_two_matrices_share_a_storage_that_is_sparse_only_if_both_are():
    """Red if scikit-learn is given one sparse and one dense label matrix."""
    sparse = sp.csr_array(X)
    assert all(sp.issparse(M) for M in share_storage(sparse, sparse))
    assert not any(sp.issparse(M) for M in share_storage(sparse, X))
    assert sp.issparse(match_storage(sparse, sparse))
    assert not sp.issparse(match_storage(sparse, X))


def test_stored_values_can_be_replaced_in_place_of_the_old_ones():
    """Red if the values of a CSR go to other cells."""
    for M in (X, sp.csr_array(X)):
        doubled = with_values(M, 2.0 * stored_values(M))
        np.testing.assert_array_equal(doubled.toarray() if sp.issparse(doubled) else doubled, 2.0 * X)


def test_missing_and_first_wrong_cells_are_the_same_for_both_storages():
    """Red if an error names another cell for sparse data."""
    for M in (X, sp.csr_array(X)):
        assert first_cell(M, stored_values(M) < 0) == (1, 0)
        missing = missing_cells(M)
        assert (missing.toarray() if sp.issparse(missing) else missing).tolist() == [[0, 1, 0], [0, 0, 0]]
    assert missing_cells(np.zeros((2, 2))) is None
