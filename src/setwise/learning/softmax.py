"""Softmax regressions with soft targets: the gate of a mixture, the classes of a label powerset.

Each minimises  sum_i [ w_i log sum_k exp(a_i' beta_k) - sum_k h_ik a_i' beta_k ] + l2 / 2 * sum_k |beta_k|^2  with
w_i = sum_k h_ik, by L-BFGS with a diagonal preconditioner; the intercepts are not penalised. Several regressions on
the same rows share their matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.kernels import implementation
from setwise.kernels.design import Design
from setwise.learning.tuning import L2Choice, walk_path

MEMORY = 8
PATH_TOL = 1e-5
PATIENCE = 50
"""Iterations in a row without a decrease beyond rounding, after which nothing is left to gain: coefficients still
settle where the objective has long looked flat."""
WORKSPACE_BYTES = 256 * 2**20


class SoftmaxFit(NamedTuple):
    """Coefficients (D, K) of the design's columns, and how they were reached."""

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
    start : ndarray of shape (D, K), optional
        Coefficients to start from; zeros by default.
    tol : float
        Stops when the decrease predicted by the last direction is below ``tol`` times the objective, or when
        rounding hides all decrease.
    max_iter : int
        Iterations at most: a few make a generalised M-step, which never raises the objective.
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
    given = [np.zeros((design.n_columns, t.shape[1])) if s is None else s for t, s in zip(targets, starts)]
    for block in _blocks(design, [t.shape[1] for t in targets]):
        fits += _Descent(design, [targets[b] for b in block], l2, np.hstack([given[b] for b in block])).run(
            tol, max_iter
        )
    return fits


def _blocks(design: Design, widths: Sequence[int]) -> list[list[int]]:
    """Regressions of so many classes in blocks whose L-BFGS memory stays small."""
    per_column = 8 * (5 * design.n_rows + (2 * MEMORY + 6) * design.n_columns)
    at_once = max(1, WORKSPACE_BYTES // per_column)
    blocks: list[list[int]] = []
    for b, width in enumerate(widths):
        if not blocks or sum(widths[a] for a in blocks[-1]) + width > at_once:
            blocks.append([])
        blocks[-1].append(b)
    return blocks


class _Descent:
    """L-BFGS on softmax regressions, each a run of neighbouring columns: ``first[b]`` to ``first[b + 1]``.

    Order of calls in ``run``, until no regression is left:
        direction -> search -> update -> retire
    """

    def __init__(self, design: Design, targets: Sequence[Floats], l2: float, start: Floats) -> None:
        self.design, self.coef = design, np.array(start, dtype=np.float64)
        self.targets = np.ascontiguousarray(np.hstack(list(targets)), dtype=np.float64)
        self.first = np.cumsum([0, *(t.shape[1] for t in targets)], dtype=np.int32)
        self.block = np.arange(len(targets))
        self.penalty = np.full((design.n_columns, 1), l2)
        self.penalty[design.intercept] = 0.0
        B = len(targets)
        self.steps, self.changes = (np.zeros((MEMORY, *self.coef.shape)) for _ in range(2))
        self.rho, self.n_pairs, self.idle = np.zeros((MEMORY, B)), 0, np.zeros(B, int)
        self.scores = self._product(self.coef)
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)
        loss, self.curvature = self._rows(self.scores, np.zeros(B), np.arange(B))
        self.value = loss + 0.5 * self._dots(self.penalty * self.coef, self.coef)
        self.gradient = self._gradient(self.coef)

    def run(self, tol: float, max_iter: int) -> list[SoftmaxFit]:
        fits: dict[int, SoftmaxFit] = {}
        for iteration in range(1, max_iter + 1):
            direction, slope = self._direction()
            self._search(direction, slope)
            done = (-0.5 * slope <= tol * np.maximum(self.value, 1e-6)) | (self.idle >= PATIENCE)
            self._retire(fits, done, iteration, last=iteration == max_iter)
            if not len(self.block):
                break
        return [fits[b] for b in range(len(fits))]

    def _direction(self) -> tuple[Floats, Floats]:
        hessian = self.curvature * self.design.mean_squares[:, None] + self.penalty
        inverse = self._shrunk(1.0 / np.maximum(hessian, 1e-12))
        kept = min(self.n_pairs, MEMORY)
        order = np.arange(self.n_pairs - kept, self.n_pairs, dtype=np.int32) % MEMORY
        direction = implementation.lbfgs_direction(
            self.gradient, self.steps, self.changes, self.rho, order, inverse, self.first
        )
        return direction, self._dots(self.gradient, direction)

    def _shrunk(self, inverse: Floats) -> Floats:
        """The preconditioner, divided by how much the last step bent more than it foresaw."""
        if not self.n_pairs:
            return inverse
        slot = (self.n_pairs - 1) % MEMORY
        bend = self._dots(self.changes[slot] * inverse, self.changes[slot]) * self.rho[slot]
        return inverse / self._spread(np.maximum(bend, 1.0))

    def _search(self, direction: Floats, slope: Floats) -> None:
        """Backtrack to a sufficient decrease, regression by regression; only those that fail are evaluated again."""
        moved, step, curvature = self._product(direction), np.ones(len(self.block)), self.curvature
        pairs = ((self.coef, self.coef), (self.coef, direction), (direction, direction))
        here, along, across = (0.5 * self._dots(self.penalty * a, b) for a, b in pairs)
        value, pending = self.value.copy(), np.arange(len(self.block))
        for trial in range(31):
            loss, bent = self._rows(moved, step, pending)
            value[pending] = (loss + here + step * (2.0 * along + step * across))[pending]
            curvature = np.where(bent > 0.0, bent, curvature)  # zero where it was not evaluated
            enough = value <= self.value + 1e-4 * step * slope + self._rounding()
            pending = pending[~enough[pending]]
            if not len(pending):
                break
            bend = (value - self.value - slope * step)[pending]
            guess = -slope[pending] * step[pending] ** 2 / np.maximum(2.0 * bend, 1e-300)
            step[pending] = np.clip(np.nan_to_num(guess), 0.1 * step[pending], 0.5 * step[pending])
            if trial == 29:
                step[pending] = 0.0
        self.scores, self.spare = self.spare, self.scores
        self.curvature = curvature
        self._update(self._spread(step) * direction, value)

    def _update(self, step: Floats, value: Floats) -> None:
        coef = self.coef + step
        gradient = self._gradient(coef)
        slot = self.n_pairs % MEMORY
        self.steps[slot], self.changes[slot] = step, gradient - self.gradient
        product = self._dots(self.steps[slot], self.changes[slot])
        # A gradient that changed by less than its rounding says nothing of the curvature; taken at its word, it
        # makes directions grow until they overflow.
        noise = np.finfo(self.design.dtype).eps * self._largest(gradient)
        known = (product > 1e-300) & (self._largest(self.changes[slot]) > noise)
        self.rho[slot] = np.divide(1.0, product, out=np.zeros_like(product), where=known)
        self.n_pairs += 1
        self.idle = np.where(self.value - value > self._rounding(), 0, self.idle + 1)
        self.coef, self.gradient, self.value = coef, gradient, value

    def _retire(self, fits: dict[int, SoftmaxFit], done: Bools, iteration: int, last: bool) -> None:
        """Take finished regressions out once they are worth the copying, or when all must go."""
        widths = np.diff(self.first)
        if not (last or done.all() or widths[done].sum() >= 0.2 * widths.sum()):
            return
        out = np.ones(len(done), bool) if last else done
        for b in np.flatnonzero(out):
            coef = self.coef[:, self.first[b] : self.first[b + 1]].copy()
            fits[int(self.block[b])] = SoftmaxFit(coef, float(self.value[b]), iteration, bool(done[b]))
        columns = np.repeat(~out, widths)
        self.first = np.cumsum([0, *widths[~out]], dtype=np.int32)
        for name in ("block", "value", "idle", "rho"):
            setattr(self, name, np.compress(~out, getattr(self, name), axis=-1))
        for name in ("coef", "gradient", "curvature", "scores", "targets", "steps", "changes"):
            setattr(self, name, np.compress(columns, getattr(self, name), axis=-1))
        self.spare, self.residual = np.empty_like(self.scores), np.empty_like(self.scores)

    def _rounding(self) -> Floats:
        return np.asarray(4.0 * np.finfo(self.design.dtype).eps * np.abs(self.value))

    def _dots(self, a: Floats, b: Floats) -> Floats:
        """Dot products (B,) of matrices (D, C), one a regression."""
        return np.asarray(np.add.reduceat(np.einsum("jc,jc->c", a, b), self.first[:-1]))

    def _largest(self, values: Floats) -> Floats:
        """The largest size (B,) among the values (D, C) of each regression."""
        return np.asarray(np.maximum.reduceat(np.abs(values).max(axis=0), self.first[:-1]))

    def _spread(self, values: Array) -> Array:
        """A value (B,) of each regression for each of its columns (C,)."""
        return np.repeat(values, np.diff(self.first))

    def _product(self, coef: Floats) -> Floats:
        return np.ascontiguousarray(self.design.scores(coef), dtype=np.float64)

    def _rows(self, moved: Floats, step: Floats, which: Array) -> tuple[Floats, Floats]:
        loss, curvature = implementation.softmax_step(
            self.scores,
            moved,
            step,
            self.targets,
            self.first,
            which.astype(np.int32),
            self.spare,
            self.residual,
        )
        return np.asarray(loss), np.asarray(curvature)

    def _gradient(self, coef: Floats) -> Floats:
        return self.design.gradient(self.residual.astype(self.design.dtype, copy=False)) + self.penalty * coef


class _Part:
    """One fold of a path of softmax regressions; see :func:`setwise.learning.tuning.walk_path`."""

    def __init__(self, design: Design, targets: Floats, rows: Array, held_out: Array) -> None:
        self.design, self.targets = design.take(rows), targets[rows]
        # A class without a training row has no optimum: rows of it would only say how far the solver went.
        unseen = self.targets.sum(axis=0) == 0
        judged = held_out[targets[np.ix_(held_out, unseen)].sum(axis=1) == 0]
        self.held_out, self.held_out_targets = design.take(judged), targets[judged]
        self.coef: Floats = np.zeros((design.n_columns, targets.shape[1]))

    def step(self, l2: float, which: Array) -> Floats:
        fit = fit_softmax(self.design, self.targets, l2=l2, start=self.coef, tol=PATH_TOL, max_iter=100)
        self.coef = fit.coef
        return np.array([softmax_loss(self.held_out, self.held_out_targets, self.coef)])


def softmax_loss(design: Design, targets: Floats, coef: Floats) -> float:
    """Log-loss of coefficients (D, K) on the rows of ``design``, in the weight of ``targets``."""
    scores = np.ascontiguousarray(design.scores(coef), dtype=np.float64)
    out = np.empty_like(scores), np.empty_like(scores)
    one, columns = np.zeros(1, np.int32), np.array([0, scores.shape[1]], np.int32)
    targets = np.ascontiguousarray(targets, dtype=np.float64)
    return float(implementation.softmax_step(scores, scores, np.zeros(1), targets, columns, one, *out)[0][0])


def choose_softmax_l2(design: Design, targets: Floats, fold: Array | None) -> L2Choice:
    """The penalty of a softmax regression by its held-out loss; ``l2`` and ``loss`` have one entry.

    ``start`` (D, K) is where the final fit may begin.
    """
    parts = None
    if fold is not None:
        splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in np.unique(fold)]
        parts = [_Part(design, targets, a, b) for a, b in splits]
    return walk_path(parts, design, n_problems=1)
