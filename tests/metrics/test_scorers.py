from typing import NamedTuple

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import metrics


class Top(NamedTuple):
    labels: np.ndarray


class Independent(ClassifierMixin, BaseEstimator):
    """P(y | x) = product of smoothed label frequencies: the smallest model with the estimators' face."""

    def __init__(self, smoothing=1.0):
        self.smoothing = smoothing

    def fit(self, X, Y):
        self.classes_ = [np.array([0, 1])] * Y.shape[1]
        self.p_ = (Y.sum(axis=0) + self.smoothing) / (len(Y) + 2 * self.smoothing)
        self.column_means_ = np.asarray(X).mean(axis=0)
        return self

    def predict(self, X):
        return np.tile(self.p_ > 0.5, (len(X), 1)).astype(np.int8)

    def predict_proba(self, X):
        return np.tile(self.p_, (len(X), 1))

    def log_prob(self, X, Y):
        self.seen_ = X
        return np.where(Y, np.log(self.p_), np.log1p(-self.p_)).sum(axis=1)

    def predict_top_k(self, X, k):
        sets = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        order = np.argsort(-self.log_prob(X, sets))[:k]
        padded = np.full((k, 2), -1)
        padded[: len(order)] = sets[order]
        return Top(np.tile(padded, (len(X), 1, 1)))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(5, 1, (40, 2)), (rng.random((40, 2)) < [0.8, 0.3]).astype(np.int8)


def test_every_scorer_works_in_cross_validate(data):
    results = cross_validate(Independent(), *data, scoring=metrics.scorers(), cv=4, error_score="raise")
    for name in metrics.SCORERS:
        assert np.isfinite(results[f"test_{name}"]).all(), name
    assert (results["test_top_5_coverage"] == 1).all()


def test_the_joint_scorer_is_minus_the_loss(data):
    X, Y = data
    model = Independent().fit(X, Y)
    assert metrics.scorer("neg_joint_log_loss")(model, X, Y) == -metrics.joint_log_loss(model.log_prob(X, Y))
    predicted = model.predict(X)
    expected = metrics.set_calibration(np.exp(model.log_prob(X, predicted)), (predicted == Y).all(axis=1))
    assert metrics.scorer("neg_set_brier")(model, X, Y) == -expected.brier
    assert metrics.scorer("neg_set_calibration_error")(model, X, Y) == -expected.error


def test_weights_are_routed_to_the_joint_scorer(data):
    """Red if a plain function is given, which metadata routing passes over, or a request outlives its scorer."""
    X, Y = data
    weights = np.arange(1.0, 41.0)
    folds = list(KFold(4).split(X))
    with config_context(enable_metadata_routing=True):
        asked = metrics.scorer("neg_joint_log_loss").set_score_request(sample_weight=True)
        scores = cross_validate(
            Independent(), X, Y, scoring=asked, cv=folds, params={"sample_weight": weights}
        )["test_score"]
        scoring = metrics.scorer("neg_joint_log_loss")
        with pytest.raises(UnsetMetadataPassedError):
            cross_validate(Independent(), X, Y, scoring=scoring, cv=folds, params={"sample_weight": weights})
    for (train, test), score in zip(folds, scores):
        log_prob = Independent().fit(X[train], Y[train]).log_prob(X[test], Y[test])
        assert score == -metrics.joint_log_loss(log_prob, sample_weight=weights[test])


def test_grid_search_tunes_on_the_joint(data):
    grid = {"independent__smoothing": [1.0, 1e6]}
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Independent()),
        grid,
        scoring=metrics.scorer("neg_joint_log_loss"),
        cv=4,
    ).fit(*data)
    assert search.best_params_ == {"independent__smoothing": 1.0}
    assert metrics.scorer("top_3_coverage")(search, *data) <= 1
    # the last step must have seen the scaled X
    assert abs(search.best_estimator_[-1].seen_.mean()) < 1e-9


def test_models_without_a_joint_are_named(data):
    with pytest.raises(TypeError, match="StandardScaler has no method log_prob"):
        metrics.scorer("neg_joint_log_loss")(StandardScaler().fit(data[0]), *data)


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match="unknown scorer 'f1'; known: exact_match"):
        metrics.scorer("f1")
