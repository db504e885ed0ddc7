"""Excel workbooks (.xlsx) as tables, read and written by openpyxl, some rows at a time."""

from __future__ import annotations

import datetime as dt
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

from setwise.errors import InputError, InputWarning
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits
from setwise.files.progress import reading
from setwise.tables.table import Table

MAX_ROWS = 2**20
"""Rows of a sheet, the header among them."""
STEP = 2**10
FAULTS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")
"""What a cell shows whose formula has no value."""


def excel_table(path: str | os.PathLike[str]) -> Table:
    """Read the first sheet of an Excel workbook: numbers, dates, texts, and the last values of formulas."""
    return next(excel_chunks(path))


def excel_chunks(path: str | os.PathLike[str], n_rows: int | None = None) -> Iterator[Table]:
    """Read the first sheet of a workbook, some rows at a time; without rows there is one empty table.

    The first row that is not empty holds the names of the columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "toy.xlsx"
    ...     with open(path, "xb") as file:
    ...         write_excel(file, [["size", "colour"], [1, "red"], [2, None]])
    ...     [table.columns for table in excel_chunks(path, n_rows=1)]
    [[[1], ['red']], [[2], [None]]]
    """
    check_excel_size(path)
    with _opened(path) as sheet:
        places: list[int] = []
        rows = _filled_rows(sheet, places)
        names = ["" if value is None else str(value).strip() for value in next(rows, ())]
        if not names:
            message = "expected a first row with the names of the columns, found nothing"
            raise DataFormatError(message, file=path)
        full = _full_rows(rows, len(names), path, places)
        table = _take_rows(full, names, path, n_rows, places)
        yield table
        while n_rows is not None and table.n_rows == n_rows:
            table = _take_rows(full, names, path, n_rows, places)
            if table.n_rows:
                yield table


def write_excel(file: BinaryIO, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows to the only sheet of a workbook; texts stay texts, also those that start like a formula.

    Examples
    --------
    >>> import io
    >>> write_excel(out := io.BytesIO(), [["a", "b"], [1, "=1+1"]])
    >>> out.getvalue()[:2]
    b'PK'
    """
    openpyxl = _openpyxl()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("answers")
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            raise InputError(f"an Excel sheet holds {MAX_ROWS} rows", hint="write CSV or Parquet")
        sheet.append([_cell(sheet, value) for value in row])
    book.save(file)


def check_excel_size(path: str | os.PathLike[str]) -> None:
    """Refuse a workbook whose parts unpack to more than the limits allow; sizes are counted, not believed."""
    allowed = limits().unpacked(limits().array_bytes, os.path.getsize(path))
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > allowed:
                raise too_large(f"the workbook unpacks to more than {allowed} bytes", path)
            for part in archive.infolist():
                with archive.open(
                    part
                ) as content:  # no more than its declared size is read; then it is compared
                    while content.read(2**20):
                        pass
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise DataFormatError(f"not a readable Excel workbook: {error}", file=path) from error


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise ImportError("Excel workbooks need openpyxl: pip install 'setwise[excel]'") from None
    return openpyxl


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The first sheet; an error of the reader is one of the file."""
    openpyxl = _openpyxl()
    book = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions, which are not read
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        if len(book.worksheets) > 1:
            titles = [sheet.title for sheet in book.worksheets]
            message = f"reading the sheet {titles[0]!r}, the first of {len(titles)}"
            warnings.warn(InputWarning(message, file=path), stacklevel=6)
        if not book.worksheets:
            raise DataFormatError("the workbook has no sheet of cells", file=path)
        yield book.worksheets[0]
    except (InputError, GeneratorExit, ImportError, MemoryError):
        raise
    except Exception as error:
        raise DataFormatError(f"not a readable Excel workbook: {error}", file=path) from error
    finally:
        if book is not None:
            book.close()


def _filled_rows(sheet: Any, places: list[int]) -> Iterator[tuple[Any, ...]]:
    """Rows without the empty cells at their ends, and without empty rows; the place of each is appended.

    The size that the sheet says it has is ignored, because it may be any.
    """
    sheet.reset_dimensions()
    for place, row in enumerate(sheet.iter_rows(values_only=True, max_row=MAX_ROWS), start=1):
        values = [_entry(value) for value in row]
        while values and values[-1] is None:
            values.pop()
        if values:
            places.append(place)
            yield tuple(values)


def _full_rows(
    rows: Iterator[tuple[Any, ...]], n_fields: int, path: str | os.PathLike[str], places: list[int]
) -> Iterator[tuple[Any, ...]]:
    """Rows as long as the header."""
    allowed = limits().unpacked(limits().cells, os.path.getsize(path))
    for count, row in enumerate(rows, start=1):
        if len(row) > n_fields:
            message = f"expected {n_fields} cells, found {len(row)}"
            raise DataFormatError(message, file=path, line=places[-1], position=n_fields + 1)
        if count * n_fields > allowed:
            raise too_large(f"a sheet of more than {allowed} cells", path)
        yield row + (None,) * (n_fields - len(row))


def _take_rows(
    rows: Iterator[tuple[Any, ...]],
    names: list[str],
    path: str | os.PathLike[str],
    n_rows: int | None,
    places: list[int],
) -> Table:
    """The next rows as columns."""
    del places[:]
    columns: list[list[Any]] = [[] for _ in names]
    wanted = islice(rows, n_rows)
    while step := list(islice(wanted, STEP)):
        for column, entries in zip(columns, zip(*step)):
            column.extend(entries)
        reading().rows += len(step)
    return Table(names, columns, places[:].__getitem__, path)


def _entry(value: Any) -> Any:
    """An entry as readers of columns know it: a time of the day is text, and a formula without a value is missing."""
    if isinstance(value, (dt.time, dt.timedelta)):
        return str(value)
    return None if isinstance(value, str) and (value in FAULTS or not value.strip()) else value


def _cell(sheet: Any, value: Any) -> Any:
    """A cell that is what the value is: no text becomes a formula."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell

    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, str):
        return plain if plain is None or isinstance(plain, (bool, int, float, dt.date)) else str(plain)
    cell = WriteOnlyCell(sheet, value=ILLEGAL_CHARACTERS_RE.sub("\ufffd", plain))
    cell.data_type = "s"
    return cell
