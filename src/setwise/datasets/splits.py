"""Folds whose label proportions resemble those of the whole: iterative stratification.

Sechidis, Tsoumakas and Vlahavas, "On the stratification of multi-label data" (ECML PKDD 2011): assign the rows of the
rarest label first, each to the fold that lacks that label most. This version never overfills a fold, so fold sizes are
exact, and breaks ties by what the folds lack of the row's other labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing, check_random_state

from setwise.arrays import Array, Matrix
from setwise.errors import InputError, Parameter
from setwise.kernels.matrices import as_matrix, true_columns


class IterativeStratification(BaseCrossValidator):
    """K folds of equal size, up to one row, and nearly equal label proportions, for use as ``cv``.

    Parameters
    ----------
    n_splits : int
    shuffle : bool
        Assign the rows in random order; otherwise in the given order.
    random_state : int, RandomState or None
        Seed of the shuffle.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 0], [0, 1], [1, 1]], [6, 3, 3], axis=0)
    >>> for train, test in IterativeStratification(3).split(Y, Y):
    ...     print(Y[test].mean(axis=0))
    [0.75 0.5 ]
    [0.75 0.5 ]
    [0.75 0.5 ]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        if n_splits < 2:
            raise InputError("expected at least 2 folds", parameter=Parameter("n_splits", n_splits))
        if random_state is not None and not shuffle:
            hint = ("pass ", Parameter("shuffle", True))
            raise InputError("no effect without a shuffle", parameter="random_state", hint=hint)
        self.n_splits = n_splits
        self.shuffle = shuffle
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
        >>> IterativeStratification(3).get_n_splits()
        3
        """
        return self.n_splits

    def _iter_test_indices(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Array]:
        Y = labels_on(y)
        n_rows = Y.shape[0]
        if self.n_splits > n_rows:
            message = f"{n_rows} rows cannot be split into {self.n_splits} folds"
            raise InputError(message, parameter=Parameter("n_splits", self.n_splits))
        sizes = np.full(self.n_splits, n_rows // self.n_splits)
        sizes[: n_rows % self.n_splits] += 1
        fold = deal(Y, sizes, check_random_state(self.random_state) if self.shuffle else None)
        for f in range(self.n_splits):
            yield np.flatnonzero(fold == f)


def stratified_train_test_split(
    X: Any, Y: Any, *, test_size: float = 0.25, random_state: Any = None
) -> tuple[Any, Any, Any, Any]:
    """Split into training and test part with nearly equal label proportions.

    Parameters
    ----------
    X : array, CSR array or DataFrame of n rows
    Y : label sets of shape (n, L), dense, sparse or DataFrame
    test_size : float or int
        Share of the rows if below 1, otherwise the number of rows.
    random_state : int, RandomState or None

    Returns
    -------
    X_train, X_test, Y_train, Y_test

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 0], [0, 1]], [12, 4], axis=0)
    >>> _, _, Y_train, Y_test = stratified_train_test_split(Y, Y, random_state=0)
    >>> Y_test.sum(axis=0)
    array([3, 1])
    """
    rows = labels_on(Y)
    n_rows = rows.shape[0]
    n_test = round(test_size * n_rows) if test_size < 1 else int(test_size)
    if not 0 < n_test < n_rows:
        message = f"one of the two parts of {n_rows} rows is empty"
        raise InputError(message, parameter=Parameter("test_size", test_size))
    fold = deal(rows, np.array([n_rows - n_test, n_test]), check_random_state(random_state))
    train, test = np.flatnonzero(fold == 0), np.flatnonzero(fold == 1)
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
    return X_train, X_test, _safe_indexing(Y, train), _safe_indexing(Y, test)


def deal(on: Matrix, sizes: Array, rng: np.random.RandomState | None) -> Array:
    """Fold (n,) of every row of the boolean label sets ``on`` (n, L) such that fold f gets exactly ``sizes[f]`` rows.

    Repeatedly, the label with the fewest remaining rows is taken and its rows are assigned. In the end the rows without
    labels fill the folds.
    """
    n_rows, n_labels = on.shape
    order = np.arange(n_rows) if rng is None else rng.permutation(n_rows)
    labels_of = _slices(*true_columns(on))
    places, bounds = true_columns(on[order].T)
    rows_of = _slices(order[places], bounds)
    left = [len(rows) for rows in rows_of]
    hand = _Hand(sizes, np.outer(left, sizes / n_rows), n_rows)
    open_labels = [label for label in range(n_labels) if left[label]]
    while open_labels:
        label = min(open_labels, key=left.__getitem__)
        folds = range(len(sizes)) if rng is None else rng.permutation(len(sizes)).tolist()
        for row in rows_of[label]:
            if hand.fold[row] < 0:
                hand.give(row, label, labels_of[row], folds)
                for other in labels_of[row]:
                    left[other] -= 1
        open_labels = [label for label in open_labels if left[label]]
    fold = np.array(hand.fold)
    fold[order[fold[order] < 0]] = np.repeat(np.arange(len(sizes)), hand.room)
    return fold


class _Hand:
    """What each fold has and still needs; plain lists, because rows are assigned one at a time."""

    def __init__(self, sizes: Array, wants: Array, n_rows: int) -> None:
        self.room: list[int] = sizes.tolist()
        self.wants: list[list[float]] = wants.tolist()
        self.fold = [-1] * n_rows

    def give(self, row: int, label: int, labels: list[int], folds: Iterable[int]) -> None:
        """Assign a row to the fold with room that needs ``label`` most; ties: all of the row's labels, then rows."""
        wants, room, wanted = self.wants, self.room, self.wants[label]
        best = max(
            (f for f in folds if room[f]),
            key=lambda f: (wanted[f], sum([wants[j][f] for j in labels]), room[f]),
        )
        self.fold[row] = best
        room[best] -= 1
        for j in labels:
            wants[j][best] -= 1


def _slices(values: Array, bounds: Array) -> list[list[int]]:
    flat = values.tolist()
    return [flat[start:stop] for start, stop in zip(bounds.tolist(), bounds[1:].tolist())]


def labels_on(Y: Any) -> Matrix:
    """Mark the labels that are on; unknown labels count as off."""
    if Y is None:
        raise ValueError("the label sets are needed to stratify: pass Y as the second argument of split")
    Y = as_matrix(Y)
    if Y.ndim != 2:
        raise ValueError(
            f"Y has shape {Y.shape}; expected label sets (n, L). For one class per row use "
            "sklearn.model_selection.StratifiedKFold"
        )
    return Y == 1
