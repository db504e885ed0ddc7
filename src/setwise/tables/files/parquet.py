"""Parquet files as tables, read by polars."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.tables.files.parquet_sizes import check_parquet_sizes
from setwise.tables.table import LISTS, Table


def parquet_table(path: str | os.PathLike[str]) -> Table:
    """Read the columns of a Parquet file. Lists are kept, as they may be tags; other nested columns are empty."""
    try:
        import polars
    except ImportError:
        raise ImportError("reading Parquet files needs polars: pip install 'setwise[parquet]'") from None
    check_parquet_sizes(path)
    try:
        schema = polars.read_parquet_schema(Path(path))
        frame = polars.read_parquet(Path(path), columns=[n for n, kind in schema.items() if _is_read(kind)])
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise DataFormatError(f"not a readable Parquet file: {error}", file=path) from error
    _check_text(frame, path)
    nested = {name: _described(kind) for name, kind in schema.items() if kind.is_nested() or _is_bytes(kind)}
    columns = [
        frame[name].to_list() if _is_read(kind) else [None] * frame.height for name, kind in schema.items()
    ]
    return Table(list(schema), columns, lambda row: row + 1, path, nested)


def _is_read(kind: Any) -> bool:
    """Single values, and lists or arrays of them."""
    if kind.base_type().__name__ in ("List", "Array"):
        kind = kind.inner
    return not kind.is_nested() and not _is_bytes(kind)


def _is_bytes(kind: Any) -> bool:
    return kind.base_type().__name__ in ("Binary", "Object")


def _described(kind: Any) -> str:
    if kind.base_type().__name__ in ("List", "Array"):
        return LISTS if _is_read(kind) else "nested lists"
    names = {"Struct": "structs", "Binary": "bytes"}
    return names.get(kind.base_type().__name__, str(kind))


def _check_text(frame: Any, path: str | os.PathLike[str]) -> None:
    """Refuse text that is stored once but repeated in many rows, each of which would get a copy."""
    import polars

    allowed = limits().unpacked(limits().array_bytes, os.path.getsize(path))
    total = 0
    for column in frame.iter_columns():
        values = column.explode() if column.dtype.base_type() in (polars.List, polars.Array) else column
        if values.dtype in (polars.String, polars.Categorical, polars.Enum):
            total += values.cast(polars.String).str.len_bytes().sum() or 0
    if total > allowed:
        raise too_large(f"the text of the table unpacks to more than {allowed} bytes", path)
