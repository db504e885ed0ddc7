"""Parquet files as tables, read by polars."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.progress import reading
from setwise.tables.files.parquet_sizes import check_parquet_sizes
from setwise.tables.table import LISTS, Table


def parquet_table(path: str | os.PathLike[str]) -> Table:
    """Read the columns of a Parquet file. Lists are kept, as they may be tags; other nested columns are empty."""
    return next(parquet_chunks(path))


def parquet_chunks(path: str | os.PathLike[str], n_rows: int | None = None) -> Iterator[Table]:
    """Read the columns of a Parquet file, some rows at a time; without rows there is one empty table.

    Examples
    --------
    >>> import polars
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "toy.parquet"
    ...     polars.DataFrame({"size": [1, 2, 3]}).write_parquet(path)
    ...     [table.columns for table in parquet_chunks(path, n_rows=2)]
    [[[1, 2]], [[3]]]
    """
    try:
        import polars
    except ImportError:
        raise ImportError("reading Parquet files needs polars: pip install 'setwise[parquet]'") from None
    check_parquet_sizes(path)
    with _readable(path):
        schema = polars.read_parquet_schema(Path(path))
        known = [name for name, kind in schema.items() if _is_read(kind)]
        rows = polars.scan_parquet(Path(path), glob=False).select(known)
        total = polars.scan_parquet(Path(path), glob=False).select(polars.len()).collect().item()
    for start in range(0, max(1, total), n_rows or max(1, total)):
        with _readable(path):
            frame = rows.slice(start, n_rows).collect()
        _check_text(frame, path)
        height = min(total - start, n_rows or total)
        reading().rows += height
        reading().share = min(1.0, (start + height) / max(1, total))
        yield _table(frame, schema, height, start, path)


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of polars as errors of the file."""
    import polars

    try:
        yield
    except FileNotFoundError:
        raise
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise DataFormatError(f"not a readable Parquet file: {error}", file=path) from error


def _table(frame: Any, schema: Any, height: int, start: int, path: str | os.PathLike[str]) -> Table:
    nested = {name: _described(kind) for name, kind in schema.items() if kind.is_nested() or _is_bytes(kind)}
    columns = [frame[name].to_list() if _is_read(kind) else [None] * height for name, kind in schema.items()]
    return Table(list(schema), columns, lambda row: start + row + 1, path, nested)


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
