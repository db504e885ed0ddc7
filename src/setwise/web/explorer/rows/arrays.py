"""Rows of numbers, dense or sparse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from setwise.contract import Array, Matrix
from setwise.kernels.matrices import to_dense
from setwise.web.explorer.rows.base import Cell, ExploredRows, as_number, plain_entry

SHOWN = 300
"""Entries of a sparse row that are shown, the largest first."""


class ArrayRows(ExploredRows):
    """Rows of a matrix of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> ArrayRows(np.array([[1.5, 2.0]]), ["size", "weight"]).summary(0)
    'size 1.5, weight 2'
    """

    def __init__(self, X: Matrix, names: Sequence[str] | None = None) -> None:
        self.X = sparse.csr_array(X) if sparse.issparse(X) else X
        self.n_rows = X.shape[0]
        self.columns = [f"x{j}" for j in range(X.shape[1])] if names is None else list(map(str, names))

    def features(self, rows: Array) -> Any:
        """These rows of the matrix."""
        return self.X[rows]

    def cells(self, row: int) -> list[Cell]:
        """All entries; of a sparse row those that are stored."""
        if not sparse.issparse(self.X):
            return [Cell(name, plain_entry(v), True) for name, v in zip(self.columns, self.X[row])]
        one = self.X[[row]]
        order = np.argsort(-np.abs(one.data), kind="stable")[:SHOWN]
        return [Cell(self.columns[one.indices[e]], plain_entry(one.data[e]), True) for e in order]

    def column(self, name: str) -> Array:
        """The numbers of a column."""
        place = self.columns.index(name)
        return np.asarray(to_dense(self.X[:, [place]])[:, 0], dtype=object)

    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        one = np.array(to_dense(self.X[[row]]), dtype=np.float64)
        for name, value in changes.items():
            one[0, self.columns.index(name)] = as_number(value, name)
        return sparse.csr_array(one) if sparse.issparse(self.X) else one
