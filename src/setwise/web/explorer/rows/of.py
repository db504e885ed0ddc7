"""Explored rows of whatever a model takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.kernels.matrices import as_matrix
from setwise.web.explorer.rows.arrays import ArrayRows
from setwise.web.explorer.rows.base import ExploredRows
from setwise.web.explorer.rows.frames import FrameRows
from setwise.web.explorer.rows.texts import TextRows


def rows_of(X: Any, names: Sequence[str] | None = None) -> ExploredRows:
    """Rows to explore, of an array, a sparse matrix, a DataFrame or a list of texts.

    Examples
    --------
    >>> type(rows_of(["a text"])).__name__, type(rows_of([[1.0, 2.0]])).__name__
    ('TextRows', 'ArrayRows')
    """
    if hasattr(X, "columns"):
        return FrameRows(X)
    values = X if isinstance(X, (list, tuple)) else as_matrix(X)
    if getattr(values, "ndim", 1) == 1 and len(values) and all(isinstance(value, str) for value in values):
        return TextRows(list(values))
    return ArrayRows(as_matrix(values).astype(np.float64, copy=False), names)
