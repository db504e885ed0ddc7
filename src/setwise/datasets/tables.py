"""Tables with one row per example: CSV, TSV and Parquet.

Labels are columns of 0/1, true/false or yes/no, or one column of tags. Of the other columns, numbers are
features as they are, words become one feature a value, and text (more than 20 different entries, in more
than half of the rows) is left out with a warning. A few words among numbers are a mistake that is named, unless
there are so few different entries that the numbers may be codes.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import FREE, Floats, Labels
from setwise.datasets.dataset import Dataset
from setwise.datasets.decimal_commas import first_comma, has_point, with_point
from setwise.datasets.encode import encode_features
from setwise.datasets.label_columns import LabelChoice, label_columns
from setwise.datasets.schema import Schema
from setwise.datasets.source import DataFormatError, blocks, decode

MISSING = frozenset(["", "?", "NA", "N/A", "NaN", "nan", "null", "None"])
"""Entries of a table that mean: not known."""

FOR_MISSING = "fill it in, leave the row out, or fit the model to rows of which some have missing values"
"""What to do about a missing feature that a model cannot take."""

_NO_NUMBER = frozenset([*(word.lower() for word in MISSING), "-"])
"""The same in a column of numbers, in small letters: there neither ``none`` nor a dash can be a word."""

_ON_OFF = {
    **dict.fromkeys(["1", "1.0", "true", "yes", "t", "y"], 1),
    **dict.fromkeys(["0", "0.0", "false", "no", "f", "n"], 0),
}
_PRINTED_LIST = re.compile(r"\[\s*(['\"\d].*)?\]", re.DOTALL)
"""A list as Python prints it, which is what pandas writes of a column of lists."""
_TELL_COMMAS = "pass decimal=','"
_FEW = 20
_MANY = 10
_MOST = 0.9


class Table(NamedTuple):
    """Columns of entries (None: not known); ``line`` says on which line of the file a row stands."""

    names: list[str]
    columns: Sequence[Sequence[Any]]
    line: Callable[[int], int]
    path: str | os.PathLike[str]


def read_csv(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    tag_separator: str = ",",
    ignore: Sequence[str] = (),
    like: Schema | None = None,
) -> Dataset:
    """Read a CSV or TSV file with a header line, plain or compressed with gzip or bzip2.

    Parameters
    ----------
    path : path of the file
    labels : list of str, str or int
        Names of the label columns, a pattern (``"tag_*"``), k for the first k columns and -k for the last;
        or the name of one column of tags (of one label, if it holds 0 and 1). An empty list: there are no labels.
    delimiter : str, optional
        By default a tab for .tsv files, else a comma.
    decimal : {".", ","}
        What stands before the decimals of a number.
    tag_separator : str
        What stands between the tags of a column of tags.
    ignore : sequence of str
        Columns to leave out.
    like : Schema, optional
        Take the columns of another file and encode them as it was; a word it did not have is none of its words.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.csv"
    >>> _ = path.write_text("size,tags\\n0.5,red|round\\n2,red\\n")
    >>> data = read_csv(path, "tags", tag_separator="|")
    >>> data.label_names
    ('red', 'round')
    >>> data.Y
    array([[1, 1],
           [1, 0]], dtype=int8)
    """
    if decimal not in (".", ","):
        raise ValueError(f"{path}: decimal={decimal!r} is neither a point nor a comma")
    return table_to_dataset(csv_table(path, delimiter), labels, tag_separator, ignore, like, decimal)


def csv_table(path: str | os.PathLike[str], delimiter: str | None = None) -> Table:
    """The columns of a CSV or TSV file as they stand, words for what is not known too."""
    if delimiter is None:
        delimiter = csv_delimiter(path)
    if len(delimiter) != 1:
        raise ValueError(f"{path}: delimiter={delimiter!r} is not one character")
    text, _ = decode(b"".join(blocks(path)))
    return _parse_csv(text, delimiter, path)


def csv_delimiter(path: str | os.PathLike[str]) -> str:
    """What stands between columns where nobody says it: a tab in .tsv files, else a comma."""
    return "\t" if ".tsv" in Path(path).suffixes else ","


def read_parquet(
    path: str | os.PathLike[str],
    labels: LabelChoice,
    *,
    tag_separator: str = ",",
    ignore: Sequence[str] = (),
    like: Schema | None = None,
) -> Dataset:
    """Read a Parquet file with the package polars; the parameters are those of :func:`read_csv`.

    A column of tags may also hold lists.
    """
    return table_to_dataset(parquet_table(path), labels, tag_separator, ignore, like)


def parquet_table(path: str | os.PathLike[str]) -> Table:
    """The columns of a Parquet file as they stand."""
    try:
        import polars
    except ImportError:
        raise ImportError("reading Parquet files needs polars: pip install 'setwise[parquet]'") from None
    try:
        frame = polars.read_parquet(Path(path))
    except polars.exceptions.PolarsError as error:
        raise ValueError(f"{path}: not a readable Parquet file: {error}") from error
    columns = [column.to_list() for column in frame.iter_columns()]
    return Table(frame.columns, columns, lambda row: row + 1, path)


def table_to_dataset(
    table: Table,
    labels: LabelChoice,
    tag_separator: str,
    ignore: Sequence[str],
    like: Schema | None = None,
    decimal: str = ".",
) -> Dataset:
    """Data set of a table: choose the label columns, encode the others."""
    unknown = [name for name in ignore if name not in table.names]
    if unknown:
        raise ValueError(f"{table.path}: ignore= names {unknown[0]!r}, which is no column")
    as_it_stands, table = table, table if decimal == "." else _with_points(table)
    if isinstance(labels, str) and labels in table.names and not _is_on_off(table, labels):
        chosen = [table.names.index(labels)]
        Y, label_names = _tags(as_it_stands, chosen[0], tag_separator)
    else:
        chosen = label_columns(labels, table.names, table.path)
        Y, label_names = label_sets(table, chosen), [table.names[column] for column in chosen]
    if like is None:
        rest = [c for c, name in enumerate(table.names) if c not in chosen and name not in ignore]
        rest = _named(table, rest)
        check_names(table, [table.names[c] for c in (*chosen, *rest)])
        X, feature_names, like = _features(table, rest)
    else:
        X, feature_names = _features_like(table, like)
    if decimal == ",":
        _refuse_points(as_it_stands, like)
    name = Path(table.path).name.split(".")[0]
    return Dataset(X, Y, feature_names, label_names, name=name, schema=like)


def _with_points(table: Table) -> Table:
    """The table with decimal points instead of commas, in numbers only."""
    return table._replace(columns=[[with_point(entry) for entry in column] for column in table.columns])


def _refuse_points(table: Table, schema: Schema) -> None:
    """Where decimals have commas, 1.234 may be a thousand: name the first number with a point."""
    for name in (name for name in schema.columns if name not in schema.categories):
        column = table.names.index(name)
        row = next((row for row, entry in enumerate(table.columns[column]) if has_point(entry)), None)
        if row is not None:
            message = f"expected numbers with decimal commas in column {name!r}, found "
            message += (
                f"{table.columns[column][row].strip()!r}; write it without the point, or leave out decimal="
            )
            raise DataFormatError(table.path, table.line(row), column + 1, message)


def check_names(table: Table, used: Sequence[str]) -> None:
    """Refuse two columns of one name: a second file is read by names."""
    counts = Counter(table.names)
    twice = [name for name in used if counts[name] > 1]
    if twice:
        raise ValueError(
            f"{table.path}: {counts[twice[0]]} columns are called {twice[0]!r}; give each a name of its own"
        )


def _named(table: Table, chosen: Sequence[int]) -> list[int]:
    """The columns that have a name; a warning tells the others, mostly the row numbers that pandas writes."""
    nameless = [str(column + 1) for column in chosen if not table.names[column]]
    if nameless:
        told = f"a column without a name is left out, such as row numbers of pandas: column {', '.join(nameless)}"
        warnings.warn(f"{table.path}: {told}", stacklevel=4)
    return [column for column in chosen if table.names[column]]


def _parse_csv(text: str, delimiter: str, path: str | os.PathLike[str]) -> Table:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_header(names, delimiter, path)
        for row in reader:
            if len(row) == len(names):
                rows.append(row)
                lines.append(reader.line_num)
            elif row:
                column = min(len(row), len(names)) + 1
                raise DataFormatError(
                    path, reader.line_num, column, f"expected {len(names)} fields, found {len(row)}"
                )
    except csv.Error as error:
        raise DataFormatError(path, reader.line_num, 1, f"not a table of fields: {error}") from error
    columns = list(zip(*rows)) if rows else [()] * len(names)
    return Table(names, columns, lines.__getitem__, path)


def _check_header(names: Sequence[str], delimiter: str, path: str | os.PathLike[str]) -> None:
    """Refuse a first line that is none of names; ``inf`` may be one, and different whole numbers, as pandas counts."""
    if not names:
        raise DataFormatError(path, 1, 1, "expected a header line with the names of the columns")
    counted = len(set(names)) == len(names) and all(name.isdecimal() for name in names)
    if all(any(map(str.isdigit, name)) and _is_number(with_point(name)) for name in names) and not counted:
        found = ",".join(names)[:40]
        message = (
            f"expected a header line with the names of the columns, found numbers: {found}; put one first"
        )
        raise DataFormatError(path, 1, 1, message)
    others = [other for other in ",;\t" if other != delimiter and other in names[0]]
    if len(names) == 1 and others:
        message = f"expected {delimiter!r} between the names of the columns, found {names[0][:40]!r}"
        raise DataFormatError(path, 1, 1, f"{message}; if it is {others[0]!r}, pass delimiter={others[0]!r}")


def _features(table: Table, chosen: list[int]) -> tuple[Any, list[str], Schema]:
    columns: list[Floats] = []
    names, text = [], []
    nominal: dict[int, list[str]] = {}
    commas: dict[str, str] = {}
    for column in chosen:
        numbers, values = _encoded(table.columns[column])
        if values and not _check_numbers(table, column, len(values)):
            comma = _first_comma(table, column)
            commas |= {} if comma is None else {table.names[column]: comma}
        if values and len(values) > max(_FEW, len(numbers) / 2):
            text.append(table.names[column])
            continue
        if values:
            nominal[len(columns)] = values
        columns.append(numbers)
        names.append(table.names[column])
    if text:
        warnings.warn(f"{table.path}: text is no feature and is left out: {', '.join(text)}", stacklevel=4)
    if commas:
        name, comma = next(iter(commas.items()))
        others = f" and in {len(commas) - 1} more columns" if len(commas) > 1 else ""
        told = (
            f"no number: {comma} in column {name!r}{others}; if commas stand before decimals, {_TELL_COMMAS}"
        )
        warnings.warn(f"{table.path}: {told}", stacklevel=4)
    schema = Schema(tuple(names), {names[c]: tuple(values) for c, values in nominal.items()})
    return *encode_features(_stacked(table, columns), names, nominal), schema


def _first_comma(table: Table, column: int) -> str | None:
    return first_comma(entry for entry in table.columns[column] if not _is_no_number(entry))


def _check_numbers(table: Table, column: int, n_values: int) -> bool:
    """Where nearly all entries of a column of words are numbers, name the first that is none.

    An error if there are more different entries than codes have; else a warning. Whether anything was told.
    """
    known = {row: entry for row, entry in enumerate(table.columns[column]) if not _is_no_number(entry)}
    words = [row for row, entry in known.items() if not _is_number(entry)]
    n_numbers = len(known) - len(words)
    if not words or n_numbers < max(_MANY, _MOST * len(known)):
        return False
    found = f"found {str(known[words[0]]).strip()[:40]!r}"
    message = (
        f"expected a number in column {table.names[column]!r}, {found}: {n_numbers} of its {len(known)} entries are "
        "numbers; correct it, leave it empty if it is not known, or leave the column out with ignore="
    )
    if _first_comma(table, column) is not None:
        message += f"; or, if its comma stands before decimals, {_TELL_COMMAS}"
    error = DataFormatError(table.path, table.line(words[0]), column + 1, message)
    if n_values > _FEW:
        raise error
    warnings.warn(f"{error}; now its entries are read as words", stacklevel=5)
    return True


def _is_no_number(entry: Any) -> bool:
    return entry is None or str(entry).strip().lower() in _NO_NUMBER


def _is_number(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True


def _stacked(table: Table, columns: list[Floats]) -> Floats:
    n_rows = len(table.columns[0]) if table.columns else 0
    return np.column_stack(columns) if columns else np.zeros((n_rows, 0))


def _features_like(table: Table, like: Schema) -> tuple[Any, list[str]]:
    """The features of another table, found by the names of its columns."""
    missing = [name for name in like.columns if name not in table.names]
    if missing:
        there = ", ".join(table.names[:8])
        raise ValueError(f"{table.path}: the column {missing[0]!r} is missing; there are {there}")
    check_names(table, like.columns)
    columns = [_encoded_like(table, name, like) for name in like.columns]
    nominal = {c: like.categories[name] for c, name in enumerate(like.columns) if name in like.categories}
    return encode_features(_stacked(table, columns), like.columns, nominal)


def _encoded_like(table: Table, name: str, like: Schema) -> Floats:
    """A column as numbers, or as codes of known words; -1 is a word that is not known."""
    column, values = table.names.index(name), like.categories.get(name)
    codes = None if values is None else {value: float(code) for code, value in enumerate(values)}
    out = np.empty(len(table.columns[column]))
    unknown: list[str] = []
    for row, entry in enumerate(table.columns[column]):
        word = "" if entry is None else str(entry).strip()
        missing = word in MISSING if codes is not None else _is_no_number(entry)
        if missing and not like.may_miss:
            message = f"the value of column {name!r} is missing, which the model cannot take; {FOR_MISSING}"
            raise DataFormatError(table.path, table.line(row), column + 1, message)
        try:
            out[row] = math.nan if missing else float(entry) if codes is None else _code(codes, word)
        except (TypeError, ValueError, KeyError):
            if codes is None or len(codes) < 3:
                expected = "a number" if codes is None else " or ".join(map(repr, codes))
                message = f"expected {expected} in column {name!r}, found {word[:40]!r}"
                if codes is None and first_comma([word]) is not None:
                    message += f"; if its comma stands before decimals, {_TELL_COMMAS}"
                raise DataFormatError(table.path, table.line(row), column + 1, message) from None
            out[row] = -1.0
            unknown.append(word)
    if unknown:
        message = (
            f"{table.path}: {len(unknown)} entries of column {name!r} are new, such as {unknown[0][:40]!r}"
        )
        warnings.warn(f"{message}; they count as none of the known ones", stacklevel=6)
    return out


def _code(codes: Mapping[str, float], word: str) -> float:
    """The code of a word; words for on and off are the same in any case of letters."""
    if word not in codes and word.lower() in _ON_OFF:
        word = next((known for known in codes if known.lower() == word.lower()), word)
    return codes[word]


def _encoded(entries: Sequence[Any]) -> tuple[Floats, list[str]]:
    """Numbers of a column; of words their codes, and the values in order."""
    with suppress(TypeError, ValueError):
        numbers = np.array([math.nan if _is_no_number(entry) else float(entry) for entry in entries])
        if not np.isnan(numbers).all():
            return numbers, []
    known = [None if entry is None or str(entry).strip() in MISSING else entry for entry in entries]
    words = [None if entry is None else str(entry).strip() for entry in known]
    values = sorted({word for word in words if word is not None})
    codes = {value: float(code) for code, value in enumerate(values)}
    return np.array([math.nan if word is None else codes[word] for word in words]), values


def label_sets(table: Table, chosen: Sequence[int]) -> Labels:
    """Label sets (n, L) of columns of 0 and 1, true and false, yes and no."""
    n_rows = len(table.columns[0]) if table.columns else 0
    Y = np.empty((n_rows, len(chosen)), dtype=np.int8)
    for label, column in enumerate(chosen):
        for row, entry in enumerate(table.columns[column]):
            word = "" if entry is None else str(entry).strip()
            value = FREE if word in MISSING else _ON_OFF.get(word.lower())
            if value is None:
                raise DataFormatError(
                    table.path,
                    table.line(row),
                    column + 1,
                    f"expected 0 or 1 for label {table.names[column]!r}, found {word[:40]!r}",
                )
            Y[row, label] = value
    return Y


def _is_on_off(table: Table, name: str) -> bool:
    """Whether a column is one label, of 0 and 1 or their like, and not a column of tags.

    So it is too where only a few entries are something else: they are mistakes, which :func:`label_sets` names.
    """
    known = [entry for entry in table.columns[table.names.index(name)] if not _is_no_number(entry)]
    n_on_off = sum(str(entry).strip().lower() in _ON_OFF for entry in known)
    return 0 < n_on_off == len(known) or n_on_off >= max(_MANY, _MOST * len(known))


def _tags(table: Table, column: int, separator: str) -> tuple[Labels, list[str]]:
    """Label sets of a column of tags: an empty entry is a row without labels, a word for missing one not known."""
    rows = [_tag_set(table, column, row, separator) for row in range(len(table.columns[column]))]
    names = sorted(set().union(*(tags for tags in rows if tags is not None)))
    if not names:
        raise ValueError(f"{table.path}: the column {table.names[column]!r} holds no tag at all")
    place = {name: label for label, name in enumerate(names)}
    Y = np.zeros((len(rows), len(names)), dtype=np.int8)
    for row, tags in enumerate(rows):
        if tags is None:
            Y[row] = FREE
        else:
            Y[row, [place[tag] for tag in tags]] = 1
    return Y, names


def _tag_set(table: Table, column: int, row: int, separator: str) -> set[str] | None:
    """The tags of a row; None where they are not known."""
    entry = table.columns[column][row]
    if isinstance(entry, list):
        return {str(tag).strip() for tag in entry} - {""}
    text = "" if entry is None else str(entry).strip()
    if text and text in MISSING:
        return None
    if _PRINTED_LIST.fullmatch(text):
        message = f"expected tags with {separator!r} between them in column {table.names[column]!r}, "
        message += f"found the list {text[:40]!r}; write its tags without brackets and quotes"
        raise DataFormatError(table.path, table.line(row), column + 1, message)
    return {tag.strip() for tag in text.split(separator)} - {""}
