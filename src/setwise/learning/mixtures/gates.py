"""Gates: how much each component of a mixture weighs, for every row or for all."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Array, Floats
from setwise.learning.linear.scores import LinearScores
from setwise.learning.linear.softmax import fit_softmax
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.checkpoint import State

M_STEPS = 10
"""Solver steps of one generalised M-step."""


class SoftmaxGate:
    """w_k(x) = softmax of linear functions of x, under an L2 penalty.

    Parameters
    ----------
    rows : Rows
        What it is fitted to.
    coef : ndarray of shape (D, K)
        Where to start; zeros are the uniform gate.
    l2 : float
    """

    def __init__(self, rows: Rows, coef: Floats, l2: float) -> None:
        self.design, self.coef, self.l2 = rows.design, coef, l2

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log weights (n, K)."""
        design = self.design if rows is None else rows.design
        return np.asarray(log_softmax(design.scores(self.coef).astype(np.float64), axis=1))

    def update(self, responsibilities: Floats) -> int:
        """A few steps of softmax regression on the responsibilities as soft targets; CBM's equation (9)."""
        fit = fit_softmax(
            self.design, responsibilities, l2=self.l2, start=self.coef, tol=1e-9, max_iter=M_STEPS
        )
        self.coef = fit.coef
        return fit.n_iter

    def penalty(self) -> float:
        """l2 / 2 times the squared coefficients, intercepts apart."""
        free = np.delete(self.coef, self.design.intercept, axis=0)
        return 0.5 * self.l2 * float((free**2).sum())

    def drop(self, keep: Array) -> None:
        """Keep some components."""
        self.coef = np.ascontiguousarray(self.coef[:, keep])

    def state(self) -> State:
        """The coefficients."""
        return {"coef": self.coef}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self.coef = state["coef"]

    def scores(self) -> LinearScores:
        """Scores of the features as they came; their softmax is the gate."""
        return self.design.to_features(self.coef)


class ConstantGate:
    """The same weights for every row: the mixture coefficients of MC, updated in closed form.

    Parameters
    ----------
    rows : Rows
        What it is fitted to.
    log_weights : ndarray of shape (K,)
    """

    def __init__(self, rows: Rows, log_weights: Floats) -> None:
        self.rows, self.log_weights = rows, log_weights

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log weights (n, K)."""
        return np.tile(self.log_weights, (len(self.rows if rows is None else rows), 1))

    def update(self, responsibilities: Floats) -> int:
        """The mean responsibility of each component."""
        with np.errstate(divide="ignore"):
            self.log_weights = np.log(responsibilities.sum(axis=0)) - np.log(responsibilities.sum())
        return 1

    def penalty(self) -> float:
        """None."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components."""
        kept = self.log_weights[keep]
        self.log_weights = kept - np.logaddexp.reduce(kept)

    def state(self) -> State:
        """The weights."""
        return {"log_weights": self.log_weights}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self.log_weights = state["log_weights"]

    def scores(self) -> LinearScores:
        """Scores without features; their softmax is the gate."""
        K = len(self.log_weights)
        return LinearScores(np.zeros((self.rows.X.shape[1], K)), self.log_weights, np.zeros((0, K)))
