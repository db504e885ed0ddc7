import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from setwise.contract import FREE
from setwise.distributions import ForestMixture, SeenSets
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import random_mixture


def random_joint(seed, n_rows=3, n_labels=4, share=0.4):
    rng = np.random.default_rng(seed)
    sets = rng.permutation(label_sets(n_labels))[: rng.integers(1, 2**n_labels + 1)]
    return SeenSets.of(random_mixture(seed, n_rows=n_rows, n_labels=n_labels), sets, share)


joints = st.builds(
    random_joint,
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 4),
    n_labels=st.integers(1, 6),
    share=st.floats(0.01, 0.99),
)


@pytest.mark.parametrize(
    "check", list(yield_checks(skip=["check_tempered"])), ids=lambda check: check.__name__
)
@settings(max_examples=30, deadline=None)
@given(joint=joints)
def test_equals_enumeration(check, joint):
    """Red if any answer of the family differs from the sum or maximum over all label sets."""
    check(joint, np.random.default_rng(0))


def test_it_is_the_joint_and_the_joint_given_the_list():
    mixture, share = random_mixture(3, n_labels=4), 0.3
    sets = label_sets(4)[[1, 5, 6]]
    P, listed = np.exp(all_log_probs(mixture)), np.isin(np.arange(16), [1, 5, 6])
    truth = (1 - share) * P + share * np.where(listed, P, 0) / P[:, listed].sum(axis=1, keepdims=True)
    assert_allclose(np.exp(all_log_probs(SeenSets.of(mixture, sets, share))), truth, rtol=1e-10)


def test_the_best_sets_are_proved_at_once():
    """Red if the bound of what was not tried is looser than the joint's own: of 40 labels all rows are certain."""
    joint = random_mixture(1, n_rows=20, n_labels=40)
    draws = np.unique(joint.sample(20, np.random.default_rng(0)).reshape(-1, 40), axis=0)
    seen = SeenSets.of(joint, draws, 0.5)
    for k in (1, 5):
        assert seen._merged(k, k, None, 0).certified.all()
    assert seen.find_mode(least=3, most=30).certified.all()


def test_sets_of_a_size_are_found_off_the_list_and_on_it():
    mixture = random_mixture(5, n_labels=6)
    joint = SeenSets.of(mixture, label_sets(6)[::7], 0.5)
    sizes = label_sets(6).sum(axis=1)
    for size in range(7):
        truth = np.where(sizes == size, all_log_probs(joint), -np.inf).max(axis=1)
        assert_allclose(joint.find_mode(least=size, most=size).log_prob, truth, rtol=1e-10)


def test_tempering_tempers_the_joint_and_the_share():
    joint = random_joint(2)
    cool = joint.tempered(2.0)
    share = 1 / (1 + np.sqrt(0.6 / 0.4))
    again = SeenSets.of(joint.joint.tempered(2.0), joint.components[1].sets, share)
    assert_allclose(all_log_probs(cool), all_log_probs(again), rtol=1e-10)


def test_a_list_that_the_joint_rules_out_gets_nothing():
    never = ForestMixture.independent(np.array([[-np.inf, 0.0], [1.0, 0.0]]))
    joint = SeenSets.of(never, np.array([[1, 0], [1, 1]]), 0.5)
    assert_allclose(np.exp(all_log_probs(joint))[0], [0.5, 0.5, 0, 0])
    assert_allclose(
        np.exp(joint.log_prob([[1, FREE], [1, FREE]])), [0.0, 0.5 + 0.5 * np.exp(1) / (1 + np.exp(1))]
    )


def test_huge_logits_keep_their_digits():
    """Red if the list is weighed by a product that loses the digits of logits as large as these."""
    logits = np.array([[[[1e17, 1e17], [-1e17, 2.0], [1e17, -1.0]]]])
    joint = ForestMixture(np.zeros((1, 1)), logits, [[-1, 0, 1]])
    sets = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1]])
    seen = SeenSets.of(joint, sets, 0.5)
    by_row = np.array([joint.log_prob(y[None])[0] for y in sets])
    assert_allclose(joint.log_probs_of(sets)[0], by_row, rtol=1e-12)
    assert (seen.mode().labels == joint.mode().labels).all()


@pytest.mark.parametrize("share", [1.0, 1.5, -0.1, np.nan])
def test_a_share_that_cannot_be(share):
    """Red if such a share is accepted and gives NaN."""
    with pytest.raises(ValueError, match=r"share is .*; expected a number, at least 0 and below 1"):
        SeenSets.of(random_mixture(0, n_labels=2), label_sets(2), share)


def test_a_share_of_nothing_and_wrong_lists():
    mixture = random_mixture(0, n_labels=2)
    assert_allclose(all_log_probs(SeenSets.of(mixture, [[0, 1]], 0.0)), all_log_probs(mixture))
    with pytest.raises(ValueError, match="at least one set and one label"):
        SeenSets.of(mixture, np.zeros((0, 2)), 0.5)
    with pytest.raises(ValueError, match=r"\[0, 1\] is .*0.5"):
        SeenSets.of(mixture, [[0, 0.5]], 0.5)


def test_repr():
    assert repr(random_joint(0)).startswith("SeenSets(ForestMixture(n_rows=3")
