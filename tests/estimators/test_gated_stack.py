"""Stacks whose weights depend on the row."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise import BinaryRelevance, ConditionalTree, DecisionForest, StackedSets
from setwise.inference.sets.enumeration import all_log_probs
from setwise.learning.by_content.folds import row_folds
from setwise.learning.mixtures.pooling.pool import pool_weights, pooled_log_prob
from setwise.learning.mixtures.pooling.pool_gate import fit_pool_gate
from setwise.persistence import load, save


def two_experts(n=1500, seed=0, informative=True):
    """Log-probabilities (n, 2) of two joints; the third of twenty features says which of them is right."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    right = (X[:, 3] if informative else rng.normal(size=n)) + 0.3 * rng.normal(size=n) > 0
    p = np.where(np.column_stack([right, ~right]), 0.6, 0.1)
    return X, np.log(p)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_gate_finds_the_feature_that_tells_which_member_is_right(form):
    """Red if the score test ranks columns wrongly, or the gate's gradient is wrong."""
    X, log_probs = two_experts()
    gate = fit_pool_gate(form(X), log_probs, np.ones(len(X)), row_folds(X))
    new, truth = two_experts(seed=1)
    gated = np.logaddexp.reduce(gate.log_weights(form(new)) + truth, axis=1)
    constant = pooled_log_prob(truth, pool_weights(log_probs))
    assert np.abs(gate.coef).sum(axis=1).argmax() == gate.columns.tolist().index(3)
    assert gated.mean() > constant.mean() + 0.2


def test_constant_weights_stay_if_no_feature_tells():
    """Red if a gate is kept that held-out rows do not ask for."""
    X, log_probs = two_experts(informative=False)
    assert fit_pool_gate(X, log_probs, np.ones(len(X)), row_folds(X)) is None


def mixed_rows(n, seed):
    """With a positive first feature the labels are linear in ten others; if not, they depend on a product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 14))
    linear = X[:, 0] > 0
    X[~linear, 1:11] = 0.0
    score = np.where(linear, 2 * X[:, 1:11].sum(axis=1), 4 * np.sign(X[:, 11] * X[:, 12]))
    return X, np.column_stack([score + rng.logistic(size=n) > 0, score > 0]).astype(int)


@pytest.fixture(scope="module")
def stack():
    X, Y = mixed_rows(1000, 0)
    X[::50, 13] = np.nan
    members = [ConditionalTree(l2=1.0), DecisionForest(40, max_features="sqrt")]
    return StackedSets(members, cv=3, gate="softmax", random_state=0).fit(X, Y)


def test_the_joint_of_a_row_has_the_weights_of_its_gate(stack):
    """Red if rows share their weights, or NaN in a row makes its weights NaN."""
    X, _ = mixed_rows(20, 3)
    X[0, 0] = np.nan
    weights = np.exp(stack.gate_.log_weights(X))
    parts = [np.exp(all_log_probs(member.distribution(X))) for member in stack.estimators_]
    mean = sum(weight[:, None] * part for weight, part in zip(weights.T, parts))
    np.testing.assert_allclose(np.exp(all_log_probs(stack.distribution(X))), mean, atol=1e-12)
    assert np.ptp(weights[:, 0]) > 0.2
    assert stack.weights_.sum() == pytest.approx(1.0)


def test_a_gated_stack_is_saved_with_its_gate(stack, tmp_path):
    X, _ = mixed_rows(20, 3)
    save(stack, tmp_path / "stack.setwise")
    np.testing.assert_array_equal(load(tmp_path / "stack.setwise").predict_proba(X), stack.predict_proba(X))


def test_a_gate_that_is_unknown_is_refused():
    with pytest.raises(ValueError, match="gate is 'linear'; expected 'constant' or 'softmax'"):
        StackedSets([BinaryRelevance()], gate="linear").fit(*mixed_rows(50, 0))
