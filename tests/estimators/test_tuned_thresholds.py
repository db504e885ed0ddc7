"""Thresholds tuned on rows that the model has not seen."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score

from setwise import BinaryRelevance, TunedThresholds
from setwise.decisions import Costs
from setwise.learning.labels.thresholds import best_thresholds, shrunken_thresholds


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    Y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(800, 4)) > [0.0, 1.5, 2.5, 3.5]).astype(int)
    return X, Y


def test_no_threshold_of_a_label_has_a_larger_f1():
    """Compared with trying every threshold; equal probabilities must be answered together."""
    rng = np.random.default_rng(0)
    p = rng.random((60, 5)).round(1)
    Y, w = (rng.random((60, 5)) < p * 0.7).astype(int), rng.random(60) + 0.5
    for label, t in enumerate(best_thresholds(p, Y, w)):
        scores = [f1_score(Y[:, label], p[:, label] > cut, sample_weight=w) for cut in np.unique(p) - 0.01]
        assert f1_score(Y[:, label], p[:, label] > t, sample_weight=w) == pytest.approx(max(scores))


def test_shrinkage_goes_from_the_tuned_to_the_suggested_thresholds():
    rng = np.random.default_rng(0)
    p = rng.random((60, 3))
    Y = (rng.random((60, 3)) < 0.3).astype(int)
    w = np.ones(60)
    np.testing.assert_allclose(shrunken_thresholds(p, Y, w, 0.0), best_thresholds(p, Y, w))
    np.testing.assert_allclose(shrunken_thresholds(p, Y, w, 1e12), best_thresholds(p, p, w), atol=1e-6)


def test_a_frozen_model_is_tuned_on_the_rows_given(data):
    """Its thresholds are those of its own probabilities, and predict answers by them."""
    X, Y = data
    fitted = BinaryRelevance(l2=1.0).fit(X[:400], Y[:400])
    model = TunedThresholds(FrozenEstimator(fitted), shrinkage=0.0, min_labels=0).fit(X[400:], Y[400:])
    p = fitted.predict_proba(X[400:])
    np.testing.assert_allclose(model.thresholds_, best_thresholds(p, Y[400:], np.ones(400)))
    assert (model.predict(X) == (fitted.predict_proba(X) > model.thresholds_)).all()
    assert (model.predict(X) == model.predict(X, decision=Costs.at_thresholds(model.thresholds_))).all()


def test_tuned_thresholds_beat_one_half_on_rare_labels(data):
    X, Y = data
    model = TunedThresholds(BinaryRelevance(l2=1.0), min_labels=0).fit(X[:500], Y[:500])
    tuned = f1_score(Y[500:], model.predict(X[500:]), average="macro")
    assert tuned > f1_score(Y[500:], model.predict(X[500:], decision="hamming"), average="macro")
    assert (model.thresholds_[1:] < 0.5).all()


def test_the_spread_falls_with_the_rows(data):
    X, Y = data
    few, many = (TunedThresholds(BinaryRelevance(l2=1.0)).fit(X[:n], Y[:n]).spread_ for n in (100, 800))
    assert (few > 0).all()
    assert many.mean() < few.mean()


def test_micro_f1_has_one_threshold(data):
    model = TunedThresholds(BinaryRelevance(l2=1.0), measure="micro_f1").fit(*data)
    assert len(set(model.thresholds_)) == 1


def test_bad_parameters_are_named(data):
    with pytest.raises(ValueError, match="measure is 'f1'"):
        TunedThresholds(BinaryRelevance(), measure="f1").fit(*data)
    with pytest.raises(ValueError, match="shrinkage is -1"):
        TunedThresholds(BinaryRelevance(), shrinkage=-1).fit(*data)


def test_too_few_rows_leave_one_half():
    with pytest.warns(UserWarning, match="no threshold was tuned"):
        model = TunedThresholds(BinaryRelevance(l2=1.0)).fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    assert (model.thresholds_ == 0.5).all()
