"""Sums of pairwise fields by halves, against the enumeration of all label sets."""

import numpy as np
import pytest
from scipy.special import logsumexp

from setwise.inference.networks.half_sums import field_sums
from setwise.inference.sets.enumeration import label_sets


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("L", [1, 2, 5, 8])
def test_sums_are_those_of_the_enumeration(L, seed):
    """Red if a term between or within the halves is missing, counted twice, or given to the wrong rows."""
    rng = np.random.default_rng(seed)
    scores, weights = 5.0 * rng.normal(size=(7, L)), rng.random(7)
    couplings = 5.0 * rng.normal(size=(L, L))
    couplings += couplings.T
    sets = label_sets(L).astype(float)
    pairs = np.einsum("sl,lm,sm->s", sets, np.triu(couplings, 1), sets)
    joint = scores @ sets.T + pairs
    log_z = logsumexp(joint, axis=1)
    p = np.exp(joint - log_z[:, None])
    sums = field_sums(scores, couplings, weights)
    np.testing.assert_allclose(sums.log_z, log_z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums.marginals, p @ sets, atol=1e-12)
    np.testing.assert_allclose(sums.products, np.einsum("i,is,sl,sm->lm", weights, p, sets, sets), atol=1e-11)


def test_extreme_scores_are_finite_and_extreme_couplings_are_refused():
    """Red if a row far out gives NaN, or couplings that would underflow are summed all the same."""
    scores = np.array([[1e4, -1e4, 1e4], [-1e4, -1e4, -1e4]])
    sums = field_sums(scores, np.zeros((3, 3)), np.ones(2))
    np.testing.assert_allclose(sums.log_z, [2e4, 0.0])
    np.testing.assert_allclose(sums.marginals, [[1, 0, 1], [0, 0, 0]], atol=1e-12)
    assert field_sums(scores, np.full((3, 3), -1e3), np.ones(2)) is None
