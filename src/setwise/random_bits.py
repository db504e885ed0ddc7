"""Counter-based random numbers: each is a hash of its position, so the order of work does not change it."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.arrays import Array, Floats

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(bits: Array) -> Array:
    """Hash 64 bits by the finalizer of Steele, Lea and Flood: every input bit affects every output bit."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def keys(streams: Array, at: int) -> Array:
    """The ``at``-th key (n,) of each stream (n,)."""
    with np.errstate(over="ignore"):
        return np.asarray(mixed(streams + np.uint64(at) * GOLDEN))


def uniforms(streams: Array, n_numbers: int) -> Floats:
    """Numbers (n, n_numbers) strictly between 0 and 1, with 52 random bits each.

    Examples
    --------
    >>> import numpy as np
    >>> uniforms(np.array([7], np.uint64), 2).round(3)
    array([[0.39 , 0.017]])
    """
    with np.errstate(over="ignore"):
        counters = np.arange(1, n_numbers + 1, dtype=np.uint64) * GOLDEN
        bits = mixed(streams[:, None] + counters) >> np.uint64(12)
    return np.asarray((bits | np.uint64(0x3FF0000000000000)).view(np.float64) - 1.0 + 2.0**-53)


def content_keys(values: Floats) -> Array:
    """Hash each value to a key (n,); values that differ by the rounding error of a sum get the same key."""
    return np.asarray(mixed((np.round(values, 3) + 0.0).view(np.uint64)))


class RowNumbers(np.random.Generator):
    """Random numbers that depend on the row only: a row gets the same ones whatever the other rows are.

    All rows share the numbers of one generator, each row shifted by its own offset modulo 1. The numbers of a row are
    independent and uniform, and the errors of estimates made from them cancel over rows.

    Parameters
    ----------
    streams : array of shape (n,)
        Keys of the rows.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> both = RowNumbers(np.array([3, 8], np.uint64), 0).random((2, 4))
    >>> bool((RowNumbers(np.array([8], np.uint64), 0).random((1, 4)) == both[1]).all())
    True
    """

    def __init__(self, streams: Array, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.streams = streams

    def random(self, size: Any) -> Any:  # type: ignore[override]
        """Numbers (n, S, ...) of n rows, at least 0 and below 1."""
        n, n_draws, *rest = size
        angles = uniforms(self.streams, int(np.prod(rest))).reshape(n, 1, *rest)
        numbers = super().random((n_draws, *rest)) + angles
        numbers -= numbers >= 1.0
        return numbers
