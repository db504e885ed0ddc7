import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from setwise.datasets import Dataset, read_npz, write_npz


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_round_trip(tmp_path, form):
    rng = np.random.default_rng(0)
    X, Y = rng.poisson(0.3, (9, 4)).astype(np.float32), rng.integers(0, 2, (9, 3))
    data = Dataset(form(X), form(Y), list("abcd"), ["ä", "b c", "{}"], split=rng.random(9) < 0.5)
    write_npz(data, tmp_path / "toy.npz")
    back = read_npz(tmp_path / "toy.npz")
    assert sparse.issparse(back.X) == sparse.issparse(data.X)
    assert np.array_equal(form(back.X).todense() if sparse.issparse(back.X) else back.X, X)
    assert np.array_equal(back.Y.toarray() if sparse.issparse(back.Y) else back.Y, Y)
    assert (back.label_names, back.feature_names, back.name) == (data.label_names, data.feature_names, "toy")
    assert np.array_equal(back.split, data.split)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("npz") / "toy.npz"
    write_npz(Dataset(sparse.eye_array(5).tocsr(), np.eye(5)), path)
    return path.read_bytes()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_files_are_refused_as_such(stored, tmp_path_factory, data):
    """Red if a damaged file raises anything but ValueError ."""
    damaged = bytearray(stored)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))] or b"")
    with contextlib.suppress(ValueError):
        read_npz(path)


def test_missing_parts_are_named(tmp_path):
    np.savez(tmp_path / "odd.npz", X=np.zeros((2, 2)), Y_data=np.zeros(0))
    with pytest.raises(ValueError, match="neither Y nor Y_indices"):
        read_npz(tmp_path / "odd.npz")


def test_arrays_beyond_the_limit_are_refused_before_unpacking(tmp_path, set_limits):
    write_npz(Dataset(np.zeros((100, 10)), np.zeros((100, 2))), tmp_path / "big.npz")
    set_limits(array_bytes=5000, expansion=2)
    with pytest.raises(ValueError, match="more than the 5000 allowed"):
        read_npz(tmp_path / "big.npz")


CSR = {"X_data": [1.0], "X_indices": [0], "X_indptr": [0, 1], "X_shape": [1, 2], "Y": [[1]]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X_indices": [0.5]}, "X_indices holds float64 of shape .1,.; expected a row of integers"),
        ({"X_indptr": [0.0, 1.0]}, "X_indptr holds float64"),
        ({"X_shape": [1.0, 2.0]}, "X_shape holds float64"),
        ({"X_indices": [[0]]}, "X_indices holds int64 of shape .1, 1."),
        ({"X_shape": [1, 2, 3]}, "X_shape does not fit the 2 entries of X_indptr"),
        ({"X_shape": [7, 2]}, "X_shape does not fit"),
        ({"X_shape": [1, 10**12]}, "X has 1000000000000 columns, more than the 1048576 allowed"),
        ({"X_indices": [5]}, "not a data set"),
        ({"X_indices": [-1]}, "not a data set"),
        ({"label_names": [3]}, "label_names holds int64; expected text"),
        ({"X_data": [1j]}, "array X_data holds complex128; expected numbers"),
    ],
)
def test_parts_of_other_types_or_sizes_are_named(tmp_path, change, message):
    """Red if indices that are not whole numbers are rounded, or a declared shape decides what is allocated."""
    np.savez(tmp_path / "odd.npz", **{name: np.array(part) for name, part in (CSR | change).items()})
    with pytest.raises(ValueError, match=message):
        read_npz(tmp_path / "odd.npz")


def test_the_csr_parts_themselves_are_read(tmp_path):
    np.savez(tmp_path / "good.npz", **{name: np.array(part) for name, part in CSR.items()})
    assert read_npz(tmp_path / "good.npz").X.toarray().tolist() == [[1, 0]]


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_npz(tmp_path / "nothing.npz")
