"""``coef_`` is about features, has a row per label, and scikit-learn's tools read it right."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.naive_bayes import GaussianNB

from setwise import (
    IBLR,
    BinaryRelevance,
    ClassifierChain,
    ConditionalDependencyNetwork,
    ConditionalTree,
    PairwiseCRF,
)
from setwise.estimators.base.kinds.linear import LinearInFeatures
from tests.estimators.registry import ESTIMATORS

LINEAR = [
    BinaryRelevance(l2=1.0),
    ClassifierChain(l2=1.0),
    ConditionalDependencyNetwork(l2=1.0, random_state=0),
    ConditionalDependencyNetwork("svm", C=1.0, random_state=0),
    IBLR(l2=1.0, with_features=True),
    PairwiseCRF(l2=1.0),
    PairwiseCRF("label_feature", l2=1.0),
    PairwiseCRF(training="pseudo", l2=1.0),
]
USED = [1, 4, 6]
"""The features that say something; two labels depend on the first, one on each other."""


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    noise = rng.normal(size=(300, 3))
    return X, (2.0 * X[:, USED] + 0.5 * noise > 0).astype(int)


@pytest.mark.parametrize("model", LINEAR, ids=lambda model: repr(model)[:40])
def test_a_row_per_label_and_a_column_per_feature(model, rows):
    """Red if coef_ is transposed, flattened, or mixed with coefficients of labels."""
    X, Y = rows
    model.fit(X, Y)
    assert model.coef_.shape == (3, 8)
    assert model.intercept_.shape == (3,)
    assert_array_equal(np.abs(model.coef_).argmax(axis=1), USED)


def test_coefficients_give_the_probabilities(rows):
    X, Y = rows
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    assert_allclose(expit(X @ model.coef_.T + model.intercept_), model.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("model", LINEAR, ids=lambda model: repr(model)[:40])
def test_features_are_selected_by_their_coefficients(model, rows):
    """Red if scikit-learn's selection reads rows of coef_ as features."""
    X, Y = rows
    chosen = SelectFromModel(model, max_features=3, threshold=-np.inf).fit(X, Y)
    assert_array_equal(chosen.get_support(indices=True), USED)
    eliminated = RFE(model, n_features_to_select=3, step=3).fit(X, Y)
    assert_array_equal(eliminated.get_support(indices=True), USED)


def test_permutation_importance_finds_the_features(rows):
    X, Y = rows
    found = permutation_importance(BinaryRelevance(l2=1.0).fit(X, Y), X, Y, n_repeats=2, random_state=0)
    assert_array_equal(np.sort(np.argsort(-found.importances_mean)[:3]), USED)


def test_learners_that_are_not_linear_have_no_coefficients(rows):
    """Red if hasattr raises, or an attribute that means something else answers."""
    X, Y = rows
    for model in (BinaryRelevance(GaussianNB()), ClassifierChain(GaussianNB()), IBLR(l2=1.0)):
        assert not hasattr(model.fit(X, Y), "coef_")
    with pytest.raises(AttributeError, match="need learner='logistic'"):
        _ = BinaryRelevance(GaussianNB()).fit(X, Y).coef_
    with pytest.raises(AttributeError, match="vote_coef_"):
        _ = IBLR(l2=1.0).fit(X, Y).coef_
    assert not hasattr(BinaryRelevance(), "coef_")


def test_only_classes_linear_in_the_features_have_coef(rows):
    """Red if another class sets coef_ itself."""
    X, Y = rows
    for cls in ESTIMATORS:
        assert hasattr(cls, "coef_") == issubclass(cls, LinearInFeatures)
    assert IBLR(l2=1.0).fit(X, Y).vote_coef_.shape == (3, 3)


def test_coefficients_given_the_parent(rows):
    """Red if the axes of label, parent's value and feature are swapped."""
    X, Y = rows
    Y = np.column_stack([Y, Y[:, 0] ^ (X[:, 0] > 1.5)])
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    assert tree.coef_given_parent_.shape == (4, 2, 8)
    assert tree.intercept_given_parent_.shape == (4, 2)
    logits = np.einsum("nd,lvd->nlv", X, tree.coef_given_parent_) + tree.intercept_given_parent_
    root = int(np.flatnonzero(tree.parents_ == -1)[0])
    assert_allclose(expit(logits[:, root, 0]), tree.predict_proba(X)[:, root], rtol=1e-9)
    child = int(np.flatnonzero(tree.parents_ >= 0)[0])
    evidence = np.full(Y.shape, -1)
    evidence[:, tree.parents_[child]] = 1
    given = tree.distribution(X).condition(evidence).marginals()[:, child]
    assert_allclose(expit(logits[:, child, 1]), given, rtol=1e-9)
