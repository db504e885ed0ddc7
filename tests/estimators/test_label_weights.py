"""Weights of labels: what they do to probabilities, and how calibration undoes it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import setwise
from setwise import BinaryRelevance, CalibratedSets, ClassifierChain

MODELS = [BinaryRelevance, ClassifierChain]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    logits = np.column_stack([X[:, 0] - 3.0, X[:, 1] + 0.5])
    return X, (rng.random(logits.shape) < expit(logits)).astype(int)


def test_weights_are_those_of_scikit_learn(rows):
    """Red if a label's value got the weight of the other value, or of another label."""
    X, Y = rows
    chosen = {0: {0: 0.5, 1: 4.0}, 1: 2.0}
    model = BinaryRelevance(l2=1.0, standardize=False, class_weight=chosen).fit(X, Y)
    for label, weights in enumerate([{0: 0.5, 1: 4.0}, {0: 1.0, 1: 2.0}]):
        same = LogisticRegression(C=1.0, class_weight=weights, tol=1e-10).fit(X, Y[:, label])
        np.testing.assert_allclose(model.coef_[label], same.coef_[0], atol=1e-4)


def test_balanced_is_that_of_scikit_learn_with_row_weights(rows):
    """Red if the shares of a label ignored the weights of rows."""
    X, Y = rows
    w = np.random.default_rng(1).integers(1, 3, len(Y)).astype(float)
    model = BinaryRelevance(l2=1.0, standardize=False, class_weight="balanced").fit(X, Y, sample_weight=w)
    again = np.repeat(np.arange(len(Y)), w.astype(int))
    same = LogisticRegression(C=1.0, class_weight="balanced", tol=1e-10).fit(X[again], Y[again, 0])
    np.testing.assert_allclose(model.coef_[0], same.coef_[0], atol=1e-4)


@pytest.mark.parametrize("cls", MODELS)
def test_calibration_takes_the_shift_off(cls, rows):
    """Red if calibrated probabilities of a weighted model were not again the shares of the labels."""
    X, Y = rows
    plain = cls(l2=0.0).fit(X, Y)
    weighted = cls(l2=0.0, class_weight="balanced").fit(X, Y)
    calibrated = CalibratedSets(cls(l2=0.0, class_weight="balanced")).fit(X, Y)
    assert weighted.predict_proba(X)[:, 0].mean() > 3 * Y[:, 0].mean()
    np.testing.assert_allclose(calibrated.predict_proba(X).mean(axis=0), Y.mean(axis=0), atol=0.01)
    assert calibrated.log_prob(X, Y).mean() > plain.log_prob(X, Y).mean() - 0.002
    assert calibrated.estimator_.weight_shift_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("cls", MODELS)
def test_a_weighted_model_is_the_same_after_save_and_load(cls, rows, tmp_path):
    """Red if the file lost the weights, their shift, or the label of a weight."""
    X, Y = rows
    model = cls(class_weight={"rain": {0: 1, 1: 3}}).fit(
        X, setwise.read_tags([["rain", "fog"][: 1 + y] for y in Y[:, 1]])
    )
    setwise.save(model, tmp_path / "m.setwise")
    same = setwise.load(tmp_path / "m.setwise")
    assert same.get_params()["class_weight"] == {"rain": {0: 1, 1: 3}}
    assert np.array_equal(same.weight_shift_, model.weight_shift_)
    assert np.array_equal(same.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("wrong", ["even", {"snow": 2}, {0: -1}, {0: {2: 1}}, {0: "2"}, 3])
def test_wrong_weights_are_named(wrong, rows):
    """Red if a wrong weight was taken, or the message did not name the parameter."""
    with pytest.raises(ValueError, match="class_weight"):
        BinaryRelevance(class_weight=wrong).fit(*rows)


def test_other_learners_take_their_own_weights(rows):
    """Red if weights of labels were silently ignored."""
    with pytest.raises(ValueError, match="pass class_weight to the classifier"):
        BinaryRelevance(LogisticRegression(), class_weight="balanced").fit(*rows)


def test_a_constant_label_keeps_its_weights():
    """Red if a label without any positive row made weights of infinity."""
    X = np.arange(20.0)[:, None]
    Y = np.column_stack([np.zeros(20), X[:, 0] > 14]).astype(int)
    model = BinaryRelevance(class_weight="balanced").fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.weight_shift_[0] == 0.0
