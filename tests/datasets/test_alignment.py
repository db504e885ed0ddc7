"""Labels in the wrong columns: found, moved back, and nothing else touched."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.datasets import Dataset, find_shift, load, realigned


def sound(n=600, d=6, L=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * (rng.random((n, d)) < 0.7)
    Y = (rng.random((n, L)) < rng.permutation(np.linspace(0.03, 0.6, L))).astype(np.int8)
    return Dataset(X, Y)


def shifted(data, k, half):
    """The data with the labels of one half k columns too early."""
    both = np.hstack([data.X, data.Y])
    d, rows = data.X.shape[1], slice(0, 300) if half == 0 else slice(300, 600)
    moved = np.hstack([data.X[rows, : d - k], data.Y[rows], np.zeros((300, k))])
    both[rows] = moved
    return Dataset(both[:, :d], both[:, d:])


@pytest.mark.parametrize(("k", "half"), [(1, 0), (1, 1), (3, 1), (5, 0)])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_a_shift_is_found_and_undone(k, half, store):
    data = sound()
    broken = shifted(data, k, half)
    broken = Dataset(store(broken.X), broken.Y)
    shift = find_shift(broken)
    assert (shift.start, shift.stop, shift.columns) == (300 * half, 300 * half + 300, k)
    mended = realigned(broken, shift)
    np.testing.assert_array_equal(mended.Y, data.Y)
    X = mended.X.toarray() if sp.issparse(mended.X) else mended.X
    kept = np.ones((600, 6), bool)
    kept[shift.start : shift.stop, 6 - k :] = False
    np.testing.assert_array_equal(X, np.where(kept, data.X, 0.0))


def test_sound_data_are_left_alone():
    """Red if different halves alone, without labels among the features, count as a shift."""
    assert find_shift(sound()) is None
    other = sound(seed=1)
    halves = sound()
    halves.Y[300:] = other.Y[300:, ::-1]
    assert find_shift(halves) is None
    assert find_shift(Dataset([[1.0]], [[1, 0]])) is None


def test_the_registry_warns_repairs_or_keeps(data_folder):
    """The public file of subset 1 has 1028 sets as given, 811 repaired."""
    with pytest.warns(UserWarning, match="rows 3000 to 5999 stand 1 columns too early"):
        given = load("rcv1subset1")
    assert given.statistics().distinct_sets == 1028
    assert load("rcv1subset1", repair=True).statistics().distinct_sets == 811
