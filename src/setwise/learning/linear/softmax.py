"""Softmax regressions with soft targets: the gate of a mixture, the classes of a label powerset.

Each minimizes  sum_i [ w_i log sum_k exp(a_i' beta_k) - sum_k h_ik a_i' beta_k ] + l2 / 2 * sum_k |beta_k|^2  with
w_i = sum_k h_ik, by L-BFGS with a diagonal preconditioner; the intercepts are not penalized. Several regressions on
the same rows share their matrix products.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.learning.linear.descent import ROUGH_TOL, Minima, columns_at_once, descend, rough_design
from setwise.learning.linear.design import Design
from setwise.learning.linear.l2_path import PATH_TOL, L2Choice, walk_path
from setwise.learning.linear.objective import Objective

PATIENCE = 50
"""Iterations in a row without a decrease beyond rounding after which a fit stops: coefficients still settle while the
objective looks flat."""


class SoftmaxFit(NamedTuple):
    """Coefficients (D, K) of the design's columns, their objective, and the iterations."""

    coef: Floats
    objective: float
    n_iter: int
    converged: bool


def fit_softmax(
    design: Design,
    targets: Floats,
    *,
    l2: float,
    start: Floats | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> SoftmaxFit:
    """Fit a softmax regression.

    Parameters
    ----------
    design : Design of n rows and D columns
    targets : ndarray of shape (n, K)
        Not negative; a row's sum is its weight.
    l2 : float
        Penalty.
    start : ndarray of shape (D, K), optional
        Coefficients to start from; zeros by default.
    tol : float, default=1e-8
        Stops when the decrease predicted by the last direction is below ``tol`` times the objective, or when
        rounding hides all decrease.
    max_iter : int, default=1000
        Largest number of iterations. A few make a generalized M-step, which never raises the objective.

    Returns
    -------
    SoftmaxFit
    """
    return fit_softmaxes(design, [targets], [start], l2=l2, tol=tol, max_iter=max_iter)[0]


def fit_softmaxes(
    design: Design,
    targets: Sequence[Floats],
    starts: Sequence[Floats | None],
    *,
    l2: float,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> list[SoftmaxFit]:
    """Fit a softmax regression to each of the targets (n, K_b), from starts (D, K_b); see :func:`fit_softmax`."""
    fits: list[SoftmaxFit] = []
    if all(start is None for start in starts):
        rough = rough_design(design, sum(t.shape[1] for t in targets))
        if rough is not None:
            begun = fit_softmaxes(rough, targets, starts, l2=l2, tol=max(tol, ROUGH_TOL), max_iter=max_iter)
            starts = [fit.coef for fit in begun]
    given = [np.zeros((design.n_columns, t.shape[1])) if s is None else s for t, s in zip(targets, starts)]
    for block in _blocks(design, [t.shape[1] for t in targets]):
        side_by_side = np.ascontiguousarray(np.hstack([targets[b] for b in block]), dtype=np.float64)
        first = np.cumsum([0, *(targets[b].shape[1] for b in block)])
        objective = SoftmaxObjective(design, side_by_side, first, np.full(first[-1], l2))
        start = np.hstack([given[b] for b in block])
        found = descend(objective, start, tol=tol, max_iter=max_iter, patience=PATIENCE)
        fits += _separate(found, first)
    return fits


def _separate(found: Minima, first: Array) -> list[SoftmaxFit]:
    """Separate the regressions: number b has the columns ``first[b]`` to ``first[b + 1]``."""
    coefs = (found.coef[:, a:b].copy() for a, b in itertools.pairwise(first))
    rest = found.objective.tolist(), found.n_iter.tolist(), found.converged.tolist()
    return [SoftmaxFit(*fit) for fit in zip(coefs, *rest)]


def _blocks(design: Design, widths: Sequence[int]) -> list[list[int]]:
    """Group regressions with these numbers of classes in blocks whose L-BFGS memory stays small."""
    at_once = columns_at_once(design, n_arrays=5)
    blocks: list[list[int]] = []
    for b, width in enumerate(widths):
        if not blocks or sum(widths[a] for a in blocks[-1]) + width > at_once:
            blocks.append([])
        blocks[-1].append(b)
    return blocks


class SoftmaxObjective(Objective):
    """Softmax regressions with targets (n, C), one column per class; always in double precision."""

    def __init__(self, design: Design, targets: Floats, first: Array, l2: Floats) -> None:
        super().__init__(design, first, l2, np.dtype(np.float64))
        self.targets = targets

    def rows(
        self, scores: Array, change: Array, step: Floats, which: Array, out: Array, residual: Array
    ) -> tuple[Floats, Floats, Floats]:
        """Compute losses, curvatures and slopes; see :class:`Objective`."""
        loss, curvature, slope = implementation.softmax_step(
            scores, change, step, self.targets, self.first, which.astype(np.int32), out, residual
        )
        return np.asarray(loss), np.asarray(curvature), np.asarray(slope)

    def take(self, keep: Bools) -> Self:
        """Select the regressions for which ``keep`` (B,) is true."""
        columns, first = self.by_column(keep), np.cumsum([0, *np.diff(self.first)[keep]])
        return type(self)(self.design, np.compress(columns, self.targets, axis=1), first, self.l2[columns])


class _SoftmaxPart:
    """One fold of a path of softmax regressions; see :func:`setwise.learning.linear.l2_path.walk_path`."""

    def __init__(self, design: Design, targets: Floats, rows: Array, held_out: Array) -> None:
        self.design, self.targets = design.take(rows), targets[rows]
        # A class without a training row has no optimum: its rows would only measure how far the solver went.
        unseen = self.targets.sum(axis=0) == 0
        judged = held_out[targets[np.ix_(held_out, unseen)].sum(axis=1) == 0]
        self.held_out, self.held_out_targets = design.take(judged), targets[judged]
        self.coef: Floats = np.zeros((design.n_columns, targets.shape[1]))

    def step(self, l2: float, which: Array) -> Floats:
        fit = fit_softmax(self.design, self.targets, l2=l2, start=self.coef, tol=PATH_TOL, max_iter=100)
        self.coef = fit.coef
        return np.array([softmax_loss(self.held_out, self.held_out_targets, self.coef)])


def softmax_loss(design: Design, targets: Floats, coef: Floats) -> float:
    """Compute the log-loss of coefficients (D, K) on the rows of ``design``, weighted as the ``targets`` are."""
    scores = np.ascontiguousarray(design.scores(coef), dtype=np.float64)
    out = np.empty_like(scores), np.empty_like(scores)
    one, columns = np.zeros(1, np.int32), np.array([0, scores.shape[1]], np.int32)
    targets = np.ascontiguousarray(targets, dtype=np.float64)
    return float(implementation.softmax_step(scores, scores, np.zeros(1), targets, columns, one, *out)[0][0])


def choose_softmax_l2(design: Design, targets: Floats, fold: Array | None) -> L2Choice:
    """Choose the penalty of a softmax regression by its held-out loss.

    Parameters
    ----------
    design : Design of n rows
    targets : ndarray of shape (n, K)
    fold : ndarray of shape (n,) or None
        The fold of each row; None if there are too few rows.

    Returns
    -------
    L2Choice
        ``l2`` and ``loss`` have one entry; the final fit may begin at ``start`` (D, K).
    """
    rough = rough_design(design, targets.shape[1]) or design
    return walk_path(partial(_SoftmaxPart, rough, targets), fold, design, n_problems=1)
