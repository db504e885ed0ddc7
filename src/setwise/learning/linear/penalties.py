"""L2 penalties of many logistic regressions, chosen inside ``fit`` by the held-out log-loss of all at once."""

from __future__ import annotations

from functools import partial

import numpy as np

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels import implementation
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.descent import Minima, rough_design
from setwise.learning.linear.design import Design
from setwise.learning.linear.l2_path import PATH_TOL, L2Choice, walk_path
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems

TRIAL_CELLS = 1 << 23
"""Largest number of rows times classes on which a penalty of many classes is chosen."""


def held_out_loss(design: Design, problems: LogisticProblems, coef: Floats) -> Floats:
    """Compute the weighted log-loss (B,) of coefficients (D, B) on the rows of ``design``."""
    scores = np.ascontiguousarray(design.scores(coef))
    still, p = np.zeros(len(problems)), problems.as_dtype(scores.dtype)
    out = np.empty_like(scores), np.empty_like(scores)
    sums = implementation.logistic_step(scores, scores, still, p.targets, p.target, p.weights, p.weight, *out)
    return np.asarray(sums[0])


def choose_l2(
    design: Design, problems: LogisticProblems, fold: Array | None, l2: float | None = None
) -> L2Choice:
    """Choose a penalty for each problem by its held-out loss.

    A problem is judged by its own curve plus the mean curve of all: rare labels alone would choose by chance.

    Parameters
    ----------
    design : Design of n rows
    problems : LogisticProblems
        Their own penalties are ignored.
    fold : ndarray of shape (n,) or None
        The fold of each row; each fold is predicted by a model of the others. None if there are too few rows: the
        penalty is then the total variance of the columns, and the losses are zero.
    l2 : float, optional
        The only penalty to try: nothing is chosen, but the held-out losses are computed.

    Returns
    -------
    L2Choice
    """
    # Losses along the path differ in far earlier digits than single precision has.
    rough = rough_design(design, len(problems)) or design
    return walk_path(partial(_LogisticPart, rough, problems), fold, design, len(problems), l2)


def fit_tuned(
    design: Design, problems: LogisticProblems, X: Matrix, *, l2: float | str, tol: float = 1e-8
) -> tuple[Minima, Floats]:
    """Fit all problems with the given penalty, or with one chosen for each.

    Parameters
    ----------
    design : Design of n rows
    problems : LogisticProblems
    X : array or CSR of shape (n, any)
        The folds of the rows follow from its content.
    l2 : float or "auto"
    tol : float, default=1e-8

    Returns
    -------
    fit : Minima
    l2 : ndarray of shape (B,)
    """
    if l2 == "auto":
        choice = choose_l2(design, problems, row_folds(X))
        return fit_logistic(design, problems.with_l2(choice.l2), choice.start, tol=tol), choice.l2
    problems = problems.with_l2(float(l2))
    return fit_logistic(design, problems, tol=tol), problems.l2


class _LogisticPart:
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
