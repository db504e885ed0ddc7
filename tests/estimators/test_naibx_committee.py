"""NaiBX models that are boosted."""

import numpy as np
import pytest

from setwise import NaiBX, NaiBXCommittee
from setwise.metrics import exact_match


def rows(n=400, seed=0):
    """A feature that is given six times, which naive Bayes takes for six features, and another one."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    return np.column_stack([np.tile(x, (6, 1)).T, z]), np.column_stack([x + 2 * z > 0, x - 2 * z > 1]).astype(
        int
    )


def test_one_member_is_naibx():
    """Red if the first member counts rows unequally, or the committee changes its joint."""
    X, Y = rows()
    committee, alone = NaiBXCommittee(1).fit(X, Y), NaiBX().fit(X, Y)
    np.testing.assert_allclose(committee.log_prob(X, Y), alone.log_prob(X, Y), rtol=1e-12)
    np.testing.assert_array_equal(committee.predict(X), alone.predict(X, decision="subset"))


def test_weights_are_those_of_adaboost():
    """Red if rows that are wrong do not count more for the next member, or votes are not log-odds of being right."""
    X, Y = rows()
    own = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    committee = NaiBXCommittee(3).fit(X, Y, sample_weight=own)
    emphasis, votes = np.ones(len(Y)), []
    for member in committee.members_:
        again = NaiBX().fit(X, Y, sample_weight=own * emphasis)
        np.testing.assert_allclose(member.log_prob(X, Y), again.log_prob(X, Y), rtol=1e-9)
        wrong = (again.predict(X) != Y).mean(axis=1)
        error = np.average(wrong, weights=own * emphasis)
        votes.append(np.log((1 - error) / error))
        emphasis *= np.exp(votes[-1] * wrong)
        emphasis *= own.sum() / (own @ emphasis)
    np.testing.assert_allclose(committee.weights_, np.divide(votes, np.sum(votes)), rtol=1e-9)


def test_a_committee_learns_what_one_member_cannot():
    """Red if the members are all the same: then the committee would be as often right as one of them."""
    X, Y = rows()
    X_test, Y_test = rows(seed=1)
    one = exact_match(Y_test, NaiBX().fit(X, Y).predict(X_test))
    assert exact_match(Y_test, NaiBXCommittee(20).fit(X, Y).predict(X_test)) > one + 0.02


def test_members_must_be_naibx():
    X, Y = rows(20)
    with pytest.raises(ValueError, match="member is a str; expected a NaiBX or None"):
        NaiBXCommittee(member="naibx").fit(X, Y)
