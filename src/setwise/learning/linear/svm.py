"""Linear support vector machines, one per label, with the other labels as features."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.kernels.matrices import append_columns, column_moments, divide_columns
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.coordinates import column_scales
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor

GRID = (0.1, 1.0, 10.0, 100.0)
"""Values of C to try, on rows of mean squared length one."""


class SVMFit(NamedTuple):
    """Decision functions of the original features, and the ``C`` (L,) in use."""

    scores: LinearScores
    C: Floats


def fit_svms(
    X: Matrix, Y: Labels, weights: Floats | None = None, *, C: float | str = "auto", label_scale: float = 1.0
) -> SVMFit:
    """Fit a linear SVM for each label to the features and the other labels as -1/+1.

    Features are standardized; then all inputs are divided by one number, which makes the mean squared length one.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,), optional
    C : float or "auto", default="auto"
        "auto" chooses a value for each label by the held-out hinge loss.
    label_scale : float, default=1.0
        Factor of the labels; with 0 the machines are independent.

    Returns
    -------
    SVMFit
    """
    d, L = X.shape[1], Y.shape[1]
    moments = column_moments(X, weights)
    scale = column_scales(moments)
    used = moments.deviation > 0
    total = float(((moments.deviation[used] / scale[used]) ** 2).sum())
    unit = 1.0 / np.sqrt(max(total, 1.0))
    divisors = np.full_like(scale, np.inf)
    divisors[used] = scale[used] / unit
    inputs = append_columns(divide_columns(X, divisors), (2.0 * Y - 1.0) * unit * label_scale)
    folds = row_folds(X) if C == "auto" else None
    coef, intercept, chosen = np.zeros((inputs.shape[1], L)), np.zeros(L), np.zeros(L)
    for label in current_monitor().steps("labels", range(L)):
        problem = _Problem(inputs, Y[:, label], weights, d + label)
        chosen[label] = problem.best_C(folds) if C == "auto" else float(C)
        coef[:, label], intercept[label] = problem.fit(chosen[label])
    return SVMFit(
        LinearScores(coef[:d] / divisors[:, None], intercept, coef[d:] * unit * label_scale), chosen
    )


class _Problem(NamedTuple):
    """One label and its inputs; among them is its own column, which must not be used."""

    inputs: Matrix
    y: Array
    weights: Floats | None
    own: int

    def fit(self, C: float, rows: Array | slice = slice(None)) -> tuple[Floats, float]:
        y = self.y[rows]
        if y.min() == y.max():
            return np.zeros(self.inputs.shape[1]), 2.0 * float(y[0]) - 1.0
        keep = np.ones(self.inputs.shape[1], np.bool_)
        keep[self.own] = False
        # A larger constant column leaves the intercept almost unpenalized. With it the dual solver fails to converge
        # even if there are many columns, and the primal one takes a few Newton steps.
        machine = LinearSVC(C=C, intercept_scaling=10.0, dual=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(self.inputs[rows][:, keep], y, None if self.weights is None else self.weights[rows])
        coef = np.zeros(self.inputs.shape[1])
        coef[keep] = machine.coef_[0]
        return coef, float(machine.intercept_[0])

    def best_C(self, folds: Array | None) -> float:
        if folds is None:
            return 1.0
        best, least = GRID[0], np.inf
        for C in GRID:
            loss = sum(self._held_out(C, folds == f) for f in np.unique(folds))
            # Losses fall and then rise along the grid, and the largest values are the slowest.
            if loss > least:
                break
            best, least = C, loss
        return best

    def _held_out(self, C: float, out: Array) -> float:
        coef, intercept = self.fit(C, ~out)
        margin = (2.0 * self.y[out] - 1.0) * (self.inputs[out] @ coef + intercept)
        loss = np.maximum(1.0 - margin, 0.0)
        return float(loss.sum() if self.weights is None else loss @ self.weights[out])
