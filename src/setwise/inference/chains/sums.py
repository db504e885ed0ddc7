"""Sums over the label sets of a chain: exact for few labels, otherwise by likelihood-weighted draws.

Draws run along the chain. An observed label is not drawn; its probability multiplies the weight of the draw. The mean
weight is an unbiased estimate of the probability of the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import logsumexp

from setwise.blocks import row_slices
from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.inference.chains import conditionals as chains
from setwise.inference.chains.conditionals import Conditionals
from setwise.inference.chains.exhaustive import Exhaustive
from setwise.inference.sets.replicates import Means, estimate_means
from setwise.limits import ENUMERATED_LABELS, N_DRAWS
from setwise.random_bits import uniforms


def is_enumerable(evidence: Labels) -> bool:
    """Check that no row of the evidence (n, L) leaves more than ten labels open."""
    return int((evidence == FREE).sum(axis=1).max(initial=0)) <= ENUMERATED_LABELS


def is_prefix(evidence: Labels) -> Bools:
    """Check whether each row of the evidence (n, L) covers the first labels of the chain and no others.

    Examples
    --------
    >>> import numpy as np
    >>> is_prefix(np.array([[1, 0, -1], [1, -1, 0]]))
    array([ True, False])
    """
    free = evidence == FREE
    return np.asarray((free[:, 1:] | ~free[:, :-1]).all(axis=1))


def log_evidence(conditionals: Conditionals, evidence: Labels) -> Floats:
    """Compute the log-probability (n,) of evidence (n, L); exact for complete rows, prefixes and few open labels.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.zeros((1, 3)), np.array([[0.0, 0.0, 4.0], [0.0] * 3, [0.0] * 3]))
    >>> np.exp(log_evidence(chain, np.array([[-1, -1, 1]], dtype=np.int8))).round(3)
    array([0.741])
    """
    forwards = is_prefix(evidence)
    few = (evidence == FREE).sum(axis=1) <= ENUMERATED_LABELS
    log_p = np.empty(len(evidence))
    for rows in map(np.flatnonzero, (forwards, ~forwards & few, ~forwards & ~few)):
        if not rows.size:
            continue
        part, given = conditionals.take(rows), np.ascontiguousarray(evidence[rows])
        if forwards[rows[0]]:
            log_p[rows] = chains.sample(part, given, np.full((len(rows), 1, evidence.shape[1]), 0.5))[1][:, 0]
        else:
            log_p[rows] = np.concatenate([logsumexp(w, axis=1) for _, w in weighted_sets(part, given)])
    return log_p


def weighted_sets(conditionals: Conditionals, evidence: Labels) -> Iterator[tuple[Labels, Floats]]:
    """Iterate over blocks of rows: sets that agree with the evidence, and their log weights.

    The weights of a row sum to the probability of its evidence. If few labels are open, these are all sets with their
    probabilities; otherwise draws, each with its weight over their number.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)

    Yields
    ------
    sets : ndarray of shape (b, S, L)
    log_weight : ndarray of shape (b, S)
    """
    L = evidence.shape[1]
    enumerated = is_enumerable(evidence)
    n_sets = 2 ** int((evidence == FREE).sum(axis=1).max(initial=0)) if enumerated else N_DRAWS
    for rows in row_slices(len(evidence), n_sets * L):
        part, given = conditionals.take(rows), evidence[rows]
        if enumerated:
            answer = Exhaustive()(part, given, n_sets)
            yield answer.labels, answer.log_prob
        else:
            draws, log_weight, _ = _draw_sets(part, given)
            yield draws, log_weight - np.log(n_sets)


def mean_conditionals(conditionals: Conditionals, evidence: Labels) -> Means:
    """Estimate the marginals (n, L) given the first labels, as means of P(y_j = 1 | earlier draws).

    Their error is never larger than that of the share of draws that are on, and rare labels keep a probability.
    """
    angles = uniforms(chains.row_streams(conditionals), evidence.shape[1])

    def group_means(rows: Array, points: Floats) -> Floats:
        return chains.mean_probs(conditionals.take(rows), evidence[rows], points, angles[rows])

    return estimate_means(group_means, conditionals.shape, evidence.shape[1])


def _draw_sets(conditionals: Conditionals, evidence: Labels) -> tuple[Labels, Floats, Floats]:
    """Draw the sets that sampled answers are estimated from; returns what :func:`chains.sample` does."""
    n, L = evidence.shape
    return chains.sample(conditionals, evidence, chains.row_numbers(conditionals, 0).random((n, N_DRAWS, L)))
