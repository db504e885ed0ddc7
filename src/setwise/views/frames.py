"""Data frames of pandas and polars, which are both optional."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from setwise.views.text import cell_text

if TYPE_CHECKING:
    import pandas
    import polars

Library = Literal["pandas", "polars"]
RowNames = Any
"""Names of rows: the index of a pandas DataFrame, or an array. Both are indexed by arrays of positions."""


def data_frame(
    columns: Mapping[str, Any], library: Library, row_names: RowNames | None = None, head: str = "row"
) -> pandas.DataFrame | polars.DataFrame:
    """Make a data frame of columns; the row names are its index or, in polars, its first column.

    Parameters
    ----------
    columns : mapping of str to sequence
        Values of each column.
    library : {"pandas", "polars"}
        Which kind of data frame.
    row_names : pandas Index or array, optional
        A name for each line.
    head : str
        Name of the first column in polars, and of an index that is not one yet.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame

    Examples
    --------
    >>> data_frame({"score": [0.5, 0.7]}, "polars", np.array([3, 1])).rows()
    [(3, 0.5), (1, 0.7)]
    """
    if library == "pandas":
        return _pandas_frame(columns, row_names, head)
    if library == "polars":
        return _polars_frame(columns, row_names, head)
    raise ValueError(f"library is {library!r}; expected 'pandas' or 'polars'")


def _pandas_frame(columns: Mapping[str, Any], row_names: RowNames | None, head: str) -> pandas.DataFrame:
    pandas = _imported("pandas", "polars")
    if isinstance(row_names, np.ndarray):
        row_names = pandas.Index(row_names, name=head)
    return pandas.DataFrame(dict(columns), index=row_names)


def _polars_frame(columns: Mapping[str, Any], row_names: RowNames | None, head: str) -> polars.DataFrame:
    polars = _imported("polars", "pandas")
    if row_names is None:
        return polars.DataFrame(dict(columns))
    names = [cell_text(name) if isinstance(name, tuple) else name for name in row_names.tolist()]
    # An index may mix types, such as text and NaN; polars then writes all as text.
    return polars.DataFrame({head: polars.Series(head, names, strict=False), **columns})


def _imported(library: Library, other: Library) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise ImportError(
            f"to_frame(library={library!r}) needs {library}: pip install {library}, or use library={other!r}"
        ) from None
