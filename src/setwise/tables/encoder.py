"""From a person's table to features: every column by its kind, in one transformer that a model file can hold."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags as SklearnTags
from sklearn.utils.validation import check_is_fitted

from setwise.contract import Array, Matrix
from setwise.errors import InputError, Parameter, quote_some
from setwise.files.errors import too_large
from setwise.files.limits import limits
from setwise.kernels.matrices import stack_columns, stored_values
from setwise.tables.columns import KINDS, Category, Column, LeftOut, Number, Options, Text, Unreadable
from setwise.tables.diagnosis import (
    check_numbers,
    decimal_comma,
    warn_about_commas,
    warn_about_entries,
    warn_about_nameless,
)
from setwise.tables.entries import shown
from setwise.tables.files.decimal_commas import READ_COMMAS, first_comma
from setwise.tables.frames import as_table
from setwise.tables.guess import FEW_VALUES, guess_kind
from setwise.tables.summary import ColumnSummary, TableSummary
from setwise.tables.table import LISTS, Table

IGNORE = "ignore"
_KINDS = {kind: column for kind, column in KINDS.items() if column is not LeftOut} | {IGNORE: LeftOut}
CHOICES = tuple(_KINDS)
"""What ``columns=`` may say of a column."""
DENSE = 0.25
"""Share of cells that are not zero from which features are dense, if there is room for them."""
DENSE_CELLS = 2**25


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn the columns of a table into features: numbers, categories, dates, free text, tags, booleans, vectors.

    The kind of each column is guessed from its entries; ``describe`` shows what was made of it, before and after
    ``fit``. Constants, identifiers and empty columns are left out. Columns are found by name: a second table may have
    them in another order, and others beside them.

    Parameters
    ----------
    columns : mapping of str to str, optional
        Kinds of some columns, by name: "number", "category", "boolean", "date", "text", "tags", "vector", or "ignore"
        to leave one out. The others are guessed.
    scale : bool, default=True
        Centre numbers and dates and divide them by their standard deviation; take the logarithm of very skewed numbers.
        False keeps numbers as they are.
    missing : {"impute", "keep"}, default="impute"
        "impute" replaces a missing number by the median, and marks it in a second feature if at least five values were
        missing in training. "keep" passes NaN on, for learners that take it.
    min_frequency : int or "auto", default="auto"
        Rows that a category or tag must have for its own feature. Rarer categories share one, which new categories
        get too. "auto" asks for one row in a hundred, at most 10, and at most 2 for a tag.
    keep_all : bool, default=False
        Whether constants, empty columns and whole numbers that look like identifiers stay.
    max_words : int, default=30000
        Most features of words, and of n-grams of characters, that a column of text becomes. More than 200,000 words are
        not listed but hashed, so explanations have numbers in their place.
    sparse_output : bool or "auto", default="auto"
        Whether features are a CSR matrix. "auto" chooses by the share of zeros.

    Attributes
    ----------
    columns_ : dict of str to Column
        What was learned from each column, by name.
    feature_names_in_ : ndarray of shape (n_columns,)
        Names of the columns.
    n_features_in_ : int
    sparse_output_ : bool

    Examples
    --------
    >>> tickets = {
    ...     "message": ["I want my money back", "Cannot log in since today", "Charged twice, money back please"],
    ...     "opened": ["2024-01-30", "2024-02-01", "2024-06-12"],
    ...     "plan": ["free", "pro", "free"],
    ... }
    >>> encoder = TableEncoder().fit(tickets)
    >>> encoder.describe()
    3 columns, 196 features
    column   kind      features  made
    -------  --------  --------  ---------------------------------------------
    message  text           183  26 words and pairs, 157 n-grams of characters
    opened   date            12  age, time of the year, day of the week
    plan     category         1  2 categories
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        scale: bool = True,
        missing: Literal["impute", "keep"] = "impute",
        min_frequency: int | Literal["auto"] = "auto",
        keep_all: bool = False,
        max_words: int = 30_000,
        sparse_output: bool | Literal["auto"] = "auto",
    ) -> None:
        self.columns = columns
        self.scale = scale
        self.missing = missing
        self.min_frequency = min_frequency
        self.keep_all = keep_all
        self.max_words = max_words
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the kind of each column and learn its categories, words and scales.

        Parameters
        ----------
        X : DataFrame of pandas or polars, Table of pyarrow, dict of columns, list of dicts, or array of shape (n, d)
        y : ignored

        Returns
        -------
        self

        Examples
        --------
        >>> TableEncoder().fit({"size": [1.0, 3.0]}).get_feature_names_out()
        array(['size'], dtype=object)
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Matrix:
        """Fit to a table and encode it.

        Parameters
        ----------
        X : table
            As in :meth:`fit`.
        y : ignored

        Returns
        -------
        ndarray or CSR of shape (n, d)

        Examples
        --------
        >>> TableEncoder().fit_transform({"size": [1.0, 3.0]})
        array([[-1.],
               [ 1.]])
        """
        table = as_table(X)
        self.columns_, blocks = self._learn(table)
        self.feature_names_in_ = np.array([*self.columns_], dtype=object)
        self.n_features_in_ = len(self.columns_)
        self.sparse_output_ = self._is_sparse(blocks, table)
        return self._stack(blocks, table)

    def transform(self, X: Any) -> Matrix:
        """Encode a table as the training table was.

        Parameters
        ----------
        X : table
            With the columns of the training table, found by name, in any order; others are ignored.

        Returns
        -------
        ndarray or CSR of shape (n, d)

        Examples
        --------
        >>> TableEncoder().fit({"size": [1.0, 3.0]}).transform([{"colour": "red", "size": 5.0}])
        array([[3.]])
        """
        check_is_fitted(self)
        table = as_table(X, self.feature_names_in_)
        used = [name for name, column in self.columns_.items() if not isinstance(column, LeftOut)]
        missing = [name for name in used if name not in table.names]
        if missing:
            raise self._not_found(missing[0], table)
        table.check_names(used)
        return self._stack(self._blocks(table), table)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the features: ``size``, ``colour=red``, ``message: refund``, ``opened: year sin``.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> TableEncoder().fit({"colour": ["red", "blue", "green"]}).get_feature_names_out().tolist()
        ['colour=blue', 'colour=green', 'colour=red']
        """
        check_is_fitted(self)
        names = [feature for name, column in self.columns_.items() for feature in column.features(name)]
        return np.array(names, dtype=object)

    def get_feature_columns(self) -> Array:
        """Name the column of the table that each feature comes from.

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> TableEncoder().fit({"colour": ["red", "blue", "green"]}).get_feature_columns().tolist()
        ['colour', 'colour', 'colour']
        """
        check_is_fitted(self)
        sizes = [len(column.features(name)) for name, column in self.columns_.items()]
        return np.repeat(np.array([*self.columns_], dtype=object), sizes)

    def describe(self, X: Any = None) -> TableSummary:
        """Show what is made of each column: of the training table, or of a table before ``fit``.

        Parameters
        ----------
        X : table, optional
            Without it, the encoder must be fitted.

        Returns
        -------
        TableSummary
            Prints as a table; ``to_frame()`` makes a data frame of it.

        Examples
        --------
        >>> TableEncoder().describe({"size": ["$2", "$5"], "code": ["A-1", "A-1"]})
        2 columns, 1 feature
        column  kind      features  made
        ------  --------  --------  ---------------------------
        size    number           1  number, written as currency
        code    left out         0  the same value in every row
        """
        if X is None:
            check_is_fitted(self)
            learned = self.columns_
        else:
            learned, _ = self._learn(as_table(X))
        return TableSummary(
            [ColumnSummary(name, c.kind, len(c.features(name)), c.made()) for name, c in learned.items()]
        )

    def _learn(self, table: Table) -> tuple[dict[str, Column], list[Matrix]]:
        """What each column of a training table becomes, and the features of those that have some."""
        chosen = self._chosen(table)
        named = [place for place, name in enumerate(table.names) if name]
        if len(named) < len(table.names):
            warn_about_nameless(table, [place for place, name in enumerate(table.names) if not name])
        used = [place for place in named if chosen.get(table.names[place]) != IGNORE]
        table.check_names([table.names[place] for place in used])
        table.check_values([table.names[p] for p in used if table.nested.get(table.names[p]) != LISTS])
        options, commas = self._options(table.n_rows), {}
        learned: dict[str, Column] = {}
        blocks = []
        for place in named:
            name = table.names[place]
            learned[name], features = self._learn_column(table, place, chosen.get(name), options)
            if not isinstance(learned[name], LeftOut):
                blocks.append(features)
            if name not in chosen and isinstance(learned[name], (Category, Text)):
                commas[place] = None if self._is_checked(table, place) else decimal_comma(table, place)
        warn_about_commas(table, {place: comma for place, comma in commas.items() if comma is not None})
        return learned, blocks

    def _chosen(self, table: Table) -> dict[str, str]:
        """The kinds that the user chose, by name."""
        chosen = dict(self.columns or {})
        table.check_there([name for name in chosen if name != ""], "columns")
        for name, kind in chosen.items():
            if kind not in CHOICES:
                message = f"column {name!r} cannot be {kind!r}; expected {', '.join(CHOICES)}"
                raise InputError(message, parameter=Parameter("columns"), column=name)
        return chosen

    def _options(self, n_rows: int) -> Options:
        if self.missing not in ("impute", "keep"):
            raise InputError("expected 'impute' or 'keep'", parameter=Parameter("missing", self.missing))
        if self.min_frequency == "auto":
            least, least_tags = min(10, n_rows // 100), min(2, n_rows // 100)
        else:
            least = least_tags = int(self.min_frequency)
        rows = max(1, least), max(1, least_tags)
        return Options(bool(self.scale), self.missing == "keep", *rows, int(self.max_words))

    def _learn_column(
        self, table: Table, place: int, chosen: str | None, options: Options
    ) -> tuple[Column, Matrix]:
        entries = table.columns[place]
        kind = _KINDS.get(chosen or "") or guess_kind(table.names[place], entries, keep=self.keep_all)
        try:
            column, found = (
                (kind, kind.encode(entries))
                if isinstance(kind, LeftOut)
                else kind.fit_encode(entries, options)
            )
            if found.odd:
                warn_about_entries(table, place, found)
            return column, found.features
        except Unreadable as error:
            raise self._unreadable(table, place, error) from None

    def _is_checked(self, table: Table, place: int) -> bool:
        """Whether a column of words is nearly all numbers, after an error or a warning about it."""
        distinct = {str(entry) for entry in table.columns[place]}
        return check_numbers(table, place, may_be_codes=len(distinct) <= FEW_VALUES)

    def _blocks(self, table: Table) -> list[Matrix]:
        """The features of each column, with a warning about entries that the training table did not have."""
        blocks = []
        for name, column in self.columns_.items():
            if isinstance(column, LeftOut):
                continue
            place = table.names.index(name)
            try:
                found = column.encode(table.columns[place])
            except Unreadable as error:
                raise self._unreadable(table, place, error) from None
            warn_about_entries(table, place, found)
            blocks.append(found.features)
        return blocks

    def _is_sparse(self, blocks: list[Matrix], table: Table) -> bool:
        if self.sparse_output != "auto":
            return bool(self.sparse_output)
        cells = table.n_rows * sum(block.shape[1] for block in blocks)
        filled = sum(np.count_nonzero(stored_values(block)) for block in blocks)
        return cells > DENSE_CELLS or (cells > 2**16 and filled < DENSE * cells)

    def _stack(self, blocks: list[Matrix], table: Table) -> Matrix:
        """The features of all columns side by side."""
        width = sum(block.shape[1] for block in blocks)
        stored = sum(stored_values(block).size for block in blocks)
        if table.path is not None:
            _check_cells(stored if self.sparse_output_ else table.n_rows * width, width, table, table.path)
        return stack_columns([np.empty((table.n_rows, 0)), *blocks], as_csr=self.sparse_output_)

    def _unreadable(self, table: Table, place: int, error: Unreadable) -> InputError:
        entry, name = table.columns[place][error.row], table.names[place]
        message = f"expected {error.expected} in column {name!r}, found {shown(entry)}"
        commas = error.expected == "a number" and first_comma([entry]) is not None
        return table.error(message, error.row, place, hint=READ_COMMAS if commas else ())

    def _not_found(self, name: str, table: Table) -> InputError:
        near = difflib.get_close_matches(name, table.names, 1)
        hint = f"is it now called {near[0]!r}? Give it its old name" if near else ""
        message = (
            f"column {name!r} of the training table is missing; the columns are {quote_some(table.names)}"
        )
        return InputError(message, file=table.path, column=name, hint=hint)

    def __sklearn_tags__(self) -> SklearnTags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def declared_encoder(columns: tuple[str, ...], categories: Mapping[str, tuple[str, ...]]) -> TableEncoder:
    """The encoder of columns whose types a file declares: numbers as they are, and categories with their values.

    Examples
    --------
    >>> declared_encoder(("size", "on"), {"on": ("no", "yes")}).transform({"on": ["yes"], "size": [2.5]})
    array([[2.5, 1. ]])
    """
    encoder = TableEncoder(scale=False, missing="keep")
    encoder.columns_ = {
        name: Category(tuple(categories[name]), keep_missing=True) if name in categories else Number()
        for name in columns
    }
    encoder.feature_names_in_ = np.array(columns, dtype=object)
    encoder.n_features_in_, encoder.sparse_output_ = len(columns), False
    return encoder


def _check_cells(cells: int, width: int, table: Table, path: str | os.PathLike[str]) -> None:
    """Refuse a file of few bytes that becomes many cells; every word of a text may be one."""
    read = table.n_rows * max(len(table.names), 1)
    allowed = max(limits().cells, 16 * read, os.path.getsize(path))
    if cells > allowed:
        message = (
            f"{table.n_rows} rows and {width} features store {cells} cells, more than the {allowed} allowed"
        )
        raise too_large(message, path)
