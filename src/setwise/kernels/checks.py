"""Checks of the arguments of the NumPy twins, with the messages of the compiled kernels (``native/checks.h``).

A wrong dtype or number of dimensions is a TypeError; a wrong shape or an index out of range is a ValueError.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from setwise.contract import Array, Bools

Shape = tuple[int | None, ...]
FLOATS = (np.float64, np.float32)


def check_array(name: str, array: Array, dtypes: Any, shape: Shape) -> None:
    """Check dtype and shape; None stands for any length."""
    allowed = dtypes if isinstance(dtypes, tuple) else (dtypes,)
    if not isinstance(array, np.ndarray) or array.dtype not in allowed or array.ndim != len(shape):
        names = " or ".join(np.dtype(kind).name for kind in allowed)
        raise TypeError(f"{name} must be an array of {names} with {len(shape)} dimensions")
    if any(wanted is not None and wanted != size for wanted, size in zip(shape, array.shape)):
        wanted = tuple(size if length is None else int(length) for length, size in zip(shape, array.shape))
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}")


def check_output(name: str, array: Array, dtypes: Any, shape: Shape) -> None:
    """Check an array that is written to: also that it is writeable and C-ordered."""
    check_array(name, array, dtypes, shape)
    if not (array.flags.writeable and array.flags.c_contiguous):
        raise TypeError(f"{name} must be writeable and C-ordered")


def check_at_least(name: str, value: int, least: int) -> None:
    """Check a number."""
    if operator.index(value) < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


def refuse_entry(name: str, array: Array, wrong: Bools, rule: str) -> None:
    """Raise an error that names the first wrong entry, if there is one."""
    if wrong.any():
        place = tuple(int(at[0]) for at in np.nonzero(wrong))
        raise ValueError(f"{name} must {rule}, got {array[place].item()} at {list(place)}")


def check_between(name: str, array: Array, low: float, high: float) -> None:
    """Check that every entry is at least ``low`` and at most ``high``."""
    refuse_entry(name, array, ~((array >= low) & (array <= high)), f"be between {low} and {high}")


def check_places(name: str, array: Array, size: int) -> None:
    """Check indices into an axis of ``size`` entries."""
    check_between(name, array, 0, size - 1)


def check_labels(name: str, array: Array, shape: Shape, *, free: bool = False) -> None:
    """Check labels of 0 and 1, and -1 if they may be ``free``."""
    check_array(name, array, np.int8, shape)
    check_between(name, array, -1 if free else 0, 1)


def check_parts(name: str, first: Array, size: int) -> None:
    """Check the bounds of consecutive parts of an axis: they rise from 0 to ``size``."""
    check_array(name, first, np.int32, (None,))
    if not len(first) or first[0] != 0 or first[-1] != size or (np.diff(first) <= 0).any():
        raise ValueError(f"{name} must rise from 0 to {size}")


def check_forests(logits: Array, parents: Array, order: Array) -> tuple[int, int, int, int]:
    """Check tables, parents and an order that lists every label once, after its parent; return (n, K, L, V)."""
    check_array("logits", logits, FLOATS, (None, None, None, None))
    n, K, L, V = logits.shape
    check_at_least("the number of components (axis 1 of logits)", K, 1)
    check_at_least("the number of labels (axis 2 of logits)", L, 1)
    if V not in (1, 2):
        check_array("logits", logits, FLOATS, (n, K, L, 2))
    check_array("parents", parents, np.int32, (K, L))
    check_array("order", order, np.int32, (K, L))
    check_between("parents", parents, -1, L - 1)
    if V == 1:
        refuse_entry("parents", parents, parents >= 0, "be -1 if V is 1")
    check_places("order", order, L)
    place = np.full((K, L), -1)
    np.put_along_axis(place, order, np.arange(L)[None, :], axis=1)
    above = np.where(parents < 0, -1, np.take_along_axis(place, np.maximum(parents, 0), axis=1))
    above = np.take_along_axis(above, order, axis=1)
    listed_last = np.take_along_axis(place, order, axis=1) == np.arange(L)
    refuse_entry(
        "order", order, ~listed_last | (above >= np.arange(L)), "list every label once, after its parent"
    )
    return n, K, L, V


def check_chain(offsets: Array, coupling: Array) -> tuple[int, int]:
    """Check offsets (n, L) and couplings (L, L) of linear chains; return (n, L)."""
    check_array("offsets", offsets, np.float64, (None, None))
    n, L = offsets.shape
    check_array("coupling", coupling, np.float64, (L, L))
    return n, L


def check_tree(feature: Array, left: Array, right: Array, value: Array, n_features: int) -> int:
    """Check nodes whose children come after them, so that every walk ends at a leaf; return their number."""
    check_array("feature", feature, np.int32, (None,))
    size = len(feature)
    for name, child in (("left", left), ("right", right)):
        check_array(name, child, np.int32, (size,))
    check_array("value", value, np.float64, (size,))
    check_between("feature", feature, -1, n_features - 1)
    for name, child in (("left", left), ("right", right)):
        wrong = (feature >= 0) & ~((np.arange(size) < child) & (child < size))
        refuse_entry(name, child, wrong, f"be after its parent and below {size}")
    return size
