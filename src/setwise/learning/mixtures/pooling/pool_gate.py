"""The gated pool: weights of joints that depend on a few features of the row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax

from setwise.arrays import Array, Floats, Matrix
from setwise.kernels.matrices import column_moments, to_dense
from setwise.learning.mixtures.pooling.pool import pool_weights, pooled_log_prob

MAX_FEATURES = 8
"""Features that a gate looks at: held-out rows are few, and every feature has a coefficient per joint."""
L2 = (1e-3, 0.01, 0.1, 1.0)
"""Penalties of the coefficients of standardized features, per row."""
FARTHEST = 4.0
"""Standard deviations at which features are clipped: an unusual row must not give one joint all the weight."""


@dataclass(frozen=True)
class PoolGate:
    """Weights of K joints, a softmax of some ``columns`` (k,) of a row.

    Parameters
    ----------
    columns : int array of shape (k,)
    mean, scale : ndarray of shape (k,)
        A missing value counts as the mean.
    coef : ndarray of shape (k, K)
    intercept : ndarray of shape (K,)
    """

    columns: Array
    mean: Floats
    scale: Floats
    coef: Floats
    intercept: Floats

    def log_weights(self, X: Matrix) -> Floats:
        """Compute the log weights (n, K) of the joints in each row.

        Examples
        --------
        >>> import numpy as np
        >>> gate = PoolGate(np.array([1]), np.zeros(1), np.ones(1), np.array([[2.0, 0.0]]), np.zeros(2))
        >>> np.exp(gate.log_weights(np.array([[9.0, 0.0], [9.0, 2.0]]))).round(2)
        array([[0.5 , 0.5 ],
               [0.98, 0.02]])
        """
        Z = _standardized(to_dense(X[:, self.columns]), self.mean, self.scale)
        return np.asarray(log_softmax(Z @ self.coef + self.intercept, axis=1))


def fit_pool_gate(X: Matrix, log_probs: Floats, weights: Floats, fold: Array | None) -> PoolGate | None:
    """Fit a gate with the penalty that held-out rows prefer.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        Features without missing values.
    log_probs : ndarray of shape (n, K)
        Log-probability of each row's labels under each joint, none of which has seen the row.
    weights : ndarray of shape (n,)
    fold : ndarray of shape (n,) or None
        Fold of each row.

    Returns
    -------
    PoolGate or None
        None if constant weights are as good: a gate must gain more than a standard error on held-out rows.
    """
    if fold is None:
        return None
    gains = np.stack([_held_out_gains(X, log_probs, weights, fold, l2) for l2 in L2])
    totals = gains @ weights
    best = int(totals.argmax())
    error = np.sqrt((weights**2 * (gains[best] - gains[best].mean()) ** 2).sum())
    return _fit(X, log_probs, weights, L2[best]) if totals[best] > error else None


def _held_out_gains(X: Matrix, log_probs: Floats, weights: Floats, fold: Array, l2: float) -> Floats:
    """The log-probability (n,) of each row under a gate of the other folds, minus that under constant weights."""
    gains = np.zeros(len(log_probs))
    for number in np.unique(fold):
        rows, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        gate = _fit(X[others], log_probs[others], weights[others], l2)
        constant = pool_weights(log_probs[others], weights[others])
        gated = logsumexp(gate.log_weights(X[rows]) + log_probs[rows], axis=1)
        gains[rows] = gated - pooled_log_prob(log_probs[rows], constant)
    return gains


def _fit(X: Matrix, log_probs: Floats, weights: Floats, l2: float) -> PoolGate:
    """Climb from constant weights; the coefficients start at zero."""
    constant = pool_weights(log_probs, weights)
    columns = _columns(X, softmax(np.log(constant) + log_probs, axis=1) - constant, weights)
    few = to_dense(X[:, columns]).astype(np.float64)
    mean, scale = few.mean(axis=0), few.std(axis=0)
    Z = np.column_stack([_standardized(few, mean, scale), np.ones(len(few))])
    start = np.vstack([np.zeros((len(columns), len(constant))), np.log(constant)])
    share = weights / weights.sum()

    def loss(flat: Floats) -> tuple[float, Floats]:
        coef = flat.reshape(start.shape)
        log_gate = log_softmax(Z @ coef, axis=1)
        log_p = logsumexp(log_gate + log_probs, axis=1)
        change = np.exp(log_gate) - np.exp(log_gate + log_probs - log_p[:, None])
        slopes = np.vstack([coef[:-1], np.zeros((1, len(constant)))])
        value = -share @ log_p + 0.5 * l2 * (slopes**2).sum()
        return float(value), (Z.T @ (share[:, None] * change) + l2 * slopes).ravel()

    coef = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B").x.reshape(start.shape)
    return PoolGate(columns, mean, scale, coef[:-1], coef[-1])


def _columns(X: Matrix, residual: Floats, weights: Floats) -> Array:
    """The features that explain best which joint was right, by a score test at constant weights."""
    deviation = column_moments(X).deviation
    centred = weights[:, None] * (residual - residual.mean(axis=0))
    spread = np.sqrt(np.maximum((centred**2).sum(axis=0), 1e-12))
    pull = np.abs((centred / spread).T @ X).max(axis=0)
    score = np.divide(pull, deviation, out=np.full(len(pull), -1.0), where=deviation > 0)
    order = np.argsort(-score, kind="stable")[:MAX_FEATURES]
    return np.sort(order[score[order] >= 0])


def _standardized(X: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.clip(np.nan_to_num((X - mean) / scale), -FARTHEST, FARTHEST)
