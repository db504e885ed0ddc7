import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from setwise import ConditionalDependencyNetwork
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.svm import GRID, fit_svms


@pytest.fixture(scope="module")
def rows():
    """A label that follows the feature, one that copies it nine times of ten, and an independent one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    first = X[:, 0] + rng.normal(size=300) > 0
    second = first ^ (rng.random(300) < 0.1)
    third = X[:, 1] > 0.3
    return X, np.column_stack([first, second, third]).astype(int)


def test_conditionals_are_logistic_regressions_on_signs(rows):
    """Against scikit-learn, label by label, with the other labels as -1/+1 and the same penalty."""
    X, Y = rows
    model = ConditionalDependencyNetwork(l2=2.0, standardize=False, tol=1e-12, random_state=0).fit(X, Y)
    for label in range(3):
        others = np.delete(2 * Y - 1, label, axis=1)
        peer = LogisticRegression(C=0.5, tol=1e-10, max_iter=5000).fit(np.hstack([X, others]), Y[:, label])
        assert_allclose(model.coef_[label], peer.coef_[0, :3], atol=1e-4)
        assert_allclose(np.delete(model.coupling_[:, label], label), peer.coef_[0, 3:], atol=1e-4)
        assert_allclose(model.intercept_[label], peer.intercept_[0], atol=1e-4)
    assert (np.diag(model.coupling_) == 0).all()


def test_a_linear_base_of_scikit_learn_is_sampled_as_ours_is(rows):
    X, Y = rows
    ours = ConditionalDependencyNetwork(l2=2.0, standardize=False, tol=1e-12, random_state=0).fit(X, Y)
    theirs = ConditionalDependencyNetwork(
        LogisticRegression(C=0.5, tol=1e-10, max_iter=5000), random_state=0
    ).fit(X, Y)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.02)


@pytest.mark.parametrize("learner", [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)])
def test_any_classifier_with_probabilities(learner, rows):
    X, Y = rows
    model = ConditionalDependencyNetwork(learner, n_burn_in=10, n_samples=60, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.4
    given = model.distribution(X).condition(np.where(np.arange(3) == 0, 1, -1) * np.ones((300, 1), int))
    assert (given.samples.labels[..., 0] == 1).all()


@pytest.mark.parametrize("learner", ["svm", LinearSVC(), Perceptron()])
def test_classifiers_without_probabilities_run_to_a_fixed_point(learner, rows):
    X, Y = rows
    model = ConditionalDependencyNetwork(learner, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.4
    assert (model.distribution(X).fixed_points[0].period > 0).all()


def test_svms_without_labels_are_independent(rows):
    X, Y = rows
    alone = fit_svms(X, Y, C=1.0, label_scale=0.0)
    assert not alone.scores.labels.any()
    coupled = fit_svms(X, Y, C=1.0)
    assert abs(coupled.scores.labels[0, 1]) > 0.1
    assert (np.diag(coupled.scores.labels) == 0).all()
    constant = fit_svms(X, np.column_stack([Y, np.ones(300, int)]), C=1.0)
    assert (constant.scores(X)[:, 3] > 0).all()


def held_out_hinge(X, y, weights, C):
    """Weighted hinge loss of rows that scikit-learn's machine has not seen, features as ours has them."""
    inputs = X / (X.shape[1] ** 0.5 * np.sqrt(np.average((X - np.average(X, 0, weights)) ** 2, 0, weights)))
    fold, total = row_folds(X), 0.0
    for f in np.unique(fold):
        train, test = fold != f, fold == f
        machine = LinearSVC(C=C, intercept_scaling=10.0, dual=False)
        machine.fit(inputs[train], y[train], weights[train])
        margin = (2 * y[test] - 1) * machine.decision_function(inputs[test])
        total += weights[test] @ np.maximum(1 - margin, 0)
    return total


def test_svms_choose_the_penalty_that_held_out_rows_lose_least_by():
    """Red if all labels get one value, or weights are ignored: the second label is noise except in heavy rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 30))
    clear, light = X[:, 0] > 0, rng.random(240) < 0.5
    Y = np.column_stack([clear, clear ^ light]).astype(int)
    for weights, expected in ((np.ones(240), [100.0, 0.1]), (np.where(light, 0.001, 1.0), [100.0, 10.0])):
        chosen = fit_svms(X, Y, weights, label_scale=0.0).C
        for y, C in zip(Y.T, chosen):
            least = min(held_out_hinge(X, y, weights, c) for c in GRID)
            assert held_out_hinge(X, y, weights, C) <= 1.001 * least
        assert chosen.tolist() == expected


def test_a_weight_of_two_is_two_rows_to_an_svm(rows):
    """Red if weights do not enter the machine, or the scale of its features."""
    X, Y = rows
    weights = np.where(np.arange(300) < 150, 2.0, 1.0)
    twice = np.r_[np.arange(300), np.arange(150)]
    weighted, repeated = fit_svms(X, Y, weights, C=1.0).scores, fit_svms(X[twice], Y[twice], C=1.0).scores
    for ours, theirs in zip(weighted, repeated):
        assert_allclose(ours, theirs, atol=1e-3)
    assert np.abs(weighted.coef - fit_svms(X, Y, C=1.0).scores.coef).max() > 0.01


def test_the_known_label_tells_about_the_other(rows):
    X, Y = rows
    model = ConditionalDependencyNetwork(random_state=0).fit(X, Y)
    known = np.full((300, 3), -1)
    for value in (0, 1):
        known[:, 0] = value
        p = model.distribution(X).condition(known).marginals()[:, 1]
        assert abs(p.mean() - (0.1, 0.9)[value]) < 0.06


def test_the_same_row_has_the_same_answer(rows):
    X, Y = rows
    model = ConditionalDependencyNetwork(random_state=0).fit(X, Y)
    assert_allclose(model.predict_proba(X[7:9]), model.predict_proba(X)[7:9], atol=1e-12)
    other = ConditionalDependencyNetwork(random_state=1).fit(X, Y)
    assert np.abs(other.predict_proba(X) - model.predict_proba(X)).max() > 0


@pytest.mark.parametrize("search", ["kept", "marginals", "best"])
@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_predict_answers_as_decide_does(learner, search, rows):
    """Red if ``predict``, which skips the share among the samples, returns other labels than ``decide``."""
    X, Y = rows
    model = ConditionalDependencyNetwork(
        learner, search=search, n_samples=50, n_keep=10, min_labels=1, random_state=0
    ).fit(X, Y)
    decided = model.distribution(X).decide()
    assert_array_equal(model.predict(X), decided.labels)
    assert_array_equal(model.decide(X, "gibbs").expected_loss, decided.expected_loss)


@pytest.mark.parametrize(("twin", "how"), [(lambda y: y, "equal"), (lambda y: 1 - y, "opposite")])
def test_twin_labels_are_warned_of(twin, how, rows):
    X, Y = rows
    with pytest.warns(UserWarning, match=f"labels '0' and '3' are {how} in every training row"):
        ConditionalDependencyNetwork(l2=1.0, random_state=0).fit(X, np.column_stack([Y, twin(Y[:, 0])]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learner": "tree"}, "'logistic', 'svm' or a"),
        ({"learner": "svm", "C": -1.0}, "C is -1.0"),
        ({"l2": -1.0}, "l2 is -1.0"),
        ({"label_scale": 0.0}, "label_scale"),
    ],
)
def test_settings_name_what_is_wrong(settings, message, rows):
    with pytest.raises(ValueError, match=message):
        ConditionalDependencyNetwork(**settings, random_state=0).fit(*rows)
