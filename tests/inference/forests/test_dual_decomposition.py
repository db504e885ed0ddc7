"""Dual decomposition against the enumeration of all sets: its bounds hold, and its certificates are true."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.contract import NotTractable
from setwise.distributions import ForestMixture
from setwise.inference.sets.enumeration import all_log_probs, label_sets


def random_mixture(seed, n=4):
    rng = np.random.default_rng(seed)
    K, L = rng.integers(1, 5), rng.integers(1, 6)
    parents = np.full((K, L), -1)
    for row in parents:
        order = rng.permutation(L)
        for j in range(1, L):
            row[order[j]] = order[rng.integers(j)] if rng.random() < 0.7 else -1
    logits = rng.normal(size=(n, K, L, 2)) * rng.choice([0.5, 2.0, 5.0])
    gate = rng.dirichlet(np.full(K, rng.choice([0.2, 1.0])), n) + 1e-9
    return ForestMixture(np.log(gate / gate.sum(axis=1, keepdims=True)), logits, parents), rng


def largest(joint, evidence, least):
    sets = label_sets(joint.n_labels)
    log_p = all_log_probs(joint)
    agrees = ((evidence[:, None] == -1) | (evidence[:, None] == sets)).all(axis=2)
    return np.where(agrees & (sets.sum(axis=1) >= least), log_p, -np.inf).max(axis=1)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_bounds_enclose_the_mode_and_certificates_are_true(seed):
    """Red if a bound is on the wrong side of the most probable set, or a wrong set is certified."""
    joint, rng = random_mixture(seed)
    least = int(rng.integers(0, 2))
    evidence = np.where(rng.random((joint.n_rows, joint.n_labels)) < 0.2, 0, -1).astype(np.int8)
    found = joint.restricted(least).decomposed_mode(evidence, n_iter=15)
    true = largest(joint, evidence, least)
    assert (found.log_prob <= true + 1e-9).all()
    assert (found.log_prob + found.gap >= true - 1e-9).all()
    np.testing.assert_allclose(found.log_prob[found.certified], true[found.certified], atol=1e-8)
    some = np.isfinite(true)
    np.testing.assert_allclose(joint.take(some).log_prob(found.labels[some]), found.log_prob[some], atol=1e-9)
    assert ((evidence == -1) | (found.labels == evidence))[some].all()
    assert (found.labels[~some] == -1).all()


def test_one_component_is_certified_at_once():
    joint = ForestMixture.independent(np.random.default_rng(0).normal(size=(5, 4)))
    found = joint.decomposed_mode(n_iter=1)
    assert found.certified.all()
    np.testing.assert_array_equal(found.labels, joint.mode().labels)


def test_components_that_agree_are_certified():
    """Red if multipliers start anywhere but at zero: equal modes meet the bound without a step."""
    logits = np.array([[[[2.0], [-1.0]], [[1.0], [-3.0]]]])
    joint = ForestMixture(np.log([[0.7, 0.3]]), logits, [[-1, -1], [-1, -1]])
    assert joint.decomposed_mode(n_iter=1).certified.all()


def test_more_than_one_label_is_refused():
    with pytest.raises(NotTractable, match="at least one label"):
        ForestMixture.independent(np.zeros((1, 4))).restricted(2).decomposed_mode()
