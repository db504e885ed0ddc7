"""Loopy belief propagation, against the enumeration of all label sets."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import expit, logsumexp

from setwise.inference.networks.loopy import loopy_beliefs
from setwise.inference.sets.enumeration import label_sets


def test_beliefs_on_a_tree_are_exact():
    """Red if a message misses a neighbour or a pair's belief is not normalized."""
    rng = np.random.default_rng(2)
    unary, coupling = rng.normal(size=(5, 4)), rng.normal(scale=2, size=3)
    pairs = np.array([[0, 1], [1, 2], [1, 3]])
    sets = label_sets(4)
    energy = unary @ sets.T + (sets[:, pairs[:, 0]] * sets[:, pairs[:, 1]]) @ coupling
    P = np.exp(energy - logsumexp(energy, axis=1, keepdims=True))
    beliefs = loopy_beliefs(unary, pairs, coupling)
    assert_allclose(expit(beliefs.logits), P @ sets, atol=1e-7)
    both = sets[:, pairs[:, 0]] * sets[:, pairs[:, 1]]
    assert_allclose(np.exp(beliefs.pairs[:, :, 1, 1]), P @ both, atol=1e-7)
