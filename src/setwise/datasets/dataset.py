"""A multi-label data set in memory, and its statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import FREE, Bools, Matrix
from setwise.errors import InputError, quote_some
from setwise.kernels.matrices import as_matrix, count_distinct_rows, first_cell, stored_values, to_dense
from setwise.tables.encoder import TableEncoder
from setwise.tables.labels.tag_tables import LabelTable
from setwise.tables.schema import Schema


@dataclass(frozen=True)
class Statistics:
    """Statistics of a multi-label data set.

    Parameters
    ----------
    rows, features, labels : int
    cardinality : float
        Mean number of labels per row.
    density : float
        ``cardinality / labels``.
    distinct_sets : int
        Number of different label sets.
    imbalance : float
        Mean over the labels that occur of (rows of the most frequent label) / (rows of this label).
    rows_without_labels, labels_without_rows : int
    missing : int
        Cells of Y that are unknown.

    Examples
    --------
    >>> Dataset([[0.5], [1.5]], [[1, 0], [1, 1]]).statistics().cardinality
    1.5
    """

    rows: int
    features: int
    labels: int
    cardinality: float
    density: float
    distinct_sets: int
    imbalance: float
    rows_without_labels: int
    labels_without_rows: int
    missing: int

    def __str__(self) -> str:
        lines = [
            f"{self.rows} rows, {self.features} features, {self.labels} labels",
            f"cardinality {self.cardinality:.3f}, density {self.density:.4f}, imbalance {self.imbalance:.2f}",
            f"{self.distinct_sets} distinct label sets, {self.rows_without_labels} rows without labels",
        ]
        if self.labels_without_rows:
            lines.append(f"{self.labels_without_rows} labels that never occur")
        if self.missing:
            lines.append(f"{self.missing} label values missing")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features, label sets and their names; printing it shows its :class:`Statistics`.

    Parameters
    ----------
    X : array of shape (n, d) or CSR array
        Features; NaN marks a missing value.
    Y : array of shape (n, L) or CSR array
        Label sets, int8: 1 if the row has the label, 0 if not, -1 if it is unknown. CSR is kept as CSR.
    feature_names, label_names : sequence of str, optional
        ``x0``, ``x1``, ... and ``y0``, ``y1``, ... by default.
    split : array of bool of shape (n,), optional
        True for the rows of the official training part.
    name : str
    schema : Schema, optional
        How the file was read, if it was a table, ARFF or libsvm.
    encoder : TableEncoder, optional
        What made features of the columns of a table; it reads another one the same way.

    Examples
    --------
    >>> data = Dataset([[0.5], [1.5], [2.5]], [[1, 0], [1, 1], [0, 0]], label_names=["red", "round"],
    ...                split=[True, True, False], name="toy")
    >>> print(data)
    toy
    3 rows, 1 features, 2 labels
    cardinality 1.000, density 0.5000, imbalance 1.50
    3 distinct label sets, 1 rows without labels
    split: 2 rows for training, 1 for testing
    >>> data.test().X
    array([[2.5]])
    """

    X: Matrix
    Y: Matrix
    feature_names: Sequence[str] = ()
    label_names: Sequence[str] = ()
    split: Bools | None = None
    name: str = ""
    schema: Schema | None = None
    encoder: TableEncoder | None = None

    def __post_init__(self) -> None:
        X, Y = _matrix(self.X, "X"), _label_matrix(self.Y)
        if X.dtype.kind not in "fiub":
            raise ValueError(f"X holds {X.dtype}; expected numbers")
        if X.shape[0] != Y.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows but Y has {Y.shape[0]}; expected one label set per row"
            )
        values = {
            "X": X,
            "Y": Y,
            "feature_names": _names(self.feature_names, X.shape[1], "feature"),
            "label_names": _names(self.label_names, Y.shape[1], "label"),
            "split": _split(self.split, X.shape[0]),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Dataset({self.name!r}, rows={rows}, features={features}, labels={self.Y.shape[1]})"

    def __str__(self) -> str:
        lines = [self.name] if self.name else []
        lines.append(str(self.statistics()))
        if self.split is not None:
            n_train = int(self.split.sum())
            lines.append(f"split: {n_train} rows for training, {len(self.split) - n_train} for testing")
        return "\n".join(lines)

    def take(self, rows: npt.ArrayLike) -> Dataset:
        """Take some rows; the result has no official split.

        Parameters
        ----------
        rows : array of int or bool
            Indices or a mask.

        Returns
        -------
        Dataset

        Examples
        --------
        >>> Dataset([[0.5], [1.5]], [[1, 0], [1, 1]]).take([1]).Y
        array([[1, 1]], dtype=int8)
        """
        rows = np.asarray(rows)
        return replace(self, X=self.X[rows], Y=self.Y[rows], split=None)

    def with_features(self, names: Sequence[str]) -> Dataset:
        """Take some features by name, in this order.

        Parameters
        ----------
        names : sequence of str

        Returns
        -------
        Dataset

        Raises
        ------
        InputError
            If a feature is missing, or two have the same name.

        Examples
        --------
        >>> data = Dataset([[1.0, 2.0]], [[1]], ["size", "weight"])
        >>> data.with_features(["weight", "size"]).X
        array([[2., 1.]])
        """
        if list(names) == list(self.feature_names):
            return self
        place = {name: column for column, name in enumerate(self.feature_names)}
        missing = [name for name in names if name not in place]
        if missing:
            message = (
                f"missing features: {quote_some(missing, 3)}; there are {quote_some(self.feature_names)}"
            )
            raise InputError(message, file=self.name or None, column=missing[0])
        counts = Counter(self.feature_names)
        twice = [name for name in names if counts[name] > 1]
        if twice:
            message = f"{counts[twice[0]]} features are called {twice[0]!r}"
            raise InputError(message, file=self.name or None, column=twice[0])
        X = self.X[:, [place[name] for name in names]]
        return Dataset(X, self.Y, names, self.label_names, self.split, self.name)

    def with_labels(self, names: Sequence[str]) -> Dataset:
        """Take some labels by name, in this order.

        Parameters
        ----------
        names : sequence of str

        Returns
        -------
        Dataset

        Raises
        ------
        InputError
            If a label is missing.

        Examples
        --------
        >>> data = Dataset([[1.0]], [[1, 0]], label_names=["red", "round"])
        >>> data.with_labels(["round", "red"]).Y
        array([[0, 1]], dtype=int8)
        """
        place = {name: label for label, name in enumerate(self.label_names)}
        missing = [name for name in names if name not in place]
        if missing:
            message = f"missing labels: {quote_some(missing, 3)}; there are {quote_some(self.label_names)}"
            raise InputError(message, file=self.name or None, label=missing[0])
        Y = self.Y[:, [place[name] for name in names]]
        return replace(self, Y=Y, label_names=names)

    def named_labels(self) -> LabelTable:
        """Combine Y with the names of the labels, for the ``fit`` of an estimator.

        Returns
        -------
        LabelTable

        Examples
        --------
        >>> Dataset([[1.0]], [[1, 0]], label_names=["red", "round"]).named_labels().columns
        ('red', 'round')
        """
        return LabelTable(to_dense(self.Y), self.label_names)

    def train(self) -> Dataset:
        """Take the rows of the official training part.

        Returns
        -------
        Dataset

        Examples
        --------
        >>> Dataset([[0.5], [1.5]], [[1], [0]], split=[True, False]).train().X
        array([[0.5]])
        """
        return self.take(self._official_split())

    def test(self) -> Dataset:
        """Take the rows of the official test part.

        Returns
        -------
        Dataset

        Examples
        --------
        >>> Dataset([[0.5], [1.5]], [[1], [0]], split=[True, False]).test().X
        array([[1.5]])
        """
        return self.take(~self._official_split())

    def _official_split(self) -> Bools:
        if self.split is None:
            message = f"data set {self.name!r} has no official split"
            raise InputError(message, hint="make one with setwise.datasets.stratified_train_test_split")
        return self.split

    def statistics(self) -> Statistics:
        """Compute statistics by which data sets are compared.

        Returns
        -------
        Statistics

        Examples
        --------
        >>> Dataset([[0.5], [1.5]], [[1, 0], [1, 1]]).statistics().distinct_sets
        2
        """
        on = self.Y == 1
        rows, labels = self.Y.shape
        sizes, counts = np.asarray(on.sum(axis=1)), np.asarray(on.sum(axis=0))
        occurring = counts[counts > 0]
        cardinality = float(sizes.mean()) if rows else 0.0
        return Statistics(
            rows=rows,
            features=self.X.shape[1],
            labels=labels,
            cardinality=cardinality,
            density=cardinality / labels if labels else 0.0,
            distinct_sets=count_distinct_rows(on),
            imbalance=float((occurring.max() / occurring).mean()) if occurring.size else 0.0,
            rows_without_labels=int((sizes == 0).sum()),
            labels_without_rows=int((counts == 0).sum()),
            missing=int((self.Y == FREE).sum()),
        )


def _matrix(X: Any, name: str) -> Matrix:
    X = as_matrix(X)
    if X.ndim != 2:
        raise ValueError(f"{name} has shape {X.shape}; expected a matrix, one row per example")
    return X


def _label_matrix(Y: Any) -> Matrix:
    """Convert Y to int8; a ValueError names the first cell that is not 0, 1 or FREE."""
    Y = _matrix(Y, "Y")
    bad = ~np.isin(stored_values(Y), (0, 1, FREE))
    if bad.any():
        row, label = first_cell(Y, bad)
        raise ValueError(f"Y[{row}, {label}] is {Y[row, label]!s}; a label is 0, 1 or {FREE} (unknown)")
    return Y.astype(np.int8, copy=False)


def _names(names: Sequence[str], size: int, kind: str) -> tuple[str, ...]:
    if len(names) == 0:
        return tuple(f"{'x' if kind == 'feature' else 'y'}{i}" for i in range(size))
    if len(names) != size:
        raise ValueError(f"{len(names)} {kind} names for {size} {kind}s")
    return tuple(map(str, names))


def _split(split: Bools | None, rows: int) -> Bools | None:
    if split is None:
        return None
    split = np.asarray(split)
    if split.shape != (rows,) or split.dtype != bool:
        raise ValueError(
            f"split is {split.dtype} of shape {split.shape}; expected {rows} booleans (is_train)"
        )
    return split
