"""Chains against scikit-learn's, and their own guarantees."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as SklearnChain
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from setwise import BinaryRelevance, ChainEnsemble, ClassifierChain, ConditionalTree
from setwise.distributions.votes import _majority
from setwise.inference.chains.beam import Beam
from setwise.learning.trees.flat.tree_classifier import TreeClassifier
from tests.estimators.random_labels import correlated


@pytest.fixture(scope="module")
def data():
    return correlated(0, n_rows=300, n_labels=6)


@pytest.mark.parametrize(
    "learner", [LogisticRegression(C=0.5), GaussianNB(), LinearSVC()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [3, 0, 5, 1, 4, 2]])
def test_greedy_equals_scikit_learns_chain(data, learner, order):
    """Red if features, prefixes or columns are in another order."""
    X, Y = data
    ours = ClassifierChain(learner, order=order, search="greedy", min_labels=0).fit(X[:200], Y[:200])
    theirs = SklearnChain(learner, order=order).fit(X[:200], Y[:200])
    assert_array_equal(ours.predict(X[200:]), theirs.predict(X[200:]))


def test_the_batch_equals_one_regression_a_label(data):
    """Red if the triangular mask or the scale of the labels is wrong: each label is fitted by itself here."""
    X, Y = data
    order = np.array([2, 4, 0, 1, 5, 3])
    chain = ClassifierChain(order=order, l2=2.0, tol=1e-12).fit(X, Y)
    scale = max(X.shape[1], 1.0) ** 0.5
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for j, label in enumerate(order):
        features = np.hstack([Z, Y[:, order[:j]] * scale])
        alone = LogisticRegression(C=0.5, tol=1e-10, max_iter=5000).fit(features, Y[:, label])
        assert_allclose(chain.coupling_[order[:j], label], alone.coef_[0, X.shape[1] :] * scale, atol=1e-4)
        assert_allclose(chain.coef_[label], alone.coef_[0, : X.shape[1]] / X.std(axis=0), atol=1e-4)


def test_permuting_labels_and_order_permutes_answers(data):
    X, Y = data
    permutation = np.array([4, 2, 0, 5, 1, 3])
    one = ClassifierChain(l2=1.0, order=permutation, tol=1e-12).fit(X, Y)
    other = ClassifierChain(l2=1.0, tol=1e-12).fit(X, Y[:, permutation])
    assert_allclose(other.predict_proba(X), one.predict_proba(X)[:, permutation], atol=1e-7)
    assert_array_equal(other.predict(X), one.predict(X)[:, permutation])


@pytest.mark.parametrize("learner", ["logistic", GaussianNB()], ids=str)
def test_exact_searches_agree(data, learner):
    """Red if best-first or a full beam misses the mode of the exhaustive search."""
    X, Y = data
    answers = [
        ClassifierChain(learner, search=search, l2=1.0).fit(X[:200], Y[:200]).predict(X[200:])
        for search in ("exhaustive", "best_first", Beam(64))
    ]
    assert_array_equal(answers[1], answers[0])
    assert_array_equal(answers[2], answers[0])


@pytest.mark.parametrize("cls", [ClassifierChain, ChainEnsemble])
@pytest.mark.parametrize("learner", ["logistic", LogisticRegression()], ids=str)
def test_a_constant_label_works(data, cls, learner):
    X, Y = data
    Y = np.column_stack([Y[:, :2], np.zeros(len(Y), int), np.ones(len(Y), int)])
    model = cls(learner=learner, random_state=0).fit(X, Y)
    assert (model.predict(X)[:, 2:] == [0, 1]).all()
    assert np.isfinite(model.log_prob(X, 1 - Y)).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("make", [ClassifierChain, lambda learner, **_: ChainEnsemble(2, learner)])
def test_a_learner_that_returns_nan_is_named(data, make):
    """Red if NaN from a learner becomes a prediction."""
    labels = pd.DataFrame(data[1][:30, :2], columns=["sun", "rain"])
    model = make(GaussianNB(), order=[1, 0]).fit(np.zeros((30, 2)), labels)
    with pytest.raises(ValueError, match=r"GaussianNB gives the label '(sun|rain)' the probability NaN"):
        model.predict_proba([[0.0, 0.0]])


def test_learned_orders_put_parents_first(data):
    """Red if a label stands before its parent in the tree that is learned from the same rows."""
    X, Y = data
    Y = Y[:, [3, 0, 5, 1, 4, 2]]
    order = ClassifierChain(order="learned").fit(X, Y).order_
    parents = ConditionalTree(candidate_parents="all").fit(X, Y).parents_
    children = np.flatnonzero(parents >= 0)
    position = np.argsort(order)
    assert sorted(order) == list(range(6))
    assert len(children) >= 3
    assert (position[parents[children]] < position[children]).all()


def test_random_orders_repeat(data):
    X, Y = data
    drawn = [ClassifierChain(order="random", l2=1.0, random_state=7).fit(X, Y).order_ for _ in range(2)]
    assert_array_equal(*drawn)


def test_trees_are_called_once_a_level(data, monkeypatch):
    """Red if a search calls the classifier row by row."""
    X, Y = data
    chain = ClassifierChain(HistGradientBoostingClassifier(max_iter=3), search=Beam(4)).fit(X, Y)
    calls, inner = [], TreeClassifier._raw
    monkeypatch.setattr(TreeClassifier, "_raw", lambda self, Z: calls.append(len(Z)) or inner(self, Z))
    chain.distribution(X).mode()
    assert len(calls) == 6
    assert calls[0] == len(X)


def test_marginals_of_many_labels_equal_the_share_of_samples():
    """Red if predict_proba is anything but the marginal."""
    X, Y = correlated(1, n_rows=200, n_labels=14)
    chain = ClassifierChain(l2=1.0).fit(X, Y)
    drawn = chain.sample(X[:20], 4000, random_state=0).mean(axis=1)
    assert chain.distribution(X[:20]).sampled
    assert_allclose(chain.predict_proba(X[:20]), drawn, atol=0.06)


class TestEnsemble:
    def test_votes_are_the_chains_own_answers(self, data):
        X, Y = data
        by_label = ChainEnsemble(5, random_state=0, l2=1.0, min_labels=0).fit(X, Y)
        ballots = np.stack([c.mode().labels for c in by_label.distribution(X).components])
        assert_array_equal(by_label.predict(X), ballots.mean(axis=0) > 0.5)
        by_subset = ChainEnsemble(5, random_state=0, l2=1.0, min_labels=0, vote="subset").fit(X, Y).predict(X)
        for row, answer in enumerate(by_subset):
            counts = [(ballots[:, row] == y).all(axis=1).sum() for y in ballots[:, row]]
            assert (ballots[:, row] == answer).all(axis=1).sum() == max(counts)

    def test_one_chain_without_bagging_is_that_chain(self, data):
        X, Y = data
        one = ChainEnsemble(1, bagging=False, l2=1.0, tol=1e-10, random_state=0).fit(X, Y)
        chain = ClassifierChain(order=one.orders_[0], l2=1.0, tol=1e-10, search="greedy").fit(X, Y)
        assert_allclose(one.log_prob(X, Y), chain.log_prob(X, Y), rtol=1e-6)
        assert_array_equal(one.predict(X), chain.predict(X))

    @pytest.mark.parametrize("learner", ["logistic", GaussianNB()], ids=str)
    def test_each_chain_sees_its_own_sample_with_bagging_and_all_rows_without(self, data, learner):
        """Red if chains of equal orders differ without bagging, or are equal with it."""
        X, Y = data[0], data[1][:, :1]
        for bagging in (True, False):
            model = ChainEnsemble(3, learner, bagging=bagging, l2=1.0, random_state=0).fit(X, Y)
            said = [chain.marginals() for chain in model.distribution(X).components]
            assert np.allclose(said[0], said[1]) != bagging
            assert np.allclose(said[1], said[2]) != bagging

    def test_bootstrap_samples_are_as_large_as_the_data_and_differ(self):
        """Red if rows come more or less often than once on average, or every chain draws the same sample."""
        X, Y = np.arange(30_000.0)[:, None], np.zeros((30_000, 2), np.int8)
        first, second = ChainEnsemble(2)._samples(X, Y, np.random.default_rng(0))
        assert_allclose([first.mean(), first.var()], 1.0, rtol=0.05)
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
        both = ChainEnsemble(2)._samples(np.vstack([X, X]), np.vstack([Y, Y]), np.random.default_rng(0))[0]
        assert_array_equal(both, np.tile(first, 2))

    def test_other_learners(self, data):
        X, Y = data
        model = ChainEnsemble(3, GaussianNB(), random_state=0, vote="subset", search="beam").fit(X, Y)
        assert (model.predict(X) == Y).all(axis=1).mean() > 0.2

    def test_errors(self, data):
        with pytest.raises(ValueError, match="vote is 'all'"):
            ChainEnsemble(vote="all").fit(*data)
        with pytest.raises(ValueError, match="n_chains is 0"):
            ChainEnsemble(0).fit(*data)


class TestErrors:
    @pytest.mark.parametrize("order", [[0, 1], [0, 0, 1, 2, 3, 4], "best"])
    def test_orders(self, data, order):
        with pytest.raises(ValueError, match="order is"):
            ClassifierChain(order=order).fit(*data)

    def test_names(self, data):
        with pytest.raises(ValueError, match="search is 'best'"):
            ClassifierChain(search="best").fit(*data)
        with pytest.raises(ValueError, match="learner is 'svm'"):
            ClassifierChain("svm").fit(*data)


def test_binary_relevance_takes_classifiers_without_probabilities(data):
    X, Y = data
    ours = BinaryRelevance(LinearSVC(), min_labels=0).fit(X, Y)
    theirs = np.column_stack([LinearSVC().fit(X, y).predict(X) for y in Y.T])
    assert_array_equal(ours.predict(X), theirs)


def test_half_of_the_votes_are_enough_for_a_label():
    """Red if a tie of the chains counts against a label, or a row of too few labels is not filled up."""
    ballots = np.array([[[1, 0], [0, 0]], [[0, 0], [0, 0]]], dtype=np.int8)
    equal = np.full((2, 2), 0.5)
    assert_array_equal(_majority(ballots, equal, 0), [[1, 0], [0, 0]])
    assert_array_equal(_majority(ballots, equal, 1), [[1, 0], [1, 0]])
    assert_array_equal(_majority(ballots, np.array([[0.4, 0.6]] * 2), 0), [[0, 0], [0, 0]])
