"""Short hashes of training rows in a model file, to say whether it is judged on rows that it was fitted to."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from setwise.arrays import Array, Matrix
from setwise.errors import InputError
from setwise.kernels.matrices import row_keys

MOST = 20_000
"""Hashes that are kept: of more rows, the smallest ones, a sample by content."""
BYTES = 4


@dataclass(frozen=True)
class RowKeys:
    """Sorted hashes (m,) of 32 bits; ``is_sample`` if there were more.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> keys = RowKeys.of(X[:5])
    >>> keys.seen_share(X), RowKeys.from_text(keys.to_text()).seen_share(X[:5])
    (0.5, 1.0)
    >>> (keys | RowKeys.of(X[5:])).seen_share(X)
    1.0
    """

    hashes: Array
    is_sample: bool = False

    @classmethod
    def of(cls, X: Matrix) -> Self:
        """Hash the rows of ``X`` (n, d)."""
        hashes = np.unique(_hashes(X))
        return cls(hashes[:MOST], len(hashes) > MOST)

    def __or__(self, other: RowKeys) -> RowKeys:
        """The hashes of the rows of both."""
        hashes = np.union1d(self.hashes, other.hashes)
        return RowKeys(hashes[:MOST], self.is_sample or other.is_sample or len(hashes) > MOST)

    def seen_share(self, X: Matrix) -> float:
        """Share of the rows of ``X`` that are among the hashed ones, of those that the sample can tell."""
        hashes = _hashes(X)
        if self.is_sample:
            hashes = hashes[hashes <= self.hashes[-1]]
        return float(np.isin(hashes, self.hashes).mean()) if len(hashes) else 0.0

    def to_text(self) -> str:
        """Write as text for JSON; a mark that base64 does not use begins that of a sample."""
        mark = "*" if self.is_sample else ""
        return mark + base64.b64encode(self.hashes.astype("<u4").tobytes()).decode()

    @classmethod
    def from_text(cls, text: Any) -> Self:
        """Read from a model file, which may be untrusted."""
        try:
            raw = base64.b64decode(str(text).removeprefix("*"), validate=True)
        except (binascii.Error, ValueError):
            raw = b"?"
        if not isinstance(text, str) or not raw or len(raw) % BYTES or len(raw) > BYTES * MOST:
            raise InputError("the notes about the training data are damaged")
        return cls(np.frombuffer(raw, "<u4").astype(np.uint32), text.startswith("*"))


def _hashes(X: Matrix) -> Array:
    return (row_keys(X) >> np.uint64(32)).astype(np.uint32)
