import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.datasets import (
    GroupedStratification,
    InputError,
    grouped_train_test_split,
    temporal_train_test_split,
)


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_groups_stay_whole_and_every_row_is_tested_once(n_splits, seed):
    rng = np.random.default_rng(seed)
    n = 60
    groups, Y = rng.integers(0, 12, n), rng.integers(0, 2, (n, 3))
    if len(np.unique(groups)) < n_splits:
        return
    fold = np.full(n, -1)
    for f, (train, test) in enumerate(GroupedStratification(n_splits, random_state=0).split(Y, Y, groups)):
        assert not set(groups[train]) & set(groups[test])
        fold[test] = f
    assert (fold >= 0).all()


def test_sizes_and_labels_are_balanced():
    """Red if groups are dealt without looking at their labels."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 200, 2000)
    Y = (rng.random((200, 4)) < 0.3).astype(int)[groups]
    train, test = grouped_train_test_split(Y, groups, test_size=0.25, random_state=0)
    assert abs(len(test) / 2000 - 0.25) < 0.02
    assert np.abs(Y[train].mean(axis=0) - Y[test].mean(axis=0)).max() < 0.03


def test_the_latest_rows_are_the_test():
    times = np.random.default_rng(0).integers(0, 20, 100)
    train, test = temporal_train_test_split(times, test_size=0.3)
    assert times[train].max() < times[test].min()
    assert 0.25 <= len(test) / 100 <= 0.4
    assert len(train) + len(test) == 100


def test_what_cannot_be_split_is_named():
    with pytest.raises(InputError, match="all rows have the same time"):
        temporal_train_test_split([1, 1, 1])
    with pytest.raises(InputError, match="1 groups cannot be split into 2 parts"):
        grouped_train_test_split(np.eye(3), ["a"] * 3)
    with pytest.raises(InputError, match="2 groups for 3 rows"):
        grouped_train_test_split(np.eye(3), ["a", "b"])
    with pytest.raises(ValueError, match="groups are needed"):
        next(GroupedStratification(2).split(np.eye(3), np.eye(3)))
