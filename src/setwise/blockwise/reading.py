"""What every block must look like, and its arrays as the learners take them."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from setwise.contract import Floats, Labels, Matrix, column_names, default_names
from setwise.estimators.base.checks.validation import Targets, check_features
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import as_csr, is_sparse, to_dense


class Head(NamedTuple):
    """What a block says of itself: its number, rows, first row, and whether its features are single or sparse."""

    number: int
    n_rows: int
    X: Any
    y: Any
    single: bool
    sparse: bool

    @classmethod
    def of(cls, number: int, X: Any, y: Any, weights: Any) -> Self:
        """Copy the first row of a block: a view would keep the whole block in memory."""
        first, labels = (deepcopy(a.iloc[:1] if hasattr(a, "iloc") else a[:1]) for a in (X, y))
        single = not hasattr(X, "iloc") and X.dtype == np.float32
        return cls(number, X.shape[0], first, labels, single, is_sparse(X))


@dataclass(frozen=True)
class BlockReader:
    """Checks the blocks of one fit and converts them to features, weights and labels.

    Parameters
    ----------
    probe : SetClassifier
        Knows the names and the number of the features.
    targets : Targets
    dtype : dtype
        Of the features of all blocks.
    sparse : bool
        Whether some block is sparse: then all are.
    """

    probe: SetClassifier
    targets: Targets
    dtype: np.dtype[Any]
    sparse: bool

    @classmethod
    def of(cls, estimator: SetClassifier, heads: Iterable[Head]) -> Self:
        """Learn names, numbers and types from the first rows of the blocks."""
        filled = [head for head in heads if head.n_rows]
        if not filled:
            raise ValueError("the blocks have no rows")
        probe, first = clone(estimator), filled[0]
        check_features(probe, first.X, reset=True)
        if np.ndim(first.y) != 2:
            raise ValueError(
                "y has one dimension; rows in blocks need a label matrix (n_rows, n_labels) of 0 and 1"
            )
        columns = column_names(first.y)
        names = default_names(first.y.shape[1]) if columns is None else np.asarray(columns, dtype=object)
        kind = to_dense(first.y).dtype
        targets = Targets(names, None, kind if kind.kind in "iu" else np.dtype(np.int64))
        dtype = np.dtype(np.float32 if all(head.single for head in filled) else np.float64)
        return cls(probe, targets, dtype, any(head.sparse for head in filled))

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.targets.names)

    @property
    def empty(self) -> tuple[Any, ...]:
        """The arrays of a block without rows and without weights."""
        return (
            np.empty((0, self.probe.n_features_in_), self.dtype),
            None,
            np.empty((0, self.n_labels), np.int8),
        )

    def __call__(self, number: int, X: Any, y: Any, weights: Any) -> tuple[Matrix, Floats | None, Labels]:
        """Check a block and convert it; rows without weight or known labels are left out."""
        if not X.shape[0]:
            X0, _, Y0 = self.empty
            return self._stored(X0), None if weights is None else np.empty(0), Y0
        try:
            X = check_features(self.probe, X, reset=False)
            Y = self.targets.encode(y, X.shape[0], partial=self.probe.takes_missing_labels)
            w = None if weights is None else _weights(weights, X.shape[0])
        except (TypeError, ValueError) as error:
            raise ValueError(f"block {number}: {error}") from error
        known = (Y != -1).any(axis=1)
        if not known.all() or (w is not None and not w.all()):
            kept = np.flatnonzero(known if w is None else known & (w > 0))
            X, Y, w = X[kept], Y[kept], None if w is None else w[kept]
        return self._stored(X), w, Y

    def _stored(self, X: Matrix) -> Matrix:
        return as_csr(X).astype(self.dtype, copy=False) if self.sparse else X.astype(self.dtype, copy=False)


def _weights(weights: Any, n_rows: int) -> Floats:
    w = np.asarray(weights, dtype=np.float64).ravel()
    if len(w) != n_rows:
        raise ValueError(f"X has {n_rows} rows but sample_weight has {len(w)}")
    bad = ~(np.isfinite(w) & (w >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"sample_weight is {w[row]} in row {row}; weights are finite and not negative")
    return w
