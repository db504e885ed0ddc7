"""Choosing the L2 penalty inside ``fit``: held-out log-loss along a warm-started path, all problems at once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels import implementation
from setwise.kernels.design import Design, row_keys
from setwise.learning.logistic import LogisticFit, LogisticProblems, fit_logistic

PATH_START = 10.0
PATH_FACTOR = 10.0**-0.5
PATH_STEPS = 12
PATH_TOL = 1e-5
N_FOLDS = 3


class L2Choice(NamedTuple):
    """Chosen penalties ``l2`` (B,), the ``path`` (P,) they lie on, its held-out ``losses`` (P, B), and
    coefficients ``start`` (D, B) near the optimum at the chosen penalties.
    """

    l2: Floats
    path: Floats
    losses: Floats
    start: Floats


def row_folds(X: Array, n_folds: int) -> Array:
    """The fold (n,) of each row, by its content: equal rows share a fold, whatever their order or storage.

    So a model does not change when rows are shuffled, repeated instead of weighted, or stored as CSR, and no
    copy of a training row is ever validated on.
    """
    _, group = np.unique(row_keys(X), return_inverse=True)
    return np.asarray(group % n_folds)


def held_out_loss(design: Design, problems: LogisticProblems, coef: Floats) -> Floats:
    """Weighted log-loss (B,) of coefficients (D, B) on the rows of ``design``."""
    scores = np.ascontiguousarray(design.scores(coef))
    spare = np.empty_like(scores)
    still = np.zeros(len(problems))
    p = problems
    loss, _ = implementation.logistic_step(
        scores, scores, still, p.targets, p.target, p.weights, p.weight, spare, spare
    )
    return np.asarray(loss)


def choose_l2(design: Design, problems: LogisticProblems, fold: Array) -> L2Choice:
    """A penalty for each problem by its held-out loss, from strong to weak.

    The path starts at ten times the total variance of the columns, a scale on which the best penalties of
    very different data lie within two decades, and ends when every curve has risen for two steps. A problem
    is judged by its own curve plus the mean curve of all: rare labels alone would choose by chance.

    Parameters
    ----------
    design : Design of n rows
    problems : LogisticProblems
        Their own penalties are ignored.
    fold : ndarray of shape (n,)
        The fold of each row; each fold is predicted by a model of the others.
    """
    splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
    parts = [
        (design.take(a), problems.take_rows(a), design.take(b), problems.take_rows(b)) for a, b in splits
    ]
    path = PATH_START * max(design.total_variance, 1e-3) * PATH_FACTOR ** np.arange(PATH_STEPS)
    coefs: list[Floats | None] = [None] * len(parts)
    losses, starts = [], []
    for l2 in path:
        loss = np.zeros(len(problems))
        for f, (fit_design, fit_problems, val_design, val_problems) in enumerate(parts):
            fit = fit_logistic(fit_design, replace(fit_problems, l2=l2), coefs[f], tol=PATH_TOL, max_iter=100)
            coefs[f] = fit.coef
            loss += held_out_loss(val_design, val_problems, fit.coef)
        losses.append(loss)
        starts.append(np.mean(np.array(coefs), axis=0))
        if np.all(_pooled(np.array(losses)).argmin(axis=0) < len(losses) - 2):
            break
    curves = _pooled(np.array(losses))
    start = np.stack([starts[p][:, b] for b, p in enumerate(curves.argmin(axis=0))], axis=1)
    return L2Choice(_vertex(path[: len(losses)], curves), path[: len(losses)], np.array(losses), start)


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
    design: Design, problems: LogisticProblems, X: Array, *, l2: float | str, tol: float = 1e-8
) -> tuple[LogisticFit, Floats]:
    """Fit all problems with the given penalty, or with one chosen by cross-validation where it is ``"auto"``.

    Returns the fit and the penalties (B,). Too few distinct rows to validate on: the penalty is the total
    variance of the columns.
    """
    if l2 != "auto":
        return _fit_at(design, problems, check_l2(l2), None, tol)
    fold = row_folds(X, N_FOLDS)
    if np.bincount(fold, minlength=N_FOLDS).min() < 2:
        return _fit_at(design, problems, max(design.total_variance, 1e-3), None, tol)
    choice = choose_l2(design, problems, fold)
    return _fit_at(design, problems, choice.l2, choice.start, tol)


def check_l2(l2: float | str) -> float:
    """A penalty given by the user, or a ValueError."""
    if isinstance(l2, str) or not np.isfinite(l2) or l2 < 0:
        raise ValueError(f"l2 is {l2!r}; expected 'auto' or a number that is not negative")
    return float(l2)


def _fit_at(
    design: Design, problems: LogisticProblems, l2: float | Floats, start: Floats | None, tol: float
) -> tuple[LogisticFit, Floats]:
    problems = replace(problems, l2=l2)
    return fit_logistic(design, problems, start, tol=tol), np.asarray(problems.l2)
