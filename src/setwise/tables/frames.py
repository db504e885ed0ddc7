"""Tables of Python as columns of entries: pandas, polars, pyarrow, dictionaries, lists of dictionaries, arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from setwise.tables.table import Table


def as_table(X: Any, names: Sequence[str] | np.ndarray | None = None) -> Table:
    """Columns of entries of anything that is a table.

    Parameters
    ----------
    X : DataFrame of pandas or polars, Table of pyarrow, dict of columns, list of dicts, or array of shape (n, d)
    names : sequence of str, optional
        Names of the columns of an array, if they are as many.

    Returns
    -------
    Table
        The columns of an array are called x0, x1, ... without ``names``.

    Examples
    --------
    >>> as_table([{"size": 1, "colour": "red"}, {"size": 2}]).columns
    [[1, 2], ['red', None]]
    >>> as_table({"size": [1, 2]}).names
    ['size']
    """
    if isinstance(X, Table):
        return X
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        X = X.collect()  # a LazyFrame of polars
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _table([str(name) for name in X.columns], [_pandas(X.iloc[:, c]) for c in range(X.shape[1])])
    if hasattr(X, "get_columns"):
        return _table(
            [series.name for series in X.get_columns()], [_polars(series) for series in X.get_columns()]
        )
    if hasattr(X, "column_names") and hasattr(X, "column"):
        columns = [X.column(place).to_pylist() for place in range(len(X.column_names))]
        return _table([str(name) for name in X.column_names], columns)
    if isinstance(X, Mapping):
        return _table([str(name) for name in X], [_entries(column) for column in X.values()])
    if isinstance(X, Sequence) and len(X) and all(isinstance(row, Mapping) for row in X):
        names = list(dict.fromkeys(str(name) for row in X for name in row))
        return _table(names, [[row.get(name) for row in X] for name in names])
    return _array(X, names)


def _table(names: list[str], columns: list[Any]) -> Table:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"X has columns of different lengths: {', '.join(map(str, sorted(lengths)))}")
    return Table(names, columns, lambda row: row, None)


def _entries(column: Any) -> Any:
    if hasattr(column, "iloc"):
        return _pandas(column)
    if hasattr(column, "to_list") and hasattr(column, "dtype") and not isinstance(column, np.ndarray):
        return _polars(column)
    return _numpy(column) if isinstance(column, np.ndarray) else list(column)


def _pandas(series: Any) -> Any:
    """The entries of a Series; numbers, dates and flags stay an array."""
    if isinstance(series.dtype, np.dtype):
        return _numpy(series.to_numpy())
    if getattr(series.dtype, "kind", "O") == "M":  # with a time zone
        return series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    return [
        None if value is None or value != value else value
        for value in series.astype(object).where(series.notna(), None)
    ]


def _polars(series: Any) -> Any:
    if series.dtype.is_numeric() and not series.null_count():
        return series.to_numpy()
    return series.to_list()


def _numpy(column: np.ndarray) -> Any:
    if column.ndim == 2:
        return list(column)
    return column if column.dtype.kind in "biufM" else column.tolist()


def _array(X: Any, names: Sequence[str] | np.ndarray | None) -> Table:
    if hasattr(X, "tocsr"):
        raise ValueError("expected a table of columns, found a sparse matrix; pass it to the model itself")
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(
            f"expected a table, such as a DataFrame or a dict of columns, found {type(X).__name__} "
            f"with {values.ndim} dimensions; put a single column into a dict: {{'text': values}}"
        )
    n_columns = values.shape[1]
    given = names is not None and len(names) == n_columns
    called = (
        [str(name) for name in names] if given and names is not None else [f"x{c}" for c in range(n_columns)]
    )
    return _table(called, [_numpy(values[:, c]) for c in range(n_columns)])
