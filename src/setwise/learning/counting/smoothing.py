"""Smoothing of counts."""

from __future__ import annotations

from typing import NamedTuple

SMALLEST_SMOOTHING = 1e-10
"""Smallest pseudo-count: without any, an unseen value would be impossible."""


class Smoothing(NamedTuple):
    """How counts are smoothed.

    ``alpha`` is added to counts; ``variance`` pseudo-rows with the column's variance are added to each class; variances
    divide by the number of rows minus ``ddof``.
    """

    alpha: float = 1.0
    variance: float = 1.0
    ddof: int = 1
