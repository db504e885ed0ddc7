"""Answers for rows, with the names of the labels and columns to show beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.contract import FREE, Array
from setwise.errors import InputError
from setwise.tables import TagColumn
from setwise.tables.labels.tag_lists import SEPARATORS


@dataclass(frozen=True)
class Answers:
    """Answers for rows.

    Attributes
    ----------
    label_names : list of str
    values : array of shape (n, L) or (n, k, L)
        Sets or probabilities; or the k best sets.
    probabilities : array of shape (n, k), optional
        Of the k best sets.
    kept : mapping of str to array of shape (n,)
        Columns of the data that are shown beside the answers.
    first_row : int
        Number of the first of these rows among all.
    tags : TagColumn, optional
        The column that lists the labels of a set, in the place of a column for each label.
    """

    label_names: list[str]
    values: Array
    probabilities: Array | None = None
    kept: Mapping[str, Array] = field(default_factory=dict)
    first_row: int = 0
    tags: TagColumn | None = None

    def columns(self) -> dict[str, Array]:
        """Convert the answers to columns of a table; the k best sets have a line per row and rank."""
        if self.probabilities is None:
            return {**self.kept, **self._sets(self.values)}
        n, k, _ = self.values.shape
        there = (self.values[:, :, 0] != FREE).ravel()
        table = {
            "row": np.repeat(np.arange(n) + self.first_row, k),
            "rank": np.tile(np.arange(1, k + 1), n),
            "probability": self.probabilities.ravel(),
        }
        kept = {name: np.repeat(column, k)[there] for name, column in self.kept.items()}
        labels = self._sets(self.values.reshape(n * k, -1)[there])
        used = [*labels, *self.kept]
        taken = {free_name(name, used): column[there] for name, column in table.items()}
        return {**taken, **kept, **labels}

    def _sets(self, Y: Array) -> dict[str, Array]:
        """Label sets (m, L) as columns: one for each label, or a single one of tags."""
        if self.tags is None:
            return {name: Y[:, label] for label, name in enumerate(self.label_names)}
        names = np.asarray(self.label_names, dtype=object)
        listed = np.array([self.tags.separator.join(names[row == 1]) for row in Y], dtype=object)
        return {free_name(self.tags.column, self.kept): listed}

    def records(self) -> Iterator[dict[str, Any]]:
        """One JSON object per row."""
        names = np.asarray(self.label_names, dtype=object)
        for row, values in enumerate(self.values):
            about: dict[str, Any] = {"row": self.first_row + row}
            if self.kept:
                about["kept"] = {name: column[row] for name, column in self.kept.items()}
            if self.probabilities is not None:
                sets = [
                    {"labels": names[labels == 1].tolist(), "probability": float(p)}
                    for labels, p in zip(values, self.probabilities[row])
                    if labels[0] != FREE
                ]
                yield {**about, "sets": sets}
            elif values.dtype.kind == "f":
                yield {**about, "proba": dict(zip(self.label_names, values.tolist()))}
            else:
                yield {**about, "labels": names[values == 1].tolist()}


def tag_column(trained: TagColumn | None, label_names: Collection[str]) -> TagColumn:
    """The column of tags of the answers: that of the training table, with a separator that is in no tag.

    Examples
    --------
    >>> tag_column(TagColumn("topics", " "), ["money", "log in"])
    TagColumn(column='topics', separator=';')
    """
    column, own = ("labels", ";") if trained is None else (trained.column, trained.separator)
    free = [sign for sign in (own, *SEPARATORS) if not any(sign in name for name in label_names)]
    if not free:
        message = f"no sign of {' '.join(SEPARATORS)} is free to stand between the labels"
        raise InputError(message, hint="write JSON lines, or leave out --tags")
    return TagColumn(column, free[0])


def free_name(name: str, taken: Collection[str]) -> str:
    """Append underscores to a name until it is not taken.

    Examples
    --------
    >>> free_name("row", ["row", "row_"])
    'row__'
    """
    return free_name(name + "_", taken) if name in taken else name
