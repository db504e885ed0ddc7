"""Choosing the L2 penalty inside ``fit``: held-out log-loss along a warm-started path, all problems at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from setwise.contract import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.descent import Minima
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import LogisticProblems, fit_logistic
from setwise.learning.progress.monitor import current_monitor

PATH_START = 10.0
PATH_FACTOR = 10.0**-0.5
PATH_STEPS = 12
PATH_TOL = 1e-5
TRIAL_CELLS = 1 << 23
"""Rows times classes at most on which a penalty of many classes is chosen."""


class L2Choice(NamedTuple):
    """Chosen penalties ``l2`` (B,), their held-out ``loss`` (B,), and coefficients ``start`` (D, B) near the
    optimum there; the ``path`` (P,) that was walked and its held-out ``losses`` (P, B).
    """

    l2: Floats
    loss: Floats
    start: Floats | None
    path: Floats
    losses: Floats


def held_out_loss(design: Design, problems: LogisticProblems, coef: Floats) -> Floats:
    """Weighted log-loss (B,) of coefficients (D, B) on the rows of ``design``."""
    scores = np.ascontiguousarray(design.scores(coef))
    still, p = np.zeros(len(problems)), problems.as_dtype(scores.dtype)
    out = np.empty_like(scores), np.empty_like(scores)
    loss, _ = implementation.logistic_step(
        scores, scores, still, p.targets, p.target, p.weights, p.weight, *out
    )
    return np.asarray(loss)


def choose_l2(
    design: Design, problems: LogisticProblems, fold: Array | None, l2: float | None = None
) -> L2Choice:
    """A penalty for each problem by its held-out loss, from strong to weak.

    The path starts at ten times the total variance of the columns, a scale on which the best penalties of
    very different data lie within two decades, and ends when every curve has risen for two steps. A problem
    is judged by its own curve plus the mean curve of all: rare labels alone would choose by chance.

    Parameters
    ----------
    design : Design of n rows
    problems : LogisticProblems
        Their own penalties are ignored.
    fold : ndarray of shape (n,) or None
        The fold of each row; each fold is predicted by a model of the others. None, where there are too few
        rows: the penalty is the total variance of the columns, and the losses are zero.
    l2 : float, optional
        The only penalty to try: nothing is chosen, but the held-out losses are.
    """
    parts = None
    if fold is not None:
        splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
        parts = [_Part(design, problems, a, b) for a, b in splits]
    return walk_path(parts, design, len(problems), l2)


class PathPart(Protocol):
    """One fold of a path: where its last fit ended, and how to go one penalty further."""

    coef: Floats

    def step(self, l2: float, which: Array) -> Floats:
        """Fit the problems ``which`` with penalty ``l2``, starting from ``coef``; their held-out losses."""


def walk_path(
    parts: Sequence[PathPart] | None, design: Design, n_problems: int, l2: float | None = None
) -> L2Choice:
    """Walk the folds down the path of penalties together, until every problem's loss has risen for two steps.

    A problem whose loss has is not fitted again, as weak penalties cost the most; its curve is taken to go on
    as steeply as it last rose. ``parts`` is None where there are too few rows to hold any out.
    """
    scale = max(design.total_variance, 1e-3)
    if parts is None:
        nothing = np.zeros(n_problems)
        return L2Choice(
            nothing + (scale if l2 is None else l2), nothing, None, np.empty(0), nothing[None, :0]
        )
    path = (
        np.array([l2])
        if l2 is not None
        else scale * PATH_START * np.power(PATH_FACTOR, np.arange(PATH_STEPS))
    )
    losses: list[Floats] = []
    start, which = np.zeros_like(parts[0].coef), np.arange(n_problems)
    for penalty in current_monitor().steps("penalties", path):
        loss = 2.0 * losses[-1] - losses[-2] if len(losses) > 1 else np.empty(n_problems)
        loss[which] = sum(part.step(penalty, which) for part in parts)
        losses.append(loss)
        lowest = _pooled(np.array(losses)).argmin(axis=0)
        improved = np.broadcast_to(lowest == len(losses) - 1, start.shape[1:])
        start[:, improved] = np.mean([part.coef[:, improved] for part in parts], axis=0)
        which = which[lowest[which] >= len(losses) - 2]
        if not len(which):
            break
    curves, walked = np.array(losses), path[: len(losses)]
    chosen = np.take_along_axis(curves, lowest[None], axis=0)[0]
    return L2Choice(_vertex(walked, _pooled(curves)), chosen, start, walked, curves)


class _Part:
    """One fold of a path of logistic regressions."""

    def __init__(self, design: Design, problems: LogisticProblems, rows: Array, held_out: Array) -> None:
        self.design, self.problems = design.take(rows), problems.take_rows(rows).as_dtype(design.dtype)
        self.held_out, self.held_out_problems = design.take(held_out), problems.take_rows(held_out)
        self.coef: Floats = np.zeros((design.n_columns, len(problems)))

    def step(self, l2: float, which: Array) -> Floats:
        problems = self.problems.take(which).with_l2(l2)
        fit = fit_logistic(self.design, problems, self.coef[:, which], tol=PATH_TOL, max_iter=100)
        self.coef[:, which] = fit.coef
        return held_out_loss(self.held_out, self.held_out_problems.take(which), fit.coef)


def _pooled(losses: Floats) -> Floats:
    excess = losses - losses.min(axis=0)
    return np.asarray(excess + excess.mean(axis=1, keepdims=True))


def _vertex(path: Floats, curves: Floats) -> Floats:
    """The penalty at the vertex of a parabola through the best point of each curve and its neighbours."""
    if len(path) < 3:
        return np.asarray(path[curves.argmin(axis=0)])
    middle = np.clip(curves.argmin(axis=0), 1, len(path) - 2)
    left, best, right = (np.take_along_axis(curves, (middle + s)[None], axis=0)[0] for s in (-1, 0, 1))
    bend = left - 2.0 * best + right
    shift = np.where(bend > 0, 0.5 * (left - right) / np.where(bend > 0, bend, 1.0), 0.0)
    return np.asarray(path[middle] * PATH_FACTOR ** np.clip(shift, -1.0, 1.0))


def fit_tuned(
    design: Design, problems: LogisticProblems, X: Matrix, *, l2: float | str, tol: float = 1e-8
) -> tuple[Minima, Floats]:
    """Fit all problems with the given penalty, or with one chosen for each where it is ``"auto"``.

    Returns the fit and the penalties (B,).
    """
    if l2 == "auto":
        choice = choose_l2(design, problems, row_folds(X))
        return fit_logistic(design, problems.with_l2(choice.l2), choice.start, tol=tol), choice.l2
    problems = problems.with_l2(float(l2))
    return fit_logistic(design, problems, tol=tol), problems.l2
