"""Stacks of joints: their weights, what is dropped, and answers as exact as those of the members."""

import numpy as np
import pytest

from setwise import (
    BinaryRelevance,
    ClassifierChain,
    ConditionalTree,
    DecisionForest,
    LabelPowerset,
    StackedSets,
)
from setwise.inference.sets.enumeration import all_log_probs
from setwise.learning.mixtures.pooling.pool import drop_useless, pool_weights


def rows(n=300, seed=0):
    """Every label is partly linear and partly a product of features; the second copies the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    first = 2 * X[:, 0] - X[:, 3] + 2 * np.sign(X[:, 1] * X[:, 2]) + rng.logistic(size=n) > 0
    second = X[:, 3] + X[:, 4] + 2 * np.sign(X[:, 5] - 0.5) + rng.logistic(size=n) > 0
    return X, np.column_stack([first, first ^ (rng.random(n) < 0.05), second]).astype(int)


@pytest.fixture(scope="module")
def stack():
    members = [BinaryRelevance(l2=1.0), ConditionalTree(l2=1.0), DecisionForest(60, max_features="sqrt")]
    return StackedSets(members, cv=3, random_state=0).fit(*rows())


def test_the_joint_is_the_weighted_mean_of_its_members(stack):
    X, _ = rows(20, seed=1)
    mean = sum(
        weight * np.exp(all_log_probs(member.distribution(X)))
        for weight, member in zip(stack.weights_, stack.estimators_)
    )
    np.testing.assert_allclose(np.exp(all_log_probs(stack.distribution(X))), mean, atol=1e-12)


def test_modes_are_those_of_the_enumeration(stack):
    X, _ = rows(50, seed=1)
    joint = stack.distribution(X).unrestricted()
    mode = joint.mode()
    assert mode.certified.all()
    np.testing.assert_allclose(mode.log_prob, all_log_probs(joint).max(axis=1))


def test_a_stack_is_better_than_each_of_its_members(stack):
    """Red if weights are equal, or fitted to rows that the members have seen: the forest would get all of it."""
    X, Y = rows(1500, seed=2)
    best = min(-member.log_prob(X, Y).mean() for member in stack.estimators_)
    assert -stack.log_prob(X, Y).mean() < best
    assert len(stack.estimators_) >= 2


def test_a_member_that_does_not_help_is_dropped():
    """Red if the powerset, a table of noise, stays beside the truth; what happened to it is on the leaderboard."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    Y = (X + rng.logistic(size=(300, 2)) * 0.3 > 0).astype(int)
    model = StackedSets([BinaryRelevance(), DecisionForest(5, leaf_size=100.0)], cv=3, random_state=0).fit(
        X, Y
    )
    assert [type(member) for member in model.estimators_] == [BinaryRelevance]
    assert [entry["status"] for entry in model.leaderboard_] == ["used", "dropped: it does not help"]
    assert model.leaderboard_[0]["weight"] == 1.0


def test_members_that_cannot_take_the_rows_are_left_out():
    X, Y = rows(150)
    X[0, 0], Y[1, 1] = np.nan, -1
    model = StackedSets([LabelPowerset(), BinaryRelevance(), DecisionForest(20)], cv=2, random_state=0).fit(
        X, Y
    )
    assert "left out: some labels are missing" in [entry["status"] for entry in model.leaderboard_]
    with pytest.raises(
        ValueError, match=r"none of the estimators can be fitted to these rows\. ClassifierChain"
    ):
        StackedSets([ClassifierChain()]).fit(X[1:], Y[1:])


def test_wrong_estimators_are_named():
    with pytest.raises(ValueError, match="estimators is 'all'; expected 'auto' or a list"):
        StackedSets("all").fit(*rows(20))
    with pytest.raises(ValueError, match="at least one setwise estimator"):
        StackedSets([]).fit(*rows(20))


def test_weights_maximize_the_likelihood_of_the_pool():
    """Red if EM stops early or climbs elsewhere: no point of a fine grid is better."""
    p = np.random.default_rng(0).gamma(0.5, size=(60, 2))
    best = pool_weights(np.log(p), pseudo_rows=0.0)
    grid = np.linspace(0.0, 1.0, 1001)
    likelihood = [np.log(v * p[:, 0] + (1 - v) * p[:, 1]).mean() for v in grid]
    assert np.log(p @ best).mean() >= max(likelihood) - 1e-7


def test_impossible_rows_do_not_spoil_the_weights():
    with np.errstate(divide="ignore"):
        log_probs = np.log([[0.0, 0.5], [0.0, 0.0], [0.4, 0.2]])
    weights = pool_weights(log_probs)
    assert np.isfinite(weights).all()
    assert weights[1] > 0.5
    assert drop_useless(log_probs[[0, 2]]) == [1]
