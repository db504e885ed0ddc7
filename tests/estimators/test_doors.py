"""All methods that return an answer agree, in every row, for every exported estimator."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.datasets import load
from tests.estimators.random_labels import correlated
from tests.estimators.registry import MAKERS

OWN_DECISIONS = {
    "TunedThresholds": "tuned",
    "ChainEnsemble": "vote",
    "ConditionalDependencyNetwork": "gibbs",
    "NaiBX": "greedy",
    "NaiBXCommittee": "vote",
}
"""Default decisions that are not the mode have a separate name."""


def make_quick(make):
    """A quick instance with the default decision and without a search for penalties."""
    known = inspect.signature(make.func).parameters
    quick = {
        "l2": 1.0,
        "C": 1.0,
        "unit_rows": False,
        "tuning": False,
        "n_samples": 60,
        "n_burn_in": 20,
        "n_models": 6,
    }
    chosen = {name: value for name, value in quick.items() if name in known}
    if make.func.__name__ == "NaiBXCommittee":  # every member weighs the sets of every member
        chosen["n_models"] = 2
    return make(**chosen, decision=known["decision"].default)


every_estimator = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)


def assert_doors_agree(model, X):
    joint = model.distribution(X)
    answers = [model.predict(X), model.decide(X).labels, joint.decide().labels, joint.predict()]
    for labels in answers:
        assert_array_equal(labels, answers[0])
    modes = [joint.mode().labels, joint.top_k(3).labels[:, 0], model.predict_top_k(X, 3).labels[:, 0]]
    modes += [
        door(decision="subset")
        for door in (joint.predict, lambda decision: model.predict(X, decision=decision))
    ]
    modes += [joint.decide("subset").labels, model.decide(X, "subset").labels]
    if model.decision == "subset":
        modes.append(answers[0])
    for labels in modes:
        assert_array_equal(labels, modes[0])
    assert (modes[0].sum(axis=1) >= model.min_labels_).all()
    assert ("(no labels)" in joint._repr_html_()) <= (model.min_labels_ == 0)


@every_estimator
@pytest.mark.parametrize("empty", [False, True], ids=["no empty sets", "some empty sets"])
def test_doors_agree(make, empty):
    """Red if any of predict, decide, distribution, mode and top_k gives another answer."""
    X, Y = correlated(0, n_rows=200, n_labels=5)
    Y[:, 0] |= ~Y.any(axis=1) & (not empty)
    model = make_quick(make).fit(X, Y)
    assert model.min_labels_ == int(not empty)
    assert_doors_agree(model, X)
    alone = np.concatenate([row.predict() for row in model.distribution(X[:5])])
    assert_array_equal(alone, model.predict(X[:5]))
    assert_doors_agree(make_quick(make).set_params(min_labels=2).fit(X, Y), X[:60])


@every_estimator
@pytest.mark.parametrize("name", ["yeast", "scene"])
def test_doors_agree_on_real_rows(make, name, data_folder):
    """Red if two methods give different answers for a row of a test set; no row of either set is without labels."""
    data = load(name)
    train, test = data.train(), data.test()
    model = make_quick(make).fit(train.X[:400], train.Y[:400])
    n_rows = 60 if make.func.__name__ == "NaiBXCommittee" else None
    assert_doors_agree(model, test.X[:n_rows])


@every_estimator
def test_what_is_known_wins(make):
    """Red if a label that is known to be off is predicted because the model never predicts the empty set."""
    X, Y = correlated(1, n_rows=150, n_labels=4)
    Y[:, 0] |= ~Y.any(axis=1)
    model = make_quick(make).fit(X, Y)
    joint = model.distribution(X[:3])
    if "NaiBX" not in make.func.__name__:  # cascades cannot be conditioned
        given = joint.condition(dict.fromkeys(range(3), 0))
        for rule in (None, "subset", "hamming", "f1"):
            assert_array_equal(given.predict(rule), [[0, 0, 0, 1]] * 3)
    assert_array_equal(joint.mode(dict.fromkeys(range(3), 0)).labels, [[0, 0, 0, 1]] * 3)
    nothing = joint.mode(
        np.zeros((3, 4))
    )  # impossible for models that only know the sets of the training rows
    assert_array_equal(nothing.labels, np.where(np.isneginf(nothing.log_prob)[:, None], -1, np.zeros((3, 4))))
    assert joint.unrestricted().min_labels == 0


@every_estimator
def test_the_default_decision_says_what_it_answers(make):
    """Red if a method whose default answer is not the most probable set calls it "subset"."""
    default = inspect.signature(make.func).parameters["decision"].default
    assert default == OWN_DECISIONS.get(make.func.__name__, "subset")
