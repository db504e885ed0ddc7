"""Rows as JSON has them become what a model was fitted to: a table, texts, numbers by name or by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.errors import InputError, quote_some
from setwise.nesting import transformed
from setwise.persistence.opened import OpenedModel, table_encoder
from setwise.tables.columns import LeftOut
from setwise.tables.encoder import TableEncoder
from setwise.web.api.numbers import as_numbers, number_rows

Row = Mapping[str, Any] | Sequence[Any] | str
"""A row: cells by column name, numbers in the order of the features, or one text."""


@dataclass(frozen=True)
class RowReader:
    """Makes features of rows.

    Parameters
    ----------
    columns : list of str
        Names of the columns that rows have; empty if the features are only numbered.
    n_features : int or None
        Number of features of a model without names.
    encoder : TableEncoder or None
        Encodes tables.
    chosen : list of int or None
        The features of the encoder that the model uses, if not all.
    before : Pipeline or None
        The steps between the encoder and the classifier.
    takes_text : bool
        Whether ``before`` takes a list of texts.

    Examples
    --------
    >>> RowReader(["size", "age"]).read([{"age": 3, "size": 1.5}, [2, None]])
    array([[1.5, 3. ],
           [2. , nan]])
    """

    columns: list[str]
    n_features: int | None = None
    encoder: TableEncoder | None = None
    chosen: list[int] | None = None
    before: Any = None
    takes_text: bool = False

    @classmethod
    def of(cls, parts: OpenedModel) -> RowReader:
        """The reader of a model's rows."""
        encoder = table_encoder(parts.encoder, parts.schema)
        if encoder is None:
            takes_text = parts.before is not None and hasattr(parts.before[0], "build_analyzer")
            columns = [] if takes_text else parts.feature_names
            return cls(columns, parts.about.n_features, before=parts.before, takes_text=takes_text)
        used = [name for name, column in encoder.columns_.items() if not isinstance(column, LeftOut)]
        chosen = None
        if parts.encoder is None:
            place = {name: i for i, name in enumerate(encoder.get_feature_names_out())}
            chosen = [place[name] for name in parts.feature_names]
        return cls(used, encoder=encoder, chosen=chosen, before=parts.before)

    def kinds(self) -> dict[str, str]:
        """What each column holds: a number, a category, text, ..."""
        if self.encoder is None:
            return dict.fromkeys(self.columns, "number")
        return {name: self.encoder.columns_[name].kind for name in self.columns}

    def read(self, rows: Sequence[Row]) -> Any:
        """Features of rows, an array or CSR of shape (n, d)."""
        if not rows:
            raise InputError("there are no rows", hint="send at least one")
        if self.takes_text:
            return self.prepared([_text(row, number) for number, row in enumerate(rows)])
        if self.encoder is not None:
            return self.encoded(self._table(rows))
        return self.prepared(self.framed(number_rows(rows, self.columns, self.n_features)))

    def encoded(self, table: Mapping[str, Any]) -> Any:
        """Features of a table of columns by name."""
        assert self.encoder is not None
        features = self.encoder.transform(table)
        return self.prepared(features if self.chosen is None else features[:, self.chosen])

    def prepared(self, features: Any) -> Any:
        """Features after the steps before the classifier."""
        return features if self.before is None else transformed(self.before, features)

    def _table(self, rows: Sequence[Row]) -> dict[str, list[Any]]:
        """The columns of the model, by name; a column that no row has is left out, and the encoder misses it."""
        named = [self._named(row, number) for number, row in enumerate(rows)]
        there = [name for name in self.columns if any(name in row for row in named)]
        others = [] if len(there) == len(self.columns) else sorted({str(key) for row in named for key in row})
        if others or not there:
            return {name: [row.get(name) for row in named] for name in [*there, *others]}
        return {name: [row.get(name) for row in named] for name in there}

    def _named(self, row: Row, number: int) -> Mapping[str, Any]:
        """A row with the names of its cells."""
        if isinstance(row, Mapping):
            _check_cells(row, number)
            return row
        cells = [row] if isinstance(row, str) else list(row)
        if len(cells) != len(self.columns):
            message = f"row {number} has {len(cells)} cells without names; the model has {len(self.columns)} columns: "
            raise InputError(message + quote_some(self.columns), row=number, hint="name the cells")
        named = dict(zip(self.columns, cells))
        _check_cells(named, number)
        return named

    def framed(self, cells: Any) -> Any:
        """A DataFrame of rows for steps that were fitted to one: they may choose columns by name."""
        names = list(getattr(self.before, "feature_names_in_", ()))
        try:
            from pandas import DataFrame
        except ImportError:
            names = []
        if names and len(cells[0]) == len(names):
            return DataFrame(cells, columns=names)
        return cells if isinstance(cells, np.ndarray) else as_numbers(cells, self.columns)


def _text(row: Row, number: int) -> str:
    """The text of a row, alone or as its only cell."""
    cells = [row] if isinstance(row, str) else list(row.values() if isinstance(row, Mapping) else row)
    if len(cells) != 1 or not isinstance(cells[0], str):
        raise InputError(f"expected a text in row {number}", row=number, hint='send "..." for each row')
    return cells[0]


def _check_cells(row: Mapping[str, Any], number: int) -> None:
    """Refuse cells that no column of a table has: an object, or a list of anything but single values."""
    for name, cell in row.items():
        if isinstance(cell, list):
            nested = any(isinstance(item, (list, dict)) for item in cell)
        else:
            nested = isinstance(cell, dict)
        if nested:
            message = f"the cell of column {str(name)[:60]!r} in row {number} is nested"
            raise InputError(
                message, row=number, column=str(name), hint="expected a value, or a list of values"
            )
