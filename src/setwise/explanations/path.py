"""Slopes of the log-odds on the straight way from the scores of the baseline to those of a row, on average.

Scores times mean slopes add up to the difference of the log-odds (the value of Aumann and Shapley, known as integrated
gradients). A log-odds that is linear in the scores has one slope everywhere, and the sum is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.explanations.events import Event
from setwise.explanations.scored import Scored

POINTS = 8
"""Points of the quadrature in each piece of the way."""
MOST_PIECES = 64
TOLERANCE = 1e-11
STRAIGHT = 1e-13
"""Slopes that differ by less are the same, but for rounding."""


class Way(NamedTuple):
    """Log-odds (m,) of the baseline and of the rows, and mean slopes (m, B) of each source between them."""

    base: Floats
    here: Floats
    slopes: list[Floats]


def mean_slopes(joint: Scored, event: Event, start: Sequence[Floats], end: Sequence[Floats]) -> Way:
    """Average the slopes; the way is cut into more pieces until the sum is right.

    Parameters
    ----------
    joint : Scored
    event : Event
        Of m entries.
    start, end : sequence of arrays of shape (m, B)
        Scores of the baseline and of the rows, of each source.

    Returns
    -------
    Way
    """
    base, here = (joint.log_odds(scores, event) for scores in (start, end))
    gain = here.value - base.value
    slopes = here.slopes
    left, pieces = _not_straight(base.slopes, here.slopes), 1
    while len(left):
        found = _quadrature(joint, event.take(left), [s[left] for s in start], [e[left] for e in end], pieces)
        for whole, part in zip(slopes, found):
            whole[left] = part
        missed = np.abs(_sums(slopes, start, end)[left] - gain[left])
        left = left[missed > TOLERANCE * (1.0 + np.abs(gain[left]))]
        pieces *= 4
        if pieces > MOST_PIECES:
            break
    return Way(base.value, here.value, _closed(slopes, start, end, gain))


def _not_straight(first: Sequence[Floats], last: Sequence[Floats]) -> Array:
    """The entries whose slopes differ between the two ends."""
    bent = [np.abs(a - b).max(axis=1, initial=0.0) > STRAIGHT for a, b in zip(first, last)]
    return np.flatnonzero(np.any(bent, axis=0))


def _quadrature(
    joint: Scored, event: Event, start: Sequence[Floats], end: Sequence[Floats], pieces: int
) -> list[Floats]:
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    slopes = [np.zeros_like(part) for part in end]
    for piece in range(pieces):
        for point, weight in zip(points, weights):
            at = (piece + 0.5 * (point + 1.0)) / pieces
            graded = joint.log_odds([a + at * (b - a) for a, b in zip(start, end)], event)
            for whole, part in zip(slopes, graded.slopes):
                whole += 0.5 * weight / pieces * part
    return slopes


def _sums(slopes: Sequence[Floats], start: Sequence[Floats], end: Sequence[Floats]) -> Floats:
    return np.sum([(s * (b - a)).sum(axis=1) for s, a, b in zip(slopes, start, end)], axis=0)


def _closed(
    slopes: list[Floats], start: Sequence[Floats], end: Sequence[Floats], gain: Floats
) -> list[Floats]:
    """Change the slopes as little as possible, so that the sum is right to the last digits."""
    square = np.sum([((b - a) ** 2).sum(axis=1) for a, b in zip(start, end)], axis=0)
    missed = gain - _sums(slopes, start, end)
    share = np.divide(missed, square, out=np.zeros_like(missed), where=square > 0)
    return [s + share[:, None] * (b - a) for s, a, b in zip(slopes, start, end)]
