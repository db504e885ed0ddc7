"""Inside scikit-learn's own tools: metadata routing, set_output, pipelines and searches."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, ConformalSets, SetClassifier
from setwise.distributions import ForestMixture
from setwise.metrics import SCORERS
from tests.estimators.registry import MAKERS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, :2] + rng.normal(size=(80, 2)) > 0).astype(int), rng.integers(1, 4, 80).astype(float)


def scaler():
    """A step that does not want weights."""
    return StandardScaler().set_fit_request(sample_weight=False)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
def test_every_fit_can_request_weights(make):
    """Red if a decorator hides sample_weight from scikit-learn's routing."""
    assert (
        make().set_fit_request(sample_weight=True).get_metadata_routing().fit.requests["sample_weight"]
        is True
    )


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_a_pipeline(rows):
    """Red if weights are lost on the way to the estimator, or reach one that did not ask for them."""
    X, Y, weights = rows
    model = BinaryRelevance(l2=1.0)
    pipeline = make_pipeline(scaler(), model.set_fit_request(sample_weight=True))
    routed = pipeline.fit(X, Y, sample_weight=weights)[-1]
    scaled = StandardScaler().fit_transform(X)
    assert_allclose(routed.coef_, BinaryRelevance(l2=1.0).fit(scaled, Y, weights).coef_, rtol=1e-6)
    silent = make_pipeline(scaler(), BinaryRelevance(l2=1.0).set_fit_request(sample_weight=False))
    plain = BinaryRelevance(l2=1.0).fit(scaled, Y).coef_
    with pytest.raises(TypeError, match="not routed to any object"):
        silent.fit(X, Y, sample_weight=weights)
    assert np.abs(routed.coef_ - plain).max() > 1e-3


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_a_search(rows):
    """Red if a search fits its candidates without the weights."""
    X, Y, weights = rows
    model = BinaryRelevance().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    search = GridSearchCV(model, {"l2": [1.0]}, cv=2).fit(X, Y, sample_weight=weights)
    expected = BinaryRelevance(l2=1.0).fit(X, Y, weights)
    assert_allclose(search.best_estimator_.coef_, expected.coef_, rtol=1e-6)


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_a_wrapper(rows):
    """Red if a meta-estimator of ours ignores the weights passed to its fit."""
    X, Y, weights = rows
    for make in MAKERS:
        model = make().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler(), model).fit(X, Y, sample_weight=weights)
        assert pipeline.predict(X).shape == Y.shape


def test_warnings_point_to_the_line_that_called_fit(rows):
    """Red if a warning of a fit names a file of setwise or scikit-learn."""
    X, Y, _ = rows
    with pytest.warns(UserWarning, match="every set is a candidate") as caught:
        make_pipeline(StandardScaler(), ConformalSets(BinaryRelevance(l2=1.0), coverage=0.999)).fit(X, Y)
    assert caught[0].filename == __file__


def test_scorers_work_in_cross_validation(rows):
    X, Y, _ = rows
    found = cross_validate(BinaryRelevance(l2=1.0), X, Y, cv=2, scoring=dict(SCORERS))
    assert all(np.isfinite(found[f"test_{name}"]).all() for name in SCORERS)


def test_frames_of_earlier_steps_reach_the_estimator(rows):
    """Red if set_output("pandas") on a pipeline fails, or loses the names of features."""
    X, Y, _ = rows
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    pipeline = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).set_output(transform="pandas")
    model = pipeline.fit(table, Y)[-1]
    assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    plain = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)
    assert_array_equal(pipeline.predict(table), plain.predict(X))


def test_the_base_class_is_enough_for_a_method(rows):
    """Red if SetClassifier cannot be subclassed by a user with two methods and no parameters."""
    X, Y, weights = rows

    class Shares(SetClassifier):
        def _fit(self, X, Y, weights):
            self.logits_ = np.log(Y.mean(axis=0)) - np.log1p(-Y.mean(axis=0))

        def _distribution(self, X):
            return ForestMixture.independent(np.tile(self.logits_, (X.shape[0], 1)))

    model = Shares().fit(X, Y, weights)
    assert_allclose(model.predict_proba(X), np.tile(Y.mean(axis=0), (80, 1)))
    assert model.predict(X).shape == Y.shape
