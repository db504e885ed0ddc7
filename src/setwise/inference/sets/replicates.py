"""Means over draws to a wanted standard error: groups of stratified draws, until the means of the groups agree.

The numbers of a group form a Latin hypercube: those of each label fall evenly over 0..1. That cancels the error that
single labels cause, and a third of the draws suffices for the same error. Groups are independent, so the spread of
their means gives the standard error.

M. D. McKay, R. J. Beckman and W. J. Conover, "A comparison of three methods for selecting values of input variables in
the analysis of output from a computer code", Technometrics 21, 1979.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.limits import GROUP_DRAWS, MOST_GROUPS, STANDARD_ERROR

LEAST_GROUPS = 8
"""Groups before their spread is trusted."""
SEED = 0


class Means(NamedTuple):
    """Estimated means (n, L), and the largest standard error of each row (n,)."""

    means: Floats
    standard_error: Floats


def estimate_means(
    group_means: Callable[[Array, Floats], Floats], shape: tuple[int, int], n_numbers: int
) -> Means:
    """Average groups of draws until no label of a row has a larger standard error than .01.

    Parameters
    ----------
    group_means : callable
        ``group_means(rows, points)`` returns the means (r, L) of some rows over draws decided by ``points``.
    shape : tuple of (n, L)
    n_numbers : int
        Numbers that decide a draw: ``points`` are (S, n_numbers).

    Returns
    -------
    Means

    Examples
    --------
    >>> import numpy as np
    >>> fair = estimate_means(lambda rows, points: (points < 0.5).mean(axis=0)[None].repeat(len(rows), 0), (2, 3), 3)
    >>> fair.means.round(2), bool((fair.standard_error < 0.01).all())
    (array([[0.5, 0.5, 0.5],
           [0.5, 0.5, 0.5]]), True)
    """
    total, squares, error = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    count, rows = np.zeros((shape[0], 1)), np.arange(shape[0])
    for group in range(MOST_GROUPS):
        means = group_means(rows, latin_points(group, n_numbers))
        total[rows] += means
        squares[rows] += means**2
        count[rows] += 1
        if group + 1 >= LEAST_GROUPS:
            error[rows] = _standard_error(total[rows], squares[rows], group + 1)
            rows = rows[error[rows] > STANDARD_ERROR]
        if not rows.size:
            break
    return Means(total / np.maximum(count, 1.0), error)


def _standard_error(total: Floats, squares: Floats, count: int) -> Floats:
    variance = np.maximum(squares / count - (total / count) ** 2, 0.0) / (count - 1)
    return np.sqrt(variance.max(axis=1, initial=0.0))


@lru_cache(maxsize=2 * MOST_GROUPS)
def latin_points(group: int, n_numbers: int) -> Floats:
    """Numbers (GROUP_DRAWS, n_numbers) in 0..1 of a group of draws; each column has one in every stratum.

    Examples
    --------
    >>> bool((np.sort(latin_points(0, 3), axis=0) < (np.arange(GROUP_DRAWS) + 1)[:, None] / GROUP_DRAWS).all())
    True
    """
    rng = np.random.default_rng([SEED, group])
    strata = np.tile(np.arange(GROUP_DRAWS)[:, None], (1, n_numbers))
    points: Floats = (rng.permuted(strata, axis=0) + rng.random(strata.shape)) / GROUP_DRAWS
    points.setflags(write=False)
    return points
