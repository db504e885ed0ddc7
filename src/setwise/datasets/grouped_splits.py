"""Splits that keep groups of rows together, or put the latest rows last.

Rows of one person, building or conversation resemble each other. If some are in the training part and some in the test
part, scores are too good; the same holds if a model is judged on rows that are older than those it was fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from setwise.arrays import Array
from setwise.datasets.splits import labels_on
from setwise.errors import InputError, Parameter
from setwise.kernels.matrices import to_dense


class GroupedStratification(BaseCrossValidator):
    """K folds of nearly equal sizes and label proportions, for use as ``cv``; all rows of a group are in one fold.

    Parameters
    ----------
    n_splits : int
    random_state : int, RandomState or None
        Seed of the order of groups of the same size.

    Examples
    --------
    >>> Y = np.repeat([[1, 0], [0, 1]], 4, axis=0)
    >>> groups = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> [test.tolist() for _, test in GroupedStratification(2, random_state=0).split(Y, Y, groups)]
    [[0, 1, 6, 7], [2, 3, 4, 5]]
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        if n_splits < 2:
            raise InputError("expected at least 2 folds", parameter=Parameter("n_splits", n_splits))
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Ignored; scikit-learn passes them.

        Returns
        -------
        int

        Examples
        --------
        >>> GroupedStratification(3).get_n_splits()
        3
        """
        return self.n_splits

    def _iter_test_indices(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Array]:
        if groups is None:
            raise ValueError("groups are needed: pass them as the third argument of split")
        shares = np.full(self.n_splits, 1.0 / self.n_splits)
        fold = deal_groups(y, groups, shares, check_random_state(self.random_state))
        for f in range(self.n_splits):
            yield np.flatnonzero(fold == f)


def grouped_train_test_split(
    Y: Any, groups: Any, *, test_size: float = 0.25, random_state: Any = None
) -> tuple[Array, Array]:
    """Split rows into a training and a test part with nearly equal label proportions and no group in both.

    Parameters
    ----------
    Y : label sets of shape (n, L)
    groups : sequence of n names
    test_size : float
        Share of the rows in the test part, nearly.
    random_state : int, RandomState or None

    Returns
    -------
    tuple of two arrays
        Numbers of the training rows and of the test rows.

    Examples
    --------
    >>> train, test = grouped_train_test_split(np.eye(4), ["a", "a", "b", "b"], test_size=0.5, random_state=0)
    >>> train.tolist(), test.tolist()
    ([2, 3], [0, 1])
    """
    if not 0.0 < test_size < 1.0:
        raise InputError("expected a share between 0 and 1", parameter=Parameter("test_size", test_size))
    fold = deal_groups(Y, groups, np.array([1.0 - test_size, test_size]), check_random_state(random_state))
    return np.flatnonzero(fold == 0), np.flatnonzero(fold == 1)


def deal_groups(Y: Any, groups: Any, shares: Array, rng: np.random.RandomState) -> Array:
    """Fold (n,) of every row: large groups first, each to the fold that lacks most of its rows and labels."""
    on = to_dense(labels_on(Y)).astype(np.float64)
    _, group = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    if len(group) != len(on):
        raise InputError(f"{len(group)} groups for {len(on)} rows", parameter="groups")
    n_groups = int(group.max(initial=-1)) + 1
    if n_groups < len(shares):
        raise InputError(f"{n_groups} groups cannot be split into {len(shares)} parts", parameter="groups")
    counts = np.zeros((n_groups, on.shape[1] + 1))
    np.add.at(counts, group, np.column_stack([np.ones(len(on)), on]))
    totals = np.maximum(counts.sum(axis=0), 1.0)
    left, folds = np.outer(shares, np.ones(len(totals))), np.empty(n_groups, dtype=np.intp)
    for place in np.lexsort([rng.permutation(n_groups), -counts[:, 0]]):
        part = counts[place] / totals
        # The squared distance from what each fold should have falls most where most is missing.
        gain = ((left - part) ** 2 - left**2).sum(axis=1)
        folds[place] = int(np.argmin(gain))
        left[folds[place]] -= part
    return folds[group]


def temporal_train_test_split(times: Any, *, test_size: float = 0.25) -> tuple[Array, Array]:
    """Split rows so that every test row is later than all training rows.

    Parameters
    ----------
    times : array of n numbers or dates
        Rows of one time stay together.
    test_size : float
        Share of the rows in the test part, at least.

    Returns
    -------
    tuple of two arrays
        Numbers of the training rows and of the test rows.

    Examples
    --------
    >>> train, test = temporal_train_test_split([2020, 2023, 2021, 2022], test_size=0.5)
    >>> train.tolist(), test.tolist()
    ([0, 2], [1, 3])
    """
    when = np.asarray(times)
    if not 0.0 < test_size < 1.0:
        raise InputError("expected a share between 0 and 1", parameter=Parameter("test_size", test_size))
    if len(when) < 2 or (when == when[0]).all():
        raise InputError("all rows have the same time; they cannot be split by it", parameter="times")
    first = np.sort(when)[max(int(np.floor(len(when) * (1.0 - test_size))), 1)]
    if (when >= first).all():
        first = np.unique(when)[1]
    return np.flatnonzero(when < first), np.flatnonzero(when >= first)
