"""From the labels' logits to a joint: temperature and dependence of labels, learnt together from held-out logits.

Independent classifiers give P(y_l | x). If the features were independent given the set, Bayes' rule would give
P(y | x) proportional to P(y) prod_l P(y_l | x) / P(y_l): how often a set occurs, beyond what its labels explain, times
the product of the marginals. Two exponents, one for the marginals and one for the frequency, correct what is not so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit, log_softmax

from setwise.arrays import Array, Floats, Labels, Matrix
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.labels.powerset import SetCounts
from setwise.learning.mixtures.pooling.pool import pool_weights, pooled_log_prob

CLIPS = (3.0, 5.0, 7.0, 10.0, 16.0)
"""Largest absolute logits that are tried: probabilities from .05 to 1e-7."""
OUT_OF_BOUNDS = 1e10
MAX_CELLS = 1 << 21
"""Rows times sets whose scores are computed for every value of the parameters that is tried."""


@dataclass(frozen=True)
class SetDependence:
    """(1 - c) P(y | seen) + c prod_l P(y_l): seen sets by their labels and their frequency, and independent labels.

    The logits are clipped to ``clip``. Seen sets ``sets`` (m, L) have the log-probability ``slope`` times the sum of
    their labels' logits plus ``bonus`` (m,), normalized; independent labels have ``free_slope`` times the logits.
    ``backoff`` is c.
    """

    sets: Labels
    bonus: Floats
    clip: float
    slope: float
    free_slope: float
    backoff: float

    def log_probs(self, logits: Floats) -> Floats:
        """Compute the log-probability (n, m) of each seen set."""
        scores = self.slope * (self.clipped(logits) @ self.sets.T.astype(np.float64)) + self.bonus
        return np.asarray(log_softmax(scores, axis=1))

    def free_logits(self, logits: Floats) -> Floats:
        """Compute the logits (n, L) of independent labels."""
        return self.free_slope * self.clipped(logits)

    def clipped(self, logits: Floats) -> Floats:
        """Clip logits (n, L)."""
        return np.clip(logits, -self.clip, self.clip)


def fit_set_dependence(
    X: Matrix, logits: Floats, Y: Labels, weights: Floats | None, backoff: float | None
) -> SetDependence:
    """Maximize the joint log-likelihood of held-out logits.

    A row's own set counts once less, as if the row had not been seen.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
        Rows whose content chooses which are looked at, if there are many.
    logits : ndarray of shape (n, L)
        Logits of rows by models that have not seen them; infinite ones are allowed.
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    backoff : float or None
        Share of independent labels; None to learn it.

    Returns
    -------
    SetDependence
    """
    w = np.ones(len(Y)) if weights is None else weights
    counts = SetCounts.of(Y, w)
    surprise = _surprise(counts, Y, w)
    clip, free_slope = _best_product(logits, Y, w)
    rows = sample_rows(X, max(200, MAX_CELLS // len(counts.sets)))
    held_out = _HeldOut.of(
        np.clip(logits[rows], -clip, clip), Y[rows], w[rows], counts, surprise, counts.which[rows]
    )
    start = np.array([free_slope, 0.5, free_slope])
    best = minimize(
        held_out.loss, start, args=(backoff,), method="Nelder-Mead", options={"xatol": 1e-2, "fatol": 1e-4}
    )
    slope, exponent, free_slope = (float(value) for value in best.x)
    share = held_out.share(best.x, backoff)
    return SetDependence(counts.sets, exponent * surprise, clip, slope, free_slope, share)


def _surprise(counts: SetCounts, Y: Labels, w: Floats) -> Floats:
    """How much more often (in logs) each set occurs than its labels would together by chance, (m,)."""
    p = (w @ Y + 0.5) / (w.sum() + 1.0)
    by_chance = counts.sets @ np.log(p) + (1 - counts.sets) @ np.log1p(-p)
    return np.asarray(np.log(counts.counts / counts.counts.sum()) - by_chance)


def _best_product(logits: Floats, Y: Labels, w: Floats) -> tuple[float, float]:
    """The clip and the slope with which independent labels are most probable."""
    tried = []
    for clip in CLIPS:
        z = np.where(Y == 1, 1.0, -1.0) * np.clip(logits, -clip, clip)

        def loss(log_slope: Floats, z: Floats = z) -> float:
            return -float(w @ log_expit(np.exp(log_slope[0]) * z).sum(axis=1)) / float(w.sum())

        best = minimize(loss, np.zeros(1), method="Nelder-Mead", options={"xatol": 1e-2, "fatol": 1e-5})
        tried.append((float(best.fun), clip, float(np.exp(best.x[0]))))
    _, clip, slope = min(tried)
    return clip, slope


@dataclass(frozen=True)
class _HeldOut:
    """Held-out rows: sums (n, m) of each set's logits, its surprise without the row itself, and independent logits."""

    sums: Floats
    surprise: Floats
    own: Array
    signed: Floats
    weights: Floats

    @classmethod
    def of(cls, z: Floats, Y: Labels, w: Floats, counts: SetCounts, surprise: Floats, own: Array) -> _HeldOut:
        rows = np.arange(len(z))
        without = np.tile(surprise, (len(z), 1))
        left = np.maximum(counts.counts[own] - w, 0.0)
        with np.errstate(divide="ignore"):
            without[rows, own] += np.log(left) - np.log(counts.counts[own])
        return cls(z @ counts.sets.T.astype(np.float64), without, own, np.where(Y == 1, z, -z), w)

    def parts(self, parameters: Floats) -> Floats:
        """Log-probability (n, 2) of each row's set among the seen ones, and under independent labels."""
        slope, exponent, free_slope = parameters
        lost = self.surprise == -np.inf
        scores = np.where(lost, -np.inf, slope * self.sums + exponent * np.where(lost, 0.0, self.surprise))
        rows = np.arange(len(scores))
        # A row whose set nobody else has, among no other sets, has nothing to be compared with.
        scores[np.isneginf(scores).all(axis=1)] = 0.0
        seen = np.where(lost[rows, self.own], -np.inf, log_softmax(scores, axis=1)[rows, self.own])
        return np.stack([seen, log_expit(free_slope * self.signed).sum(axis=1)], axis=1)

    def share(self, parameters: Floats, backoff: float | None) -> float:
        """The share of independent labels."""
        return (
            float(pool_weights(self.parts(parameters), self.weights)[1])
            if backoff is None
            else float(backoff)
        )

    def loss(self, parameters: Floats, backoff: float | None) -> float:
        """Mean loss in nats a row; huge for slopes that are not positive."""
        if parameters[0] <= 0 or parameters[2] <= 0 or abs(parameters).max() > 100:
            return OUT_OF_BOUNDS
        parts = self.parts(parameters)
        share = self.share(parameters, backoff)
        log_prob = np.maximum(pooled_log_prob(parts, np.array([1.0 - share, share])), -700.0)
        return -float(self.weights @ log_prob) / float(self.weights.sum())
