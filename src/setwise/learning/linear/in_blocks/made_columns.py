"""The columns of rows in blocks as they are multiplied: made at each visit of a block, or kept with it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.blocks import block_rows, row_slices
from setwise.kernels.matrices import as_csr, divide_columns, sorted_rows, take_columns, to_dense
from setwise.learning.linear.columns import DenseColumns, DesignColumns, SparseColumns

LEAST_ROWS = 512
"""Fewest rows that are worked on at a time."""
PIECE_ROWS = 4096
"""Fewest rows of a piece whose columns are kept."""
VALUES_PER_SUM = 16
"""Fewest values of such a piece for each sum that it writes."""
TOLERANCE = 8
"""How much larger than the memory budget the work on a kept piece may be: to cut it costs more than its products."""


@dataclass(frozen=True)
class LabelColumns:
    """Labels used as features: ``times * y + plus``, less their ``means`` (L,), times ``scale``."""

    times: float
    plus: float
    means: Floats
    scale: float

    def of(self, Y: Labels) -> Floats:
        """Compute the columns (n, L) of labels (n, L)."""
        return np.asarray((self.times * Y + self.plus - self.means) * self.scale)


@dataclass(frozen=True)
class ColumnMaker:
    """Makes the columns of a block: centred and scaled features, ones, and labels."""

    used: Array
    mean: Floats
    scale: Floats
    sparse: bool
    dtype: np.dtype[Any]
    labels: LabelColumns | None = None
    density: float = 1.0

    @property
    def cells(self) -> int:
        """Number of values of a row that are stored, as far as it is known before the rows."""
        stored = math.ceil(len(self.used) * (self.density if self.sparse else 1.0))
        return stored + 1 + (0 if self.labels is None else len(self.labels.means))

    def __call__(self, X: Matrix, Y: Labels) -> DesignColumns:
        """Make the columns of rows X (n, d) with labels Y (n, L)."""
        extra = np.ones((X.shape[0], 1))
        if self.labels is not None:
            extra = np.hstack([extra, self.labels.of(Y)])
        extra, used = extra.astype(self.dtype), take_columns(X, self.used)
        if self.sparse:
            scaled = divide_columns(
                sorted_rows(as_csr(used)).astype(self.dtype), self.scale.astype(self.dtype)
            )
            return SparseColumns(scaled, self.mean / self.scale, extra)
        Z = np.asarray((to_dense(used) - self.mean) / self.scale, dtype=self.dtype)
        return DenseColumns.of(Z, extra)

    def pieces(self, X: Matrix | MadeColumns, Y: Labels, cells: int) -> Iterator[tuple[slice, DesignColumns]]:
        """Split the rows of a block so that ``cells`` numbers for each fit the memory budget; make their columns.

        Columns that are kept come in the pieces in which they were made, unless these are much too large.
        """
        if not isinstance(X, MadeColumns):
            for rows in row_slices(len(Y), cells, min_rows=LEAST_ROWS):
                whole = rows.stop - rows.start == len(Y)
                yield rows, self(X if whole else X[rows], Y[rows])
            return
        for rows, columns in X.pieces:
            if rows.stop - rows.start <= TOLERANCE * max(LEAST_ROWS, block_rows(cells)):
                yield rows, columns
                continue
            for part in row_slices(rows.stop - rows.start, cells, min_rows=LEAST_ROWS):
                taken = columns.take(np.arange(part.start, part.stop))
                yield slice(rows.start + part.start, rows.start + part.stop), taken

    def keep(self, X: Matrix, weights: Floats | None, Y: Labels, *others: Any) -> tuple[Any, ...]:
        """Put the columns of a block into the place of its features."""
        size = max(PIECE_ROWS, math.ceil(VALUES_PER_SUM / max(self.density, 1e-9)))
        slices = [slice(first, min(first + size, len(Y))) for first in range(0, max(1, len(Y)), size)]
        return MadeColumns(tuple((rows, self(X[rows], Y[rows])) for rows in slices)), weights, Y, *others


@dataclass(frozen=True)
class MadeColumns:
    """The columns of a block, ready for products, for consecutive pieces of its rows."""

    pieces: tuple[tuple[slice, DesignColumns], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, D)."""
        rows, columns = self.pieces[-1]
        return rows.stop, columns.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(columns.nbytes for _, columns in self.pieces)

    def __sizeof__(self) -> int:
        """Count the bytes, which a Dask worker asks for."""
        return self.nbytes
