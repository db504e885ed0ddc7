"""A mixture of independent label distributions fitted to Y alone: the start of the conditional mixtures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import FREE, Floats, Labels
from setwise.learning.by_content.draws import POOL, draw_by_key
from setwise.learning.mixtures.training_rows import TrainingRows

MAX_ITER = 100
TOL = 1e-6
TIE = 1e-9
"""Relative difference of log-likelihoods that counts as a tie."""
SMOOTHING = 0.1
"""Pseudo-rows of each component at the labels' overall shares."""


class BernoulliMixture(NamedTuple):
    """``log_weights`` (K,), ``logits`` (K, L) of each label in each component, ``responsibilities`` (n, K)."""

    log_weights: Floats
    logits: Floats
    responsibilities: Floats
    log_likelihood: float


def fit_bernoulli_mixture(
    rows: TrainingRows, n_components: int, seed: int, *, n_init: int = 10
) -> BernoulliMixture:
    """Fit a mixture of independent labels by EM, the best of ``n_init`` random starts (Bishop 2006, section 9.3.3).

    Rows with equal labels are counted once, so the cost grows with the distinct label sets. Probabilities are smoothed
    towards the label's overall share. Unknown labels are summed out. Starts are drawn by the content of the rows.

    Parameters
    ----------
    rows : TrainingRows
    n_components : int
    seed : int
    n_init : int, default=10

    Returns
    -------
    BernoulliMixture

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0).astype(np.int8)
    >>> X = np.random.default_rng(0).normal(size=(100, 1))
    >>> mixture = fit_bernoulli_mixture(TrainingRows.of(X, Y), 2, seed=0)
    >>> (mixture.logits > 0).astype(int)[np.argsort(mixture.logits[:, 0])]
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]])
    """
    rng, weights = np.random.default_rng(seed), rows.weights
    sets, index = np.unique(rows.Y, axis=0, return_inverse=True)
    index = index.ravel()
    counts: Floats = np.bincount(index, weights=weights, minlength=len(sets)).astype(np.float64)
    best: BernoulliMixture | None = None
    for _ in range(max(1, n_init)):
        # A start that splits every row at random keeps components broad; centres at single sets do not.
        pool = rng.dirichlet(np.full(n_components, 0.1), POOL)
        split = draw_by_key(rows.keys, pool, rng) * weights[:, None]
        mass = np.stack([np.bincount(index, s, len(sets)).astype(np.float64) for s in split.T], axis=1)
        run = _one_run(sets, counts, mass)
        best = run if best is None or _clearly_better(run, best) else best
    assert best is not None
    return best._replace(responsibilities=best.responsibilities[index])


def _clearly_better(run: BernoulliMixture, best: BernoulliMixture) -> bool:
    """Whether a run is better than another by more than rounding, which depends on the order of the rows."""
    return run.log_likelihood - best.log_likelihood > TIE * abs(best.log_likelihood)


def _one_run(sets: Labels, counts: Floats, mass: Floats) -> BernoulliMixture:
    """Run EM on the distinct ``sets`` (m, L), from the weight ``mass`` (m, K) of each in each component."""
    on, unknown = _on_and_unknown(sets)
    last = -np.inf
    for _ in range(MAX_ITER):
        log_weights, logits = component_parameters(mass, sets, counts)
        off = np.logaddexp(0.0, logits)
        joint = log_weights + on @ logits.T - off.sum(axis=1) + unknown @ off.T
        total = np.logaddexp.reduce(joint, axis=1)
        responsibilities = np.exp(joint - total[:, None])
        value = float(counts @ total)
        if value - last < TOL * abs(value):
            break
        last, mass = value, counts[:, None] * responsibilities
    return BernoulliMixture(log_weights, logits, responsibilities, value)


def component_parameters(mass: Floats, sets: Labels, counts: Floats) -> tuple[Floats, Floats]:
    """Estimate log weights (K,) and logits (K, L) from the ``mass`` (m, K) of sets (m, L) with ``counts`` (m,)."""
    on, unknown = _on_and_unknown(sets)
    share = (counts @ on + 0.5) / (counts.sum() - counts @ unknown + 1.0)
    size = mass.sum(axis=0)
    mu = (mass.T @ on + SMOOTHING * share) / (size[:, None] - mass.T @ unknown + SMOOTHING)
    mu = np.clip(mu, 1e-12, 1.0 - 1e-12)
    return np.log(size + 1e-3) - np.log((size + 1e-3).sum()), np.log(mu) - np.log1p(-mu)


def _on_and_unknown(sets: Labels) -> tuple[Floats, Floats]:
    """Mark the labels that are on and those that are unknown, as numbers."""
    return (sets == 1).astype(np.float64), (sets == FREE).astype(np.float64)
