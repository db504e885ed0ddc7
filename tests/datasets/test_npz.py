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
    """Red when a damaged file raises anything but ValueError ."""
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


def test_files_that_would_not_fit_are_refused_before_unpacking(tmp_path, monkeypatch):
    write_npz(Dataset(np.zeros((100, 10)), np.zeros((100, 2))), tmp_path / "big.npz")
    monkeypatch.setattr("setwise.datasets.npz.MAX_BYTES", 5000)
    with pytest.raises(ValueError, match="more than the 5000 allowed"):
        read_npz(tmp_path / "big.npz")


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_npz(tmp_path / "nothing.npz")
