"""Message passing on forests: sums, maxima, draws and conditioning in one pass up or down the edges.

In a forest the probability of the evidence below a label depends on that label's value only, so it can be summed up
from the leaves (sum-product). Maxima instead of sums give the most probable set of each forest (max-sum); a pass down
from the roots gives marginals and samples.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, logsumexp

from setwise.blocks import row_slices
from setwise.contract import Array, Floats, Labels
from setwise.inference.forests.arrays import ROOT, Forests
from setwise.kernels import implementation

LIST_ARRAYS = 2
"""Arrays of a number for each row and listed set that are held at a time."""


def log_evidence(forests: Forests, evidence: Labels) -> Floats:
    """Compute the log-probability of evidence under each component.

    Parameters
    ----------
    forests : Forests
    evidence : ndarray of shape (n, L)
        0, 1, or :data:`FREE` for a label that is summed out.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.zeros((1, 1, 3, 1)), [[-1, -1, -1]])
    >>> np.exp(log_evidence(forests, np.array([[1, -1, 0]], dtype=np.int8)))
    array([[0.25]])
    """
    return np.asarray(implementation.forest_log_evidence(*forests, evidence))


def log_probs_of(log_gate: Floats, forests: Forests, sets: Labels) -> Floats:
    """Compute the log-probability of the same complete sets in each row.

    In one forest it is linear in the labels and in the products of every label with its parent, so all sets and all
    rows are one matrix product per component. Logits beyond about 1e8 would lose digits in these products.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    sets : ndarray of shape (m, L)

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.zeros((1, 1, 3, 1)), [[-1, -1, -1]])
    >>> np.exp(log_probs_of(np.zeros((1, 1)), forests, np.array([[1, 0, 0], [0, 0, 0]])))
    array([[0.125, 0.125]])
    """
    n, on = len(log_gate), sets.astype(np.float64)
    total = np.empty((n, len(sets)))
    for rows in row_slices(n, LIST_ARRAYS * len(sets)):
        total[rows] = _log_probs_of(log_gate[rows], forests.take(rows), on)
    return total


def _log_probs_of(log_gate: Floats, forests: Forests, on: Floats) -> Floats:
    total = np.full((len(log_gate), len(on)), -np.inf)
    for k, parents in enumerate(forests.parents):
        logits = forests.logits[:, k].astype(np.float64)
        off, child = log_expit(-logits), parents != ROOT
        single, constant = logits[:, :, 0].copy(), log_gate[:, k] + off[:, :, 0].sum(axis=1)
        features, slopes = [on], [single]
        if child.any():
            own, parent = np.flatnonzero(child), parents[child]
            turned_off = off[:, own, 1] - off[:, own, 0]
            np.add.at(single.T, parent, turned_off.T)
            features.append(on[:, own] * on[:, parent])
            slopes.append(logits[:, own, 1] - logits[:, own, 0])
        values = np.hstack(slopes) @ np.hstack(features).T + constant[:, None]
        np.logaddexp(total, values, out=total)
    return total


def max_sum(forests: Forests, evidence: Labels) -> tuple[Labels, Floats]:
    """Find the most probable set of each component that agrees with the evidence.

    Parameters
    ----------
    forests : Forests
    evidence : ndarray of shape (n, L)

    Returns
    -------
    labels : ndarray of shape (n, K, L)
    log_prob : ndarray of shape (n, K)

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.array([[[[2.0, 0.0], [-1.0, 3.0]]]]), [[-1, 0]])
    >>> labels, value = max_sum(forests, np.array([[-1, -1]], dtype=np.int8))
    >>> labels
    array([[[1, 1]]], dtype=int8)
    """
    labels, value = implementation.forest_max_sum(*forests, evidence)
    return labels, value


def condition(log_gate: Floats, forests: Forests, evidence: Labels) -> tuple[Floats, Forests, Floats]:
    """Condition a mixture on evidence.

    A component's weight is multiplied by its probability of the evidence; a label's table by the messages from
    below.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    evidence : ndarray of shape (n, L)

    Returns
    -------
    log_gate : ndarray of shape (n, K)
    forests : Forests
    log_prob : ndarray of shape (n,)
        Of the evidence. If it is -inf, the evidence is impossible: the gate is unchanged and the tables are
        meaningless.

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]])
    >>> gate, given, log_p = condition(np.zeros((1, 1)), forests, np.array([[1, -1]], dtype=np.int8))
    >>> given.logits.ravel(), np.exp(log_p)
    (array([inf,  0.]), array([0.5]))
    """
    logits, by_component = implementation.forest_condition(*forests, evidence)
    joint = log_gate + by_component
    log_p = np.asarray(logsumexp(joint, axis=1))
    possible = log_p > -np.inf
    gate = np.where(possible[:, None], joint - np.where(possible, log_p, 0.0)[:, None], log_gate)
    return gate, forests._replace(logits=logits), log_p


def marginals(forests: Forests) -> Floats:
    """Compute P(y_l = 1) in each component, (n, K, L).

    Examples
    --------
    >>> import numpy as np
    >>> marginals(Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]]))
    array([[[0.5, 0.5]]])
    """
    return np.asarray(implementation.forest_marginals(*forests))


def pairwise(gate: Floats, forests: Forests) -> Floats:
    """Compute P(y_i = 1, y_j = 1) of a mixture.

    Labels are taken from the roots down: a label's parent separates it from every label before it.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests

    Returns
    -------
    ndarray of shape (n, L, L)

    Examples
    --------
    >>> import numpy as np
    >>> pairwise(np.ones((1, 1)), Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]]))
    array([[[0.5 , 0.25],
            [0.25, 0.5 ]]])
    """
    return np.asarray(implementation.forest_pairwise(gate, *forests))


def entropy(forests: Forests) -> Floats:
    """Compute the entropy (n, K) of each component in nats: the mean entropy of each label given its parent, summed.

    Examples
    --------
    >>> import numpy as np
    >>> entropy(Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]])) / np.log(2)
    array([[2.]])
    """
    return np.asarray(implementation.forest_entropy(*forests))


def sample(log_gate: Floats, forests: Forests, n_draws: int, rng: np.random.Generator) -> Labels:
    """Draw independent sets: a component from the gate, then parents before their children.

    Parameters
    ----------
    log_gate : ndarray of shape (n, K)
        Log weights of the components.
    forests : Forests
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n, n_draws, L)

    Examples
    --------
    >>> import numpy as np
    >>> forests = Forests.of(np.full((1, 1, 2, 1), np.inf), [[-1, -1]])
    >>> sample(np.zeros((1, 1)), forests, 1, np.random.default_rng(0))
    array([[[1, 1]]], dtype=int8)
    """
    n, K, L, _ = forests.logits.shape
    cumulative = np.exp(log_gate).cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    result = np.empty((n, n_draws, L), dtype=np.int8)
    points = rng.random((n, n_draws))
    for block in row_slices(n_draws, n * (K + L)):
        draws = result[:, block]
        component = _choose(cumulative, points[:, block])
        draws[...] = implementation.forest_sample(*forests, component, rng.random(draws.shape))
    return result


def _choose(cumulative: Floats, uniforms: Floats) -> Array:
    """Find the component (n, S) whose share of [0, 1) holds each uniform number."""
    return np.asarray((cumulative[:, None, :] <= uniforms[:, :, None]).sum(axis=2))
