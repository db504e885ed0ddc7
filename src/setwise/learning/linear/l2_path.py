"""Choosing an L2 penalty by the held-out loss along a path from strong to weak penalties, with warm starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from setwise.arrays import Array, Floats
from setwise.learning.linear.design import Design
from setwise.learning.progress.monitor import current_monitor

PATH_START = 10.0
"""First penalty, in units of the total variance of the columns: on this scale the best penalties of very different
data lie within two decades."""
PATH_FACTOR = 10.0**-0.5
PATH_STEPS = 12
PATH_TOL = 1e-5
"""Tolerance of the fits along the path."""


class L2Choice(NamedTuple):
    """The penalties chosen for B problems, and the path they were chosen on.

    Penalties ``l2`` (B,), their held-out ``loss`` (B,), coefficients ``start`` (D, B) near the optimum there; the
    ``path`` (P,) of penalties and its held-out ``losses`` (P, B).
    """

    l2: Floats
    loss: Floats
    start: Floats | None
    path: Floats
    losses: Floats


class PathPart(Protocol):
    """One fold of a path: the coefficients of its last fit, and a step to the next penalty."""

    coef: Floats

    def step(self, l2: float, which: Array) -> Floats:
        """Fit the problems ``which`` with penalty ``l2``, starting from ``coef``; return their held-out losses."""


def walk_path(
    make_part: Callable[[Array, Array], PathPart],
    fold: Array | None,
    design: Design,
    n_problems: int,
    l2: float | None = None,
) -> L2Choice:
    """Walk all folds down the path together until every problem's loss has risen for two steps.

    A problem whose loss has risen is not fitted again, as weak penalties are the most expensive; its curve is continued
    with its last slope.

    Parameters
    ----------
    make_part : callable
        ``make_part(rows, held_out)`` returns the PathPart of a fold.
    fold : ndarray of shape (n,) or None
        The fold of each row. None if there are too few rows: the penalty is then the total variance of the columns,
        and the losses are zero.
    design : Design
    n_problems : int
        Number of problems B.
    l2 : float, optional
        The only penalty to try: nothing is chosen, but the held-out losses are computed.

    Returns
    -------
    L2Choice
    """
    scale = max(design.total_variance, 1e-3)
    if fold is None:
        nothing = np.zeros(n_problems)
        penalties = nothing + (scale if l2 is None else l2)
        return L2Choice(penalties, nothing, None, np.empty(0), nothing[None, :0])
    parts = [make_part(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    path = scale * PATH_START * np.power(PATH_FACTOR, np.arange(PATH_STEPS)) if l2 is None else np.array([l2])
    losses: list[Floats] = []
    start, which = np.zeros_like(parts[0].coef), np.arange(n_problems)
    for penalty in current_monitor().steps("penalties", path):
        loss = 2.0 * losses[-1] - losses[-2] if len(losses) > 1 else np.empty(n_problems)
        loss[which] = sum(part.step(penalty, which) for part in parts)
        losses.append(loss)
        lowest = _pool_curves(np.array(losses)).argmin(axis=0)
        improved = np.broadcast_to(lowest == len(losses) - 1, start.shape[1:])
        start[:, improved] = np.mean([part.coef[:, improved] for part in parts], axis=0)
        which = which[lowest[which] >= len(losses) - 2]
        if not len(which):
            break
    curves, walked = np.array(losses), path[: len(losses)]
    chosen = np.take_along_axis(curves, lowest[None], axis=0)[0]
    return L2Choice(_vertex(walked, _pool_curves(curves)), chosen, start, walked, curves)


def _pool_curves(losses: Floats) -> Floats:
    """Add the mean curve of all problems to each curve (P, B): rare labels alone would choose by chance."""
    excess = losses - losses.min(axis=0)
    return np.asarray(excess + excess.mean(axis=1, keepdims=True))


def _vertex(path: Floats, curves: Floats) -> Floats:
    """Find the penalty at the vertex of a parabola through the best point of each curve and its neighbours."""
    if len(path) < 3:
        return np.asarray(path[curves.argmin(axis=0)])
    middle = np.clip(curves.argmin(axis=0), 1, len(path) - 2)
    left, best, right = (np.take_along_axis(curves, (middle + s)[None], axis=0)[0] for s in (-1, 0, 1))
    bend = left - 2.0 * best + right
    shift = np.where(bend > 0, 0.5 * (left - right) / np.where(bend > 0, bend, 1.0), 0.0)
    return np.asarray(path[middle] * PATH_FACTOR ** np.clip(shift, -1.0, 1.0))
