"""Label sets of a table: columns of 0 and 1, or one column of tags."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from setwise.contract import FREE, Labels
from setwise.errors import InputError, InputWarning, Parameter, quote_some
from setwise.files.errors import too_large
from setwise.files.limits import limits
from setwise.tables.entries import MANY, MISSING, MOST, ON_OFF, is_missing_number, is_number, shown, word
from setwise.tables.labels.label_columns import label_columns
from setwise.tables.labels.tag_lists import find_separator, split_tags
from setwise.tables.labels.tag_tables import tag_matrix, tag_table
from setwise.tables.schema import TagColumn
from setwise.tables.table import LISTS, Table

TAG_SEPARATOR = ","
"""What an error suggests for a column of numbers that may be tags."""


class TableLabels(NamedTuple):
    """Label sets (n, L) with their names, the columns they came from, and the column of tags if it was one."""

    Y: Labels
    names: list[str]
    columns: list[int]
    tags: TagColumn | None = None


def table_labels(
    table: Table, raw: Table, labels: Sequence[str] | str | int, tag_separator: str | None
) -> TableLabels:
    """Read the label sets of a table.

    Parameters
    ----------
    table, raw : Table
        With decimal points, and as the file has it: a comma between tags is not a decimal separator.
    labels : list of str, str or int
        See :func:`label_columns`. The name of one column means tags if ``tag_separator`` is passed or its entries are
        words.
    tag_separator : str or None

    Returns
    -------
    TableLabels
    """
    if isinstance(labels, str) and tag_separator is not None:
        table.check_there([labels], "labels")
    if isinstance(labels, str) and labels in table.names and _is_tags(table, raw, labels, tag_separator):
        column = table.names.index(labels)
        known = [entry for entry in raw.columns[column] if word(entry) not in MISSING]
        separator = find_separator(known) if tag_separator is None else tag_separator
        table.check_names([labels])
        if table.nested.get(labels) != LISTS:
            table.check_values([labels])
        return TableLabels(*_tag_sets(raw, column, separator), [column], TagColumn(labels, separator))
    columns = label_columns(labels, table.names, table.path)
    names = [table.names[column] for column in columns]
    table.check_names(names)
    table.check_values(names)
    return TableLabels(label_sets(table, columns), names, columns)


def labels_like(table: Table, raw: Table, names: Sequence[str], tags: TagColumn | None) -> Labels:
    """Read the label sets (n, L) of a table like an earlier one; tags that are not among ``names`` are ignored.

    Parameters
    ----------
    table, raw : Table
        As in :func:`table_labels`.
    names : sequence of str
        The labels of the earlier table.
    tags : TagColumn or None
        Its column of tags, if it had one.
    """
    if tags is None:
        table.check_there(names, "labels")
        return label_sets(table, [table.names.index(name) for name in names])
    table.check_there([tags.column], "labels")
    rows = [_tag_set(entry, tags.separator) for entry in raw.columns[raw.names.index(tags.column)]]
    return tag_matrix(rows, names, ignore={tag for row in rows if row is not None for tag in row})


def label_sets(table: Table, columns: Sequence[int]) -> Labels:
    """Read label sets (n, L) from columns of 0 and 1, true and false, yes and no."""
    Y = np.empty((table.n_rows, len(columns)), dtype=np.int8)
    for label, column in enumerate(columns):
        for row, entry in enumerate(table.columns[column]):
            text = word(entry)
            value = FREE if text in MISSING else ON_OFF.get(text.lower())
            if value is None:
                message = f"expected 0 or 1 for label {table.names[column]!r}, found {shown(entry)}"
                raise table.error(message, row, column)
            Y[row, label] = value
    return Y


def _is_tags(table: Table, raw: Table, name: str, tag_separator: str | None) -> bool:
    """Whether a column holds tags, and not one label of 0 and 1; numbers that may be either are refused.

    A column of one label may have a few other entries: they are mistakes, which :func:`label_sets` names.
    """
    if tag_separator is not None or name in table.nested:
        return True
    column = table.names.index(name)
    known = [entry for entry in table.columns[column] if not is_missing_number(entry)]
    n_on_off = sum(word(entry).lower() in ON_OFF for entry in known)
    if 0 < n_on_off == len(known) or n_on_off >= max(MANY, MOST * len(known)):
        return False
    if known and all(is_number(entry) for entry in raw.columns[column] if not is_missing_number(entry)):
        _refuse_numbers(table, column)
    return True


def _refuse_numbers(table: Table, column: int) -> None:
    """Numbers beyond 0 and 1 may be tags, or the classes of a problem that is not multi-label."""
    name = table.names[column]
    row = next(
        row
        for row, entry in enumerate(table.columns[column])
        if not is_missing_number(entry) and word(entry).lower() not in ON_OFF
    )
    raise InputError(
        f"expected 0 and 1 or tags in column {name!r}, found the number {shown(table.columns[column][row])}",
        parameter=Parameter("labels", name),
        file=table.path,
        line=table.line(row),
        position=column + 1,
        column=name,
        hint=["if each number is a tag, pass ", Parameter("tag_separator", TAG_SEPARATOR)],
    )


def _tag_sets(table: Table, column: int, separator: str) -> tuple[Labels, list[str]]:
    """Label sets of a column of tags: an empty entry is a row without labels, a missing one is not known."""
    rows = [_tag_set(entry, separator) for entry in table.columns[column]]
    names = {tag for tags in rows if tags is not None for tag in tags}
    if not names:
        name = table.names[column]
        found = f"column {name!r} holds no tags" if rows else "the table has no rows"
        raise InputError(found, parameter="labels", file=table.path, column=name)
    if len(rows) * len(names) > 8 * limits().cells:
        message = f"{len(names)} different tags in {len(rows)} rows of column {table.names[column]!r}"
        raise too_large(f"{message} make too large a matrix; is it a column of tags?", table.path)
    labels = tag_table(rows)
    return labels.Y, list(labels.columns)


def _tag_set(entry: Any, separator: str) -> list[str] | None:
    """The tags of a row; None if they are not known."""
    text = word(entry) if isinstance(entry, str) or entry is None else ""
    return None if text and text in MISSING else split_tags("" if entry is None else entry, separator)


def without_rare(labels: TableLabels, min_rows: int, path: Any) -> TableLabels:
    """Leave out labels of fewer than ``min_rows`` rows, with a warning that counts them."""
    counts = (labels.Y == 1).sum(axis=0)
    rare = np.flatnonzero(counts < min_rows)
    if not len(rare):
        return labels
    if len(rare) == len(labels.names):
        message = f"no label has {min_rows} rows; the most frequent one has {int(counts.max())}"
        raise InputError(message, parameter=Parameter("min_rows", min_rows), file=path)
    order = rare[np.argsort(-counts[rare], kind="stable")]
    some = quote_some([f"{labels.names[label]} ({counts[label]})" for label in order], 3)
    message = f"leaving out {len(rare)} of {len(labels.names)} labels, of fewer than {min_rows} rows: {some}"
    warnings.warn(InputWarning(message, file=path), stacklevel=4)
    kept = np.flatnonzero(counts >= min_rows)
    return labels._replace(Y=labels.Y[:, kept], names=[labels.names[label] for label in kept])
