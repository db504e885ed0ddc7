"""Numbers and sets as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.contract import FREE, Array, NotTractable
from setwise.printable import printable


def number(value: Any) -> float | None:
    """A number, None if it is not finite."""
    value = float(value)
    return value if math.isfinite(value) else None


def numbers(values: Any) -> list[float | None]:
    """Numbers, None in the place of those that are not finite."""
    return [number(value) for value in np.asarray(values).tolist()]


def set_of(labels: Array) -> list[int]:
    """The numbers of the labels that are on."""
    return np.flatnonzero(np.asarray(labels) == 1).tolist()


def unknown_of(labels: Array) -> list[int]:
    """The numbers of the labels that are unknown."""
    return np.flatnonzero(np.asarray(labels) == FREE).tolist()


def if_tractable(answer: Callable[[], Any]) -> Any:
    """An answer, or the reason why this family of distributions has none."""
    try:
        return answer()
    except NotTractable as error:
        return {"unavailable": printable(str(error))}
