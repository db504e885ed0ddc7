"""Calibration and conformal prediction around models that were fitted before."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise
from setwise import BinaryRelevance, CalibratedSets, ConditionalTree, ConformalSets, TunedThresholds

WRAPPERS = [CalibratedSets, ConformalSets, TunedThresholds]


@pytest.fixture(scope="module")
def rows():
    """Training rows, and others, of labels that are noisier than any model thinks after few rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    first = X[:, 0] + rng.normal(size=600) > 0
    return X, np.column_stack([first, first ^ (rng.random(600) < 0.2)]).astype(int)


@pytest.mark.parametrize("cls", WRAPPERS)
def test_a_frozen_model_is_not_fitted_again(cls, rows, monkeypatch):
    """Red if the model inside is cloned, refitted or changed."""
    X, Y = rows
    fitted = ConditionalTree(l2=1.0).fit(X[:100], Y[:100])
    before = fitted.distribution(X).log_prob(Y)
    monkeypatch.setattr(ConditionalTree, "_fit", lambda *args: pytest.fail("fitted again"))
    model = cls(FrozenEstimator(fitted)).fit(X[100:], Y[100:])
    assert model.estimator_ is fitted
    assert_array_equal(fitted.distribution(X).log_prob(Y), before)
    assert model.predict(X).shape == Y.shape


def test_all_rows_calibrate_a_frozen_model(rows):
    """Red if only some rows choose the temperature: it is the best divisor of the frozen model's log-odds."""
    X, Y = rows
    fitted = ConditionalTree(l2=1e-6).fit(X[:40], Y[:40])
    model = CalibratedSets(FrozenEstimator(fitted)).fit(X[40:], Y[40:])
    joint = fitted.distribution(X[40:])
    losses = {t: -joint.tempered(t).log_prob(Y[40:]).mean() for t in np.geomspace(0.5, 8.0, 200)}
    best = min(losses, key=losses.__getitem__)
    assert model.temperature_ > 1.1
    assert_allclose(model.temperature_, best, rtol=0.02)


def test_all_rows_set_the_threshold_of_a_frozen_model(rows):
    """Red if the threshold is not the quantile of all rows' log-probabilities."""
    X, Y = rows
    fitted = ConditionalTree(l2=1.0).fit(X[:100], Y[:100])
    model = ConformalSets(FrozenEstimator(fitted), coverage=0.8).fit(X[100:], Y[100:])
    log_prob = np.sort(fitted.log_prob(X[100:], Y[100:]))
    assert_allclose(
        model.log_threshold_, log_prob[int(np.ceil(0.2 * 501)) - 2 : int(np.ceil(0.2 * 501))].mean(), atol=0.1
    )
    covered = model.contains(X[100:], Y[100:]).mean()
    assert 0.8 <= covered < 0.85


@pytest.mark.parametrize("cls", WRAPPERS)
def test_a_frozen_model_of_other_columns_is_refused(cls, rows):
    """Red if rows of other features or labels pass for those of the frozen model."""
    X, Y = rows
    features, labels = pd.DataFrame(X, columns=["a", "b", "c"]), pd.DataFrame(Y, columns=["sun", "heat"])
    frozen = cls(FrozenEstimator(BinaryRelevance(l2=1.0).fit(features, labels)))
    assert frozen.fit(X, Y).predict(X).shape == Y.shape
    with pytest.raises(ValueError, match="has 3 features and 2 labels; X has 2"):
        frozen.fit(X[:, :2], Y)
    with pytest.raises(ValueError, match="other features: number 0 is 'a', here it is 'b'"):
        frozen.fit(features[["b", "a", "c"]], labels)
    with pytest.raises(ValueError, match="other labels: number 0 is 'sun', here it is 'heat'"):
        frozen.fit(features, labels[["heat", "sun"]])


@pytest.mark.parametrize("cls", WRAPPERS)
def test_what_is_not_a_setwise_estimator_is_named(cls, rows):
    """Red if a name, a class, a pipeline or a model that is not fitted is refused without saying what is expected."""
    tree = ConditionalTree()
    cases = {
        "estimator is 'ConditionalTree'; expected an estimator of setwise": "ConditionalTree",
        r"an estimator of setwise: ConditionalTree\(\), an instance": ConditionalTree,
        r"estimator is LogisticRegression\(\); expected an estimator of setwise$": LogisticRegression(),
        f"Put {cls.__name__} into the pipeline": make_pipeline(StandardScaler(), tree),
    }
    for message, estimator in cases.items():
        with pytest.raises(ValueError, match=message):
            cls(estimator).fit(*rows)
    with pytest.raises(NotFittedError, match="ConditionalTree instance is not fitted"):
        cls(FrozenEstimator(tree)).fit(*rows)


@pytest.mark.parametrize("cls", WRAPPERS)
def test_frozen_models_are_cloned_and_kept_in_files(cls, rows, tmp_path):
    """Red if a clone loses the fitted model, or a file refuses or changes it."""
    X, Y = rows
    template = cls(FrozenEstimator(ConditionalTree(l2=1.0).fit(X[:100], Y[:100])), random_state=0)
    model = template.fit(X[100:], Y[100:])
    again = clone(template).fit(X[100:], Y[100:])
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    setwise.save(model, tmp_path / "model.setwise")
    loaded = setwise.load(tmp_path / "model.setwise")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert isinstance(loaded.estimator, FrozenEstimator)
