"""Which columns of a table are numbers, which are categories, and which are text that no model takes yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from setwise.contract import Floats
from setwise.tables.diagnosis import (
    check_numbers,
    decimal_comma,
    warn_about_commas,
    warn_about_nameless,
    warn_about_text,
)
from setwise.tables.encode import encode_features
from setwise.tables.entries import MISSING, is_missing_number
from setwise.tables.schema import Schema
from setwise.tables.table import Table

FEW_VALUES = 20
"""A column with more different words than this, and in more than half of its rows, is text."""


def infer_features(table: Table, columns: Sequence[int]) -> tuple[Any, list[str], Schema]:
    """Make features of columns whose types are not known: numbers stay, categories become one feature a value.

    Parameters
    ----------
    table : Table
    columns : sequence of int
        Places of the columns.

    Returns
    -------
    X : features (n, d), dense, or CSR if they are many
    names : list of str
    schema : Schema
        To read another table the same way.
    """
    named = [column for column in columns if table.names[column]]
    if len(named) < len(columns):
        warn_about_nameless(table, [column for column in columns if not table.names[column]])
    table.check_names([table.names[column] for column in named])
    table.check_values([table.names[column] for column in named])
    coded: dict[int, Floats] = {}
    categories: dict[int, list[str]] = {}
    text, commas = [], {}
    for column in named:
        numbers, words = encode_column(table.columns[column])
        if words and not check_numbers(table, column, may_be_codes=len(words) <= FEW_VALUES):
            commas[column] = decimal_comma(table, column)
        if len(words) > max(FEW_VALUES, len(numbers) / 2):
            text.append(table.names[column])
            continue
        coded[column] = numbers
        if words:
            categories[column] = words
    if text:
        warn_about_text(table.path, text)
    warn_about_commas(table, {column: comma for column, comma in commas.items() if comma is not None})
    names = [table.names[column] for column in coded]
    schema = Schema(tuple(names), {table.names[column]: tuple(words) for column, words in categories.items()})
    return *features(table, list(coded.values()), schema), schema


def features(table: Table, columns: Sequence[Floats], schema: Schema) -> tuple[Any, list[str]]:
    """Features (n, d) with their names, from the numbers or codes of each column of the schema."""
    matrix = np.column_stack(columns) if columns else np.zeros((table.n_rows, 0))
    nominal = {
        place: schema.categories[name]
        for place, name in enumerate(schema.columns)
        if name in schema.categories
    }
    return encode_features(matrix, schema.columns, nominal, table.path)


def encode_column(entries: Sequence[Any]) -> tuple[Floats, list[str]]:
    """Numbers of a column; of words their codes, and the words in the order of the codes."""
    with suppress(TypeError, ValueError):
        numbers = np.array([math.nan if is_missing_number(entry) else float(entry) for entry in entries])
        if not np.isnan(numbers).all():
            return numbers, []
    words = [
        None if entry is None or str(entry).strip() in MISSING else str(entry).strip() for entry in entries
    ]
    values = sorted({word for word in words if word is not None})
    codes = {value: float(code) for code, value in enumerate(values)}
    return np.array([math.nan if word is None else codes[word] for word in words]), values
