"""Simulated annealing for the mode of a mixture of forests.

Hong, Batal and Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014,
section 5.4: start from the best of the components' modes, then change single labels at random under a falling
temperature (150 changes in section 6). The answer is the best set met. It is certified only if it reaches the sum of
the components' maxima, which bounds every set.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.contract import FREE, Floats, Labels, Mode
from setwise.inference.forests.arrays import Forests
from setwise.inference.forests.messages import log_evidence, marginals, max_sum
from setwise.kernels import implementation

STEPS = 150
TEMPERATURES = (1.0, 0.01)
"""First and last temperature; the paper does not print its own."""


def anneal(
    log_gate: Floats, forests: Forests, evidence: Labels, rng: np.random.Generator, min_labels: int = 0
) -> Mode:
    """Search for the mode of each row by simulated annealing.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    evidence : ndarray of shape (n, L)
        Labels that are 0 or 1 are kept.
    rng : numpy.random.Generator
    min_labels : int, default=0
        Smallest number of labels of a set.

    Returns
    -------
    Mode

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[1.0], [-2.0]], [[-1.0], [3.0]]]]), [[-1, -1], [-1, -1]])
    >>> free = np.full((1, 2), -1, dtype=np.int8)
    >>> anneal(np.log([[0.6, 0.4]]), forests, free, np.random.default_rng(0)).labels
    array([[1, 0]], dtype=int8)
    """
    modes, values = max_sum(forests, evidence)
    upper = np.asarray(logsumexp(log_gate + values, axis=1))
    start = _best_of(modes, log_gate, forests)
    if min_labels:
        average = (np.exp(log_gate)[:, :, None] * marginals(forests)).sum(axis=1)
        start = _add_labels(start, evidence, average, min_labels)
    temperatures = np.geomspace(*TEMPERATURES, STEPS)
    uniforms = rng.random((len(start), STEPS, 2))
    labels: Labels = implementation.mixture_anneal(
        log_gate, *forests, evidence, start, uniforms, temperatures, min_labels
    )
    log_prob = _score(labels, log_gate, forests)
    found = (log_prob > -np.inf) & (labels.sum(axis=1) >= min_labels)
    labels[~found], log_prob[~found] = FREE, -np.inf
    certified = (found & (upper - np.where(found, log_prob, 0.0) <= 1e-12)) | (upper == -np.inf)
    with np.errstate(invalid="ignore"):
        return Mode(labels, log_prob, certified, np.where(certified, 0.0, upper - log_prob))


def _best_of(modes: Labels, log_gate: Floats, forests: Forests) -> Labels:
    """Select the set of each row's (n, K, L) that is most probable under the mixture."""
    modes = np.ascontiguousarray(modes.transpose(1, 0, 2))
    scores = np.stack([_score(y, log_gate, forests) for y in modes])
    best: Labels = modes[scores.argmax(axis=0), np.arange(modes.shape[1])]
    return best


def _score(labels: Labels, log_gate: Floats, forests: Forests) -> Floats:
    return np.asarray(logsumexp(log_gate + log_evidence(forests, labels), axis=1))


def _add_labels(start: Labels, evidence: Labels, marginals: Floats, min_labels: int) -> Labels:
    """Turn on the likeliest free labels of sets that have too few."""
    chosen = np.where(start == 1, np.inf, np.where(evidence == FREE, marginals, -np.inf))
    rank = np.argsort(np.argsort(-chosen, axis=1, kind="stable"), axis=1)
    return np.where((rank < min_labels) & (chosen > -np.inf), 1, start).astype(np.int8)
