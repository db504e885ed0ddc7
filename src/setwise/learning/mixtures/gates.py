"""Gates: the weights of the components of a mixture, per row or for all rows."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Array, Floats
from setwise.learning.linear.scores import LinearScores
from setwise.learning.linear.softmax import fit_softmax
from setwise.learning.mixtures.em import MOST_STEPS
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.saved_arrays import ADVICE, Expected, check_saved


class SoftmaxGate:
    """Weights w_k(x) that are a softmax of linear functions of x, under an L2 penalty.

    Parameters
    ----------
    rows : TrainingRows
    coef : ndarray of shape (D, K)
        Coefficients to start from; zeros are the uniform gate.
    l2 : float
    """

    def __init__(self, rows: TrainingRows, coef: Floats, l2: float) -> None:
        self.design, self.coef, self.l2 = rows.design, coef, l2

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log weights (n, K)."""
        design = self.design if rows is None else rows.design
        return np.asarray(log_softmax(design.scores(self.coef).astype(np.float64), axis=1))

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Do a few steps of softmax regression on the responsibilities as soft targets; CBM's equation (9)."""
        fit = fit_softmax(
            self.design, responsibilities, l2=self.l2, start=self.coef, tol=1e-9, max_iter=steps
        )
        self.coef = fit.coef
        return fit.n_iter

    def penalty(self) -> float:
        """Compute l2 / 2 times the squared coefficients without the intercepts."""
        free = np.delete(self.coef, self.design.intercept, axis=0)
        return 0.5 * self.l2 * float((free**2).sum())

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        self.coef = np.ascontiguousarray(self.coef[:, keep])

    def state(self) -> State:
        """Return the coefficients."""
        return {"coef": self.coef}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        check_saved(state, coef=Expected((len(self.coef), "K"), self.coef.dtype))
        self.coef = state["coef"]

    def scores(self) -> LinearScores:
        """Return the scores as functions of the original features; their softmax is the gate."""
        return self.design.to_features(self.coef)


class ConstantGate:
    """Weights that are the same for every row: the mixture coefficients of MC, updated in closed form.

    Parameters
    ----------
    rows : TrainingRows
    log_weights : ndarray of shape (K,)
    """

    def __init__(self, rows: TrainingRows, log_weights: Floats) -> None:
        self.rows, self.log_weights = rows, log_weights

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log weights (n, K)."""
        return np.tile(self.log_weights, (len(self.rows if rows is None else rows), 1))

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Set the weights to the mean responsibilities."""
        with np.errstate(divide="ignore"):
            self.log_weights = np.log(responsibilities.sum(axis=0)) - np.log(responsibilities.sum())
        return 1

    def penalty(self) -> float:
        """Return zero."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        kept = self.log_weights[keep]
        self.log_weights = kept - np.logaddexp.reduce(kept)

    def state(self) -> State:
        """Return the log weights."""
        return {"log_weights": self.log_weights}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        check_saved(state, log_weights=Expected(("K",), low=-np.inf))
        if not state["log_weights"].max(initial=-np.inf) > -np.inf:
            raise ValueError(f"all weights of the checkpoint are zero; {ADVICE}")
        self.log_weights = state["log_weights"]

    def scores(self) -> LinearScores:
        """Return scores that ignore the features; their softmax is the gate."""
        K = len(self.log_weights)
        return LinearScores(np.zeros((self.rows.X.shape[1], K)), self.log_weights, np.zeros((0, K)))
