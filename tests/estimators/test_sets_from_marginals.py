"""A joint on top of any per-label classifier: against the product of the same marginals, and against enumeration."""

import numpy as np
import pytest
from scipy.special import expit, log_expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from setwise import BinaryRelevance, ConditionalTree, SetsFromMarginals
from setwise.inference.sets.enumeration import all_log_probs, label_sets


def rows(n=500, seed=0):
    """Labels that depend on each other beyond the features: one excludes the next, the third copies the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.logistic(size=n) > 0
    second = ~first & (X[:, 1] + rng.logistic(size=n) > 0)
    return X, np.column_stack([first, second, first ^ (rng.random(n) < 0.1)]).astype(int)


def product_loss(logits, Y):
    return -log_expit(np.where(Y == 1, logits, -logits)).sum(axis=1).mean()


CLASSIFIERS = {
    "logistic": "logistic",
    "one by one": LogisticRegression(),
    "all at once": RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
    "decisions": LinearSVC(),
}


@pytest.mark.parametrize("classifier", CLASSIFIERS.values(), ids=CLASSIFIERS.keys())
def test_the_joint_is_better_than_the_product_of_its_marginals(classifier):
    """Red if dependence is not learnt, or learnt from rows that the classifier has seen."""
    X, Y = rows()
    new = rows(1000, seed=1)
    model = SetsFromMarginals(classifier, cv=3, random_state=0).fit(X, Y)
    free = model.dependence_.free_logits(model.classifier_.logits(new[0]))
    assert -model.log_prob(*new).mean() < product_loss(free, new[1]) - 0.1


def test_the_joint_is_what_the_formula_says():
    """Red if frequencies or slopes count otherwise than documented."""
    X, Y = rows(200)
    model = SetsFromMarginals("logits").fit(X, Y)
    d, sets = model.dependence_, label_sets(3)
    z = np.clip(X[:20], -d.clip, d.clip)
    seen = np.exp(d.slope * z @ d.sets.T + d.bonus)
    seen /= seen.sum(axis=1, keepdims=True)
    table = seen @ (d.sets[:, None] == sets[None]).all(axis=2)
    p = expit(d.free_slope * z)[:, None]
    product = np.prod(np.where(sets == 1, p, 1 - p), axis=2)
    truth = (1 - d.backoff) * table + d.backoff * product
    np.testing.assert_allclose(np.exp(all_log_probs(model.distribution(X[:20]))), truth, atol=1e-12)


def test_scores_that_are_the_truth_are_left_alone():
    """Red if true marginals of independent labels are tempered, or sets are given a bonus."""
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(3000, 3))
    Y = (rng.random((3000, 3)) < expit(logits)).astype(int)
    model = SetsFromMarginals("logits").fit(logits, Y)
    truth = product_loss(logits, Y)
    assert -model.log_prob(logits, Y).mean() == pytest.approx(truth, abs=0.01)
    assert model.temperatures_[1] == pytest.approx(1.0, abs=0.15)


def test_scores_that_are_too_sure_are_cooled():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(3000, 3))
    Y = (rng.random((3000, 3)) < expit(logits)).astype(int)
    assert SetsFromMarginals("logits").fit(4 * logits, Y).temperatures_[1] == pytest.approx(4.0, rel=0.3)


def test_probabilities_of_zero_and_one_stay_finite():
    """Red if a forest's vote of all trees makes a set impossible."""
    _, Y = rows(300)
    hard = np.where(Y == 1, 1.0, 0.0)
    hard[::10] = 1 - hard[::10]
    model = SetsFromMarginals("probabilities").fit(hard, Y)
    assert np.isfinite(model.log_prob(hard, 1 - Y)).all()


def test_a_frozen_classifier_is_not_fitted_again():
    X, Y = rows()
    fitted = RandomForestClassifier(20, random_state=0).fit(X[:250], Y[:250])
    model = SetsFromMarginals(FrozenEstimator(fitted)).fit(X[250:], Y[250:])
    assert model.classifier_.classifier is fitted
    ours = BinaryRelevance(l2=1.0).fit(X[:250], Y[:250])
    np.testing.assert_array_equal(
        SetsFromMarginals(FrozenEstimator(ours)).fit(X[250:], Y[250:]).predict(X[:5]).shape, (5, 3)
    )


def test_an_estimator_may_learn_the_joint_from_logits():
    X, Y = rows()
    model = SetsFromMarginals(GaussianNB(), ConditionalTree(l2=1.0), cv=3).fit(X, Y)
    new = rows(1000, seed=1)
    assert -model.log_prob(*new).mean() < -BinaryRelevance().fit(X, Y).log_prob(*new).mean()
    assert model.joint_.n_features_in_ == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("scores",),
            "classifier is 'scores'; expected 'logistic', 'logits', 'probabilities' or a classifier",
        ),
        ((object(),), "expected one with predict_proba or decision_function"),
        (("logistic", "chain"), "joint is 'chain'; expected 'seen_sets' or an estimator of setwise"),
    ],
)
def test_wrong_parameters_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        SetsFromMarginals(*arguments).fit(*rows(30))


def test_scores_must_be_one_for_each_label():
    X, Y = rows(30)
    with pytest.raises(ValueError, match="X has 2 columns and y 3 labels; expected a score of each label"):
        SetsFromMarginals("logits").fit(X[:, :2], Y)
    with pytest.raises(ValueError, match=r"X is 1\.5 in row 4, column 1; a probability is between 0 and 1"):
        SetsFromMarginals("probabilities").fit(np.where(np.arange(90).reshape(30, 3) == 13, 1.5, 0.5), Y)
