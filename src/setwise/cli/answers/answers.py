"""Answers for rows, with the names of the labels and columns to show beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.contract import FREE, Array


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
    """

    label_names: list[str]
    values: Array
    probabilities: Array | None = None
    kept: Mapping[str, Array] = field(default_factory=dict)
    first_row: int = 0

    def columns(self) -> dict[str, Array]:
        """Convert the answers to columns of a table; the k best sets have a line per row and rank."""
        if self.probabilities is None:
            labels = {name: self.values[:, label] for label, name in enumerate(self.label_names)}
            return {**self.kept, **labels}
        n, k, _ = self.values.shape
        there = (self.values[:, :, 0] != FREE).ravel()
        table = {
            "row": np.repeat(np.arange(n) + self.first_row, k),
            "rank": np.tile(np.arange(1, k + 1), n),
            "probability": self.probabilities.ravel(),
        }
        kept = {name: np.repeat(column, k)[there] for name, column in self.kept.items()}
        used = [*self.label_names, *self.kept]
        taken = {free_name(name, used): column[there] for name, column in table.items()}
        labels = {
            name: self.values[:, :, label].ravel()[there] for label, name in enumerate(self.label_names)
        }
        return {**taken, **kept, **labels}

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


def free_name(name: str, taken: Collection[str]) -> str:
    """Append underscores to a name until it is not taken.

    Examples
    --------
    >>> free_name("row", ["row", "row_"])
    'row__'
    """
    return free_name(name + "_", taken) if name in taken else name
