"""Notes about the training data in a model file: ``setwise fit`` writes them, other commands read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from setwise.errors import InputError
from setwise.persistence.row_keys import RowKeys
from setwise.tables import Schema

KEY = "training"
"""Key of these notes among all notes of a model file, some of which may be the user's."""


@dataclass(frozen=True)
class TrainingNotes:
    """The training data of a model.

    Attributes
    ----------
    data : str
        Name of the file or data set.
    rows, data_rows : int
        Rows that the model was fitted to, and rows of the data.
    features : tuple of str
        Names of the features; empty if they are only numbered.
    schema : Schema, optional
        How columns became features.
    keys : RowKeys, optional
        Short hashes of the training rows, by which rows that a model was fitted to are found again.

    Examples
    --------
    >>> notes = TrainingNotes("songs.csv", 90, 120, ("tempo",), Schema(("tempo",)))
    >>> TrainingNotes.from_notes(notes.to_notes()) == notes
    True
    >>> TrainingNotes.from_notes({"mine": 1}) is None
    True
    """

    data: str
    rows: int
    data_rows: int
    features: tuple[str, ...] = ()
    schema: Schema | None = None
    keys: RowKeys | None = None

    def to_notes(self) -> dict[str, Any]:
        """The notes for ``setwise.save``."""
        schema = None if self.schema is None else self.schema.to_dict()
        about = {"data": self.data, "rows": self.rows, "data_rows": self.data_rows}
        keys = {} if self.keys is None else {"keys": self.keys.to_text()}
        return {KEY: about | {"features": list(self.features), "schema": schema} | keys}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Self | None:
        """Read the notes of a model file, which may be untrusted; None if there are none."""
        stored = notes.get(KEY)
        if stored is None:
            return None
        parts = ("data", "rows", "data_rows", "features", "schema")
        if not isinstance(stored, dict) or stored.keys() - {"keys"} != set(parts):
            raise InputError("the notes about the training data are damaged")
        data, rows, data_rows, features, schema = (stored[part] for part in parts)
        numbers = isinstance(rows, int) and isinstance(data_rows, int)
        names = isinstance(features, list) and all(isinstance(name, str) for name in [data, *features])
        if not (numbers and names):
            raise InputError("the notes about the training data are damaged")
        known = None if schema is None else Schema.from_dict(schema)
        keys = RowKeys.from_text(stored["keys"]) if "keys" in stored else None
        return cls(data, rows, data_rows, tuple(features), known, keys)
