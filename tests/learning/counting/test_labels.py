import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.learning.counting.labels import LabelCounts


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(loc=3.0, size=(60, 4)), rng.integers(0, 2, (60, 5), np.int8)


def test_equations_10_and_11(rows):
    _, Y = rows
    counts = LabelCounts.of(Y)
    assert_allclose(np.exp(counts.log_labels(1.0)), (counts.labels + 1) / (60 + 5))
    assert_allclose(np.exp(counts.log_sizes(1.0)), (counts.sizes + 1) / (60 + 6))
    given = np.exp(counts.log_label_given_label(1.0))
    for y in range(5):
        for j in range(5):
            if j != y:
                assert given[j, y] == pytest.approx((counts.pairs[y, j] + 1) / (counts.labels[y] + 5 - 1))
    size_given = np.exp(counts.log_size_given_label(1.0))
    assert_allclose(size_given, ((counts.label_sizes + 1) / (counts.labels[:, None] + 6)).T)


def test_nothing_seen_is_finite_where_labels_must_be_ranked():
    counts = LabelCounts.of(np.array([[1, 0, 0], [0, 1, 0]], np.int8))
    assert counts.log_labels(0.0)[2] == -np.inf
    assert np.isfinite(counts.log_label_given_label(0.0)).all()
    assert np.isfinite(counts.log_size_given_label(0.0)).all()


def test_sizes_never_seen():
    """Red if a size that no row has is impossible, or one possible that needs labels no row has."""
    counts = LabelCounts.of(np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]], np.int8))
    assert_allclose(np.exp(counts.log_sizes(1.0)), [1 / 8, 3 / 8, 1 / 8, 2 / 8, 0])
    assert_allclose(np.exp(counts.log_sizes(0.0)), [0, 2 / 3, 0, 1 / 3, 0])
    assert counts.nearest_sizes().tolist() == [1, 1, 1, 3, 3]
