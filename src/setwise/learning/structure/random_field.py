"""Pairwise conditional random fields: log P(y | x) = sum_l y_l f_l(x) + sum_(l,m) y_l y_m f_lm(x) - log Z(x).

Every f is linear. Fitted by likelihood over a given list of label sets, this is a softmax regression with tied
coefficients: class s has the coefficients W phi(s), where phi(s) holds the labels of s and the products of its pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from setwise.blocks import row_slices
from setwise.contract import Array, Bools, Floats, Labels, Matrix
from setwise.inference.networks.half_sums import field_sums
from setwise.inference.sets.enumeration import label_sets
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.sample import sample_cells
from setwise.learning.linear.design import Design
from setwise.learning.linear.l2_path import PATH_TOL, L2Choice, walk_path
from setwise.learning.linear.penalties import (
    TRIAL_CELLS,
)
from setwise.learning.linear.scores import LinearScores


def possible_sets(Y: Labels, *, every: bool) -> Labels:
    """List the label sets (m, L) of a field: those of the training rows ``Y`` (n, L), or every one of the 2^L."""
    return label_sets(Y.shape[1]) if every else np.unique(Y, axis=0)


def set_features(sets: Labels, pairs: Array) -> Floats:
    """Compute phi (m, L + P) of label sets (m, L): the labels, then the products of the ``pairs`` (P, 2).

    Examples
    --------
    >>> import numpy as np
    >>> set_features(np.array([[1, 0, 1]]), np.array([[0, 1], [0, 2]]))
    array([[1., 0., 1., 0., 1.]])
    """
    return np.hstack([sets, sets[:, pairs[:, 0]] * sets[:, pairs[:, 1]]]).astype(np.float64)


@dataclass(frozen=True)
class FieldProblem:
    """A field to fit: the rows of a design, and the number of each row's set (n,) among the sets with ``phi`` (m, F).

    ``free`` (D, F) marks the coefficients in use; ``penalised`` (D, F) those under the L2 penalty.
    """

    design: Design
    which: Array
    weights: Floats
    phi: Floats
    free: Bools
    penalised: Bools

    def take(self, rows: Array) -> Self:
        """Select rows."""
        return replace(
            self, design=self.design.take(rows), which=self.which[rows], weights=self.weights[rows]
        )

    def of_present_sets(self) -> Self:
        """Restrict the possible sets to those of the rows."""
        present, which = np.unique(self.which, return_inverse=True)
        return replace(self, which=which.ravel(), phi=self.phi[present])

    def value_and_gradient(self, coef: Floats) -> tuple[float, Floats]:
        """Compute the weighted negative log-likelihood at coefficients (D, F), and its gradient."""
        potentials = np.asarray(self.design.scores(coef), dtype=np.float64)
        residual, loss = np.empty_like(potentials), 0.0
        for rows in row_slices(len(potentials), len(self.phi)):
            log_p = log_softmax(potentials[rows] @ self.phi.T, axis=1)
            w, which = self.weights[rows], self.which[rows]
            loss -= float(w @ log_p[np.arange(len(w)), which])
            residual[rows] = w[:, None] * (np.exp(log_p) @ self.phi - self.phi[which])
        return loss, self.design.gradient(residual.astype(self.design.dtype, copy=False))

    def fit(self, l2: float, start: Floats, tol: float, max_iter: int = 1000) -> Floats:
        """Minimize the penalized objective by SciPy's L-BFGS; returns coefficients (D, F)."""
        total = max(float(self.weights.sum()), 1.0)
        penalty = l2 * self.penalised
        # In units of the inverse root of a typical curvature the problem is well conditioned, as L-BFGS needs.
        curvature = 0.1 * self.design.mean_squares[:, None] * (self.phi**2).mean(axis=0) + penalty / total
        unit = 1.0 / np.sqrt(np.maximum(curvature, 1e-12))

        def objective(free: Floats) -> tuple[float, Floats]:
            coef = np.zeros(self.free.shape)
            coef[self.free] = free
            coef *= unit
            value, gradient = self.value_and_gradient(coef)
            value += 0.5 * float((penalty * coef**2).sum())
            return value / total, ((gradient + penalty * coef) * unit)[self.free] / total

        options = {
            "maxiter": max_iter,
            "maxfun": 2 * max_iter,
            "ftol": tol,
            "gtol": 1e-3 * tol**0.5,
            "maxcor": 20,
        }
        found = minimize(objective, (start / unit)[self.free], jac=True, method="L-BFGS-B", options=options)
        coef = np.zeros(self.free.shape)
        coef[self.free] = found.x
        return coef * unit


@dataclass(frozen=True)
class ConstantPairs(FieldProblem):
    """A field whose ``pairs`` (P, 2) have the same potentials in every row: a set's score is linear in its labels.

    ``scale`` is the value of a pair's product in ``phi``. With ``all_sets``, sums over the 2^L sets use halves of the
    labels (:mod:`setwise.inference.networks.half_sums`).
    """

    pairs: Array
    scale: float
    all_sets: bool

    def value_and_gradient(self, coef: Floats) -> tuple[float, Floats]:
        """Compute the same as in the general field, without products of pairs and rows."""
        P, intercept = len(self.pairs), self.design.intercept
        L = coef.shape[1] - P
        scores = np.asarray(self.design.scores(coef[:, :L]), dtype=np.float64)
        log_z, marginals, products = self._sums(scores, coef[intercept, L:])
        count = np.bincount(self.which, self.weights, minlength=len(self.phi))
        own = (scores * self.phi[self.which, :L]).sum(axis=1)
        own += (self.phi[:, L:] @ coef[intercept, L:])[self.which]
        residual = self.weights[:, None] * (marginals - self.phi[self.which, :L])
        gradient = np.zeros(coef.shape)
        gradient[:, :L] = self.design.gradient(residual.astype(self.design.dtype, copy=False))
        gradient[intercept, L:] = products - count @ self.phi[:, L:]
        return float(self.weights @ (log_z - own)), gradient

    def _sums(self, scores: Floats, pulls: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute log Z (n,), the marginals (n, L), and the weighted sum of the expected pairs of ``phi``."""
        if self.all_sets:
            first, second = self.pairs.T
            couplings = np.zeros((scores.shape[1],) * 2)
            couplings[first, second] = couplings[second, first] = self.scale * pulls
            sums = field_sums(scores, couplings, self.weights)
            if sums is not None:
                return sums.log_z, sums.marginals, self.scale * sums.products[first, second]
        return self._sums_over_list(scores, pulls)

    def _sums_over_list(self, scores: Floats, pulls: Floats) -> tuple[Floats, Floats, Floats]:
        L = scores.shape[1]
        sets, constant = np.ascontiguousarray(self.phi[:, :L]), self.phi[:, L:] @ pulls
        log_z, marginals, expected = np.empty(len(scores)), np.empty_like(scores), np.zeros(len(sets))
        for rows in row_slices(len(scores), len(sets)):
            p = scores[rows] @ sets.T
            p += constant
            top = p.max(axis=1)
            p -= top[:, None]
            np.exp(p, out=p)
            total = p.sum(axis=1)
            log_z[rows] = top + np.log(total)
            marginals[rows] = (p @ sets) / total[:, None]
            expected += (self.weights[rows] / total) @ p
        return log_z, marginals, expected @ self.phi[:, L:]


class _FieldPart:
    """One fold of a path of fields; see :func:`setwise.learning.linear.l2_path.walk_path`."""

    def __init__(self, problem: FieldProblem, rows: Array, held_out: Array) -> None:
        self.problem, self.held_out = problem.take(rows), problem.take(held_out)
        self.coef: Floats = np.zeros(problem.free.shape)

    def step(self, l2: float, which: Array) -> Floats:
        self.coef = self.problem.fit(l2, self.coef, PATH_TOL, 60)
        return np.array([self.held_out.value_and_gradient(self.coef)[0]])


def fit_field(problem: FieldProblem, X: Matrix, *, l2: float | str, tol: float) -> tuple[LinearScores, float]:
    """Fit a field by maximum likelihood.

    Parameters
    ----------
    problem : FieldProblem
    X : array or CSR of shape (n, d)
        The rows' folds follow from its content.
    l2 : float or "auto"
    tol : float

    Returns
    -------
    scores : LinearScores
        Potentials as linear functions of the features.
    l2 : float
        The penalty in use.
    """
    start, penalty = np.zeros(problem.free.shape), 0.0
    if l2 == "auto":
        trial, trial_X = _trial(problem, X)
        choice = _choose_l2(trial, row_folds(trial_X))
        penalty, start = float(choice.l2[0]), start if choice.start is None else choice.start
    else:
        penalty = float(l2)
    return problem.design.to_features(problem.fit(penalty, start, tol)), penalty


def _trial(problem: FieldProblem, X: Matrix) -> tuple[FieldProblem, Matrix]:
    """Select the rows to choose a penalty on: a sample if very many rows define the sets."""
    n = len(problem.which)
    is_support = len(np.unique(problem.which)) == len(problem.phi)
    rows = sample_cells(X, problem.which, TRIAL_CELLS) if is_support else np.arange(n)
    return (problem, X) if len(rows) == n else (problem.take(rows).of_present_sets(), X[rows])


def _choose_l2(problem: FieldProblem, fold: Array | None) -> L2Choice:
    return walk_path(partial(_FieldPart, problem), fold, problem.design, n_problems=1)
