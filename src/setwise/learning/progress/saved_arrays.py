"""What the arrays of a checkpoint must be, before a fit continues from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.contract import Array
from setwise.inference.forests.arrays import topological_order

LARGEST = 1e30
"""Products of larger parameters and features can overflow."""

ADVICE = "delete its folder to start again"


class Expected(NamedTuple):
    """An array: its shape, in numbers and in names of lengths that arrays share, its data type and its range."""

    shape: tuple[int | str, ...]
    dtype: Any = np.float64
    low: float = -LARGEST
    high: float = LARGEST


def check_saved(state: dict[str, Array], **expected: Expected) -> None:
    """Raise a ValueError unless saved arrays are as expected.

    Examples
    --------
    >>> check_saved({"coef": np.zeros((2, 3))}, coef=Expected((2, "K")))
    >>> check_saved({"coef": np.zeros((2, 3))}, coef=Expected((4, "K")))
    Traceback (most recent call last):
    ValueError: coef of the checkpoint is not an array of this fit; delete its folder to start again
    """
    lengths: dict[str, int] = {}
    if state.keys() != expected.keys():
        raise ValueError(f"the checkpoint does not have the arrays of this fit; {ADVICE}")
    for name, wanted in expected.items():
        array = state[name]
        if not _has_shape(array, wanted, lengths) or not _is_between(array, wanted.low, wanted.high):
            raise ValueError(f"{name} of the checkpoint is not an array of this fit; {ADVICE}")


def check_forests(parents: Array) -> None:
    """Raise a ValueError if the saved parents (K, L) of labels form a cycle."""
    try:
        topological_order(parents)
    except ValueError as error:
        raise ValueError(f"in the checkpoint {error}; {ADVICE}") from error


def _has_shape(array: Array, wanted: Expected, lengths: dict[str, int]) -> bool:
    """Compare the data type and the shape; a name that is new gets its length here."""
    if not np.issubdtype(array.dtype, wanted.dtype) or array.ndim != len(wanted.shape):
        return False
    sizes = zip(array.shape, wanted.shape)
    return all(size == (lengths.setdefault(n, size) if isinstance(n, str) else n) for size, n in sizes)


def _is_between(array: Array, low: float, high: float) -> bool:
    return bool(((array >= low) & (array <= high)).all())
