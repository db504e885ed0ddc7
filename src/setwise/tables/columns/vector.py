"""Columns of vectors, such as embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from setwise.contract import Floats
from setwise.tables.columns.column import Column, Encoded, Entries, Options, Unreadable, is_missing
from setwise.tables.labels.tag_lists import read_list


@dataclass(frozen=True)
class Vector(Column):
    """Vectors of one length: a feature an entry. They are centred and share one scale, which keeps their geometry.

    Parameters
    ----------
    center : ndarray of shape (k,)
    scale : float
    fill : float
        In the place of missing vectors: 0, the mean, or NaN.

    Examples
    --------
    >>> Vector.fit([[1.0, 4.0], [3.0, 2.0]], Options()).encode([[3.0, 4.0], None]).features
    array([[1., 1.],
           [0., 0.]])
    """

    kind = "vector"

    center: Floats
    scale: float = 1.0
    fill: float = 0.0

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        known = [entry for entry in entries if not is_missing(entry)]
        first = read_vector(known[0]) if known else None
        length = 0 if first is None else len(first)
        values = _read(entries, length)
        values = values[~np.isnan(values).all(axis=1)] if length else values
        fill = np.nan if options.keep_missing else 0.0
        if not options.scale or not len(values):
            return cls(np.zeros(length), fill=fill)
        center = values.mean(axis=0)
        scale = float(np.sqrt(((values - center) ** 2).mean()))
        return cls(center, scale or 1.0, fill)

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        values = (_read(entries, len(self.center)) - self.center) / self.scale
        return Encoded(np.where(np.isnan(values), self.fill, values))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return [f"{name}[{place}]" for place in range(len(self.center))]

    def made(self) -> str:
        """See :class:`Column`."""
        return f"vectors of {len(self.center)} numbers"


def _read(entries: Entries, length: int) -> Floats:
    """Vectors (n, length), NaN where one is missing."""
    out = np.full((len(entries), length), np.nan)
    for row, entry in enumerate(entries):
        if is_missing(entry):
            continue
        vector = read_vector(entry)
        if vector is None or vector.shape != (length,):
            raise Unreadable(f"{length} finite numbers", row)
        out[row] = vector
    return out


def read_vector(entry: Any) -> Floats | None:
    """The numbers of a list, also of one that JSON or Python wrote; None if it holds something else, or one number.

    Examples
    --------
    >>> read_vector("[0.5, 1]"), read_vector(["red"])
    (array([0.5, 1. ]), None)
    """
    found = read_list(entry.strip()) if isinstance(entry, str) else entry
    try:
        vector = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return vector if vector.ndim == 1 and len(vector) > 1 and np.isfinite(vector).all() else None
