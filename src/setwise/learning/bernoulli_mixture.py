"""A mixture of independent label distributions fitted to Y alone: the start of the conditional mixtures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats, Labels

MAX_ITER = 200
TOL = 1e-6


class BernoulliMixture(NamedTuple):
    """``log_weights`` (K,), ``logits`` (K, L) of each label in each component, ``responsibilities`` (n, K)."""

    log_weights: Floats
    logits: Floats
    responsibilities: Floats
    log_likelihood: float


def fit_bernoulli_mixture(
    Y: Labels, weights: Floats, n_components: int, rng: np.random.Generator, *, n_init: int = 10
) -> BernoulliMixture:
    """The best of ``n_init`` runs of EM from random starts (Bishop 2006, section 9.3.3).

    Rows with equal labels are counted once, so the cost grows with the distinct label sets. Probabilities
    are smoothed towards the label's overall share.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0).astype(np.int8)
    >>> mixture = fit_bernoulli_mixture(Y, np.ones(100), 2, np.random.default_rng(0))
    >>> (mixture.logits > 0).astype(int)[np.argsort(mixture.logits[:, 0])]
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]])
    """
    sets, index = np.unique(Y, axis=0, return_inverse=True)
    index = index.ravel()
    counts = np.bincount(index, weights=weights, minlength=len(sets))
    runs = (_one_run(sets.astype(np.float64), counts, n_components, rng) for _ in range(max(1, n_init)))
    best = max(runs, key=lambda run: run.log_likelihood)
    return best._replace(responsibilities=best.responsibilities[index])


def _one_run(sets: Floats, counts: Floats, K: int, rng: np.random.Generator) -> BernoulliMixture:
    share = (counts @ sets + 0.5) / (counts.sum() + 1.0)
    centres = rng.choice(len(sets), size=K, p=counts / counts.sum())
    mu = 0.5 * sets[centres] + 0.5 * share
    mu = np.clip(mu + rng.uniform(-0.05, 0.05, mu.shape), 0.01, 0.99)
    log_weights, last = np.full(K, -np.log(K)), -np.inf
    for _ in range(MAX_ITER):
        logits = np.log(mu) - np.log1p(-mu)
        joint = log_weights + sets @ logits.T + np.log1p(-mu).sum(axis=1)
        total = np.asarray(logsumexp(joint, axis=1))
        resp = np.exp(joint - total[:, None])
        value = float(counts @ total)
        if value - last < TOL * abs(value):
            break
        last = value
        mass = counts[:, None] * resp
        size = mass.sum(axis=0)
        mu = (mass.T @ sets + share) / (size[:, None] + 1.0)
        log_weights = np.log(size + 1e-3) - np.log((size + 1e-3).sum())
    return BernoulliMixture(log_weights, logits, resp, value)
