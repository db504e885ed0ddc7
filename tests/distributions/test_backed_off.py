import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from setwise.distributions import BackedOff, ForestMixture, Table
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import random_mixture


def random_joint(seed, n_rows=3, n_labels=4, share=0.4):
    rng = np.random.default_rng(seed)
    sets = rng.permutation(label_sets(n_labels))[: rng.integers(1, 2**n_labels + 1)]
    with np.errstate(divide="ignore"):
        weights = rng.dirichlet(np.full(len(sets), 0.5), n_rows) * (rng.random((n_rows, len(sets))) < 0.8)
        weights[weights.sum(axis=1) == 0, 0] = 1.0
        table = Table(sets, np.log(weights / weights.sum(axis=1, keepdims=True)))
    return BackedOff.of(table, random_mixture(seed, n_rows=n_rows, n_labels=n_labels), share)


joints = st.builds(
    random_joint,
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 4),
    n_labels=st.integers(1, 6),
    share=st.floats(0.0, 1.0),
)


@pytest.mark.parametrize(
    "check", list(yield_checks(skip=["check_tempered"])), ids=lambda check: check.__name__
)
@settings(max_examples=30, deadline=None)
@given(joint=joints)
def test_equals_enumeration(check, joint):
    """Red when any answer of the family differs from the sum or maximum over all label sets."""
    check(joint, np.random.default_rng(0))


def test_it_is_the_table_and_the_joint():
    joint = random_joint(3, share=0.3)
    parts = [np.exp(all_log_probs(part)) for part in (joint.table, joint.joint)]
    assert_allclose(np.exp(all_log_probs(joint)), 0.7 * parts[0] + 0.3 * parts[1], atol=1e-12)


def test_the_best_sets_are_proved_at_once():
    """Red when listed sets are searched instead of scored: of 40 labels and 500 sets all rows are certain."""
    rng = np.random.default_rng(0)
    sets = np.unique(rng.integers(0, 2, (500, 40)), axis=0)
    table = Table(sets, np.log(rng.dirichlet(np.ones(len(sets)), 20)))
    joint = BackedOff.of(table, ForestMixture.independent(rng.normal(size=(20, 40))), 0.5)
    for k in (1, 7):
        assert joint.find_top_k(k).certified.all()
    assert joint.find_mode(least=3, most=30).certified.all()


@pytest.mark.parametrize("share", [1.5, -0.1, np.nan])
def test_a_share_outside_0_and_1_is_an_error(share):
    with pytest.raises(ValueError, match=r"share is .*; expected a number from 0 to 1"):
        BackedOff.of(Table([[0, 1]], [[0.0]]), ForestMixture.independent([[0.0, 0.0]]), share)


def test_repr():
    assert repr(random_joint(0)).startswith("BackedOff(Table(n_rows=3")
