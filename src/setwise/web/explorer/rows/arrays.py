"""Rows of numbers, dense or sparse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from setwise.contract import Array, Matrix
from setwise.kernels.matrices import as_csr, as_matrix, match_storage, row_cells, to_dense
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
        self.X = as_matrix(X)
        self.n_rows = X.shape[0]
        self.columns = [f"x{j}" for j in range(X.shape[1])] if names is None else list(map(str, names))

    def features(self, rows: Array) -> Any:
        """These rows of the matrix."""
        return self.X[rows]

    def cells(self, row: int) -> list[Cell]:
        """All entries in the order of the columns, after those that are not 0 if most are.

        Of a row that stores only some, these, the largest first.
        """
        columns, values = row_cells(self.X, row)
        if len(columns) < len(self.columns):
            largest = np.argsort(-np.abs(values), kind="stable")[:SHOWN]
            columns, values = columns[largest], values[largest]
        elif 2 * np.count_nonzero(values) < len(values):
            order = np.argsort(values == 0, kind="stable")
            columns, values = columns[order], values[order]
        return [Cell(self.columns[j], plain_entry(value), True) for j, value in zip(columns, values)]

    def column(self, name: str) -> Array:
        """The numbers of a column."""
        place = self.columns.index(name)
        return np.asarray(to_dense(self.X[:, [place]])[:, 0], dtype=object)

    def _changed(self, row: int, changes: Mapping[str, Any]) -> Any:
        one = np.array(to_dense(self.X[[row]]), dtype=np.float64)
        for name, value in changes.items():
            one[0, self.columns.index(name)] = as_number(value, name)
        return match_storage(as_csr(one), self.X)
