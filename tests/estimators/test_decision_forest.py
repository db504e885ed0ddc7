"""Decision forests as joints: what they answer, what they choose out of bag, and what they take."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier

from setwise import DecisionForest
from setwise.inference.sets.enumeration import label_sets


def rows(n=600, seed=0):
    """Two labels that are a rule of two features, not linear; a third that copies the first, and one of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    first = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.05)
    second = (np.abs(X[:, 2]) < 0.7) ^ (rng.random(n) < 0.05)
    copy = first ^ (rng.random(n) < 0.02)
    return X, np.column_stack([first, second, copy, rng.random(n) < 0.2]).astype(int)


@pytest.fixture(scope="module")
def fitted():
    X, Y = rows()
    return DecisionForest(100, random_state=0).fit(X, Y)


def test_all_sets_have_a_positive_probability_and_sum_to_one(fitted):
    """Red if the three parts are not distributions, or their shares do not sum to one."""
    X, _ = rows(20, seed=1)
    log_probs = fitted.distribution(X).log_probs_of(label_sets(4))
    assert np.isfinite(log_probs).all()
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1.0)


def test_the_joint_is_what_the_formula_says(fitted):
    """Red if a share weighs the wrong part, or the product over seen sets is not normalized."""
    X, _ = rows(20, seed=1)
    forest, sets = fitted.forest_, label_sets(4)
    weights = forest.weights(X)
    p = (1 - forest.shrinkage) * weights @ forest.sets + forest.shrinkage * forest.prior
    product = np.prod(np.where(sets[None] == 1, p[:, None], 1 - p[:, None]), axis=2)
    seen = (sets[:, None] == forest.sets[None]).all(axis=2)
    table = weights @ seen.T
    restricted = product * seen.any(axis=1)
    restricted /= restricted.sum(axis=1, keepdims=True)
    a, b, c = fitted.shares_
    truth = a * table + b * restricted + c * product
    np.testing.assert_allclose(np.exp(fitted.distribution(X).log_probs_of(sets)), truth, atol=1e-9)


def test_it_learns_what_is_not_linear(fitted):
    """Red if splits are not chosen by their gain, or marginals are lost: the noise allows .9 * .95 * .8 or so."""
    X, Y = rows(400, seed=2)
    theirs = ExtraTreesClassifier(100, random_state=0).fit(*rows())
    assert fitted.score(X, Y) > theirs.score(X, Y) - 0.02
    assert (fitted.predict(X)[:, :3] == Y[:, :3]).all(axis=1).mean() > 0.7


def test_the_out_of_bag_loss_is_that_of_new_rows(fitted):
    """Red if a row is judged by trees that have seen it: the loss would be far too small."""
    X, Y = rows(2000, seed=3)
    assert fitted.out_of_bag_loss_ == pytest.approx(-fitted.log_prob(X, Y).mean(), rel=0.1)


def test_noise_asks_for_large_leaves():
    """Red if the leaf size is not chosen: labels that no feature explains need all rows."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(400, 3)), (rng.random((400, 3)) < 0.3).astype(int)
    model = DecisionForest(50, random_state=0).fit(X, Y)
    assert model.leaf_size_ >= 21
    entropy = -3 * (0.3 * np.log(0.3) + 0.7 * np.log(0.7))
    new = (rng.random((1000, 3)) < 0.3).astype(int)
    assert -model.log_prob(rng.normal(size=(1000, 3)), new).mean() < entropy + 0.1


def test_growth_stops_when_more_trees_do_not_help():
    """Red if the number of trees is always the largest, or always the first."""
    X = np.repeat([[0.0], [1.0]], 100, axis=0) + np.linspace(0, 0.1, 200)[:, None]
    Y = np.repeat([[0, 1], [1, 0]], 100, axis=0)
    assert DecisionForest(random_state=0).fit(X, Y).n_trees_ <= 100
    assert DecisionForest(30, random_state=0).fit(X, Y).n_trees_ == 30


def test_sparse_rows_and_dense_rows_give_the_same_model():
    X, Y = rows(200)
    X = np.maximum(np.round(X, 1), 0.0)
    dense, sparse = (DecisionForest(20, random_state=0).fit(kind, Y) for kind in (X, sp.csr_array(X)))
    np.testing.assert_allclose(dense.predict_proba(X), sparse.predict_proba(sp.csr_array(X)), atol=1e-12)


def test_missing_features_are_a_value():
    """Red if NaN is an error, or on the side of some numbers by chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    missing = rng.random(300) < 0.5
    X[missing, 0] = np.nan
    Y = np.column_stack([missing, ~missing]).astype(int)
    model = DecisionForest(50, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(
        model.predict([[np.nan, 0.0], [0.0, 0.0], [-5.0, 0.0]]), [[1, 0], [0, 1], [0, 1]]
    )


def test_a_weight_of_two_is_two_rows():
    X, Y = rows(150)
    twice = np.concatenate([np.arange(150), np.arange(50)])
    weighted = DecisionForest(20, random_state=0).fit(X, Y, np.bincount(twice).astype(float))
    repeated = DecisionForest(20, random_state=0).fit(X[twice], Y[twice])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_missing_labels_are_drawn_from_what_the_leaves_know():
    """Red if rows with unknown labels are dropped, or filled by the labels' frequency alone."""
    X, Y = rows(900)
    rng, new = np.random.default_rng(1), rows(500, seed=4)
    hidden = np.where(rng.random(Y.shape) < 0.5, -1, Y)
    losses = {}
    for name, labels in (("all", Y), ("half", hidden)):
        model = DecisionForest(60, random_state=0).fit(X, labels)
        losses[name] = -model.log_prob(*new).mean()
    complete = (hidden != -1).all(axis=1)
    few = DecisionForest(60, random_state=0).fit(X[complete], Y[complete])
    assert losses["all"] < losses["half"] < -few.log_prob(*new).mean()


def test_no_row_with_all_labels_known():
    X, Y = rows(200)
    Y[np.arange(200), np.arange(200) % 4] = -1
    model = DecisionForest(20, random_state=0).fit(X, Y)
    assert np.isfinite(model.log_prob(X, np.maximum(Y, 0))).all()


def test_without_backoff_unseen_sets_are_impossible():
    X, Y = rows(100)
    model = DecisionForest(20, backoff=0.0, random_state=0).fit(X[:, :2], Y[:, [0, 0, 1]])
    assert (model.log_prob(X[:, :2], np.tile([1, 0, 1], (100, 1))) == -np.inf).all()
    assert model.shares_[2] == 0.0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows(n):
    """Red if an empty bag or a row without out-of-bag trees breaks the fit."""
    X, Y = rows(n)
    model = DecisionForest(3, random_state=0).fit(X, Y)
    assert np.isfinite(model.log_prob(X, Y)).all()
