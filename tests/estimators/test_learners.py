"""Any scikit-learn classifier as the learner: what it takes, the estimator takes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import setwise
from setwise.estimators.base.kinds.linear import LearnerClassifier
from tests.estimators.registry import ESTIMATORS

LEARNERS = [cls for cls in ESTIMATORS if issubclass(cls, LearnerClassifier)]


@pytest.fixture(scope="module")
def rows():
    """Rows with missing features; the first label is on where the first feature is missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    missing = rng.random(80) < 0.5
    X[missing, 0] = np.nan
    return X, np.column_stack([missing, X[:, 1] > 0, X[:, 2] > 0]).astype(int)


@pytest.mark.parametrize("cls", LEARNERS)
def test_missing_features_reach_a_learner_that_takes_them(cls, rows):
    """Red if NaN is refused, filled or lost before the learner sees it."""
    X, Y = rows
    model = cls(learner=HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2, random_state=0))
    assert get_tags(model).input_tags.allow_nan
    said = model.fit(X, Y).predict_proba(X)[:, 0]
    assert said[Y[:, 0] == 1].min() > said[Y[:, 0] == 0].max()


@pytest.mark.parametrize(
    "model",
    [
        setwise.BinaryRelevance(),
        setwise.BinaryRelevance(LogisticRegression()),
        setwise.BinaryRelevance(HistGradientBoostingClassifier(), unit_rows=True),
        setwise.ClassifierChain(HistGradientBoostingClassifier(), order="learned"),
    ],
    ids=["built in", "learner refuses", "lengths of rows", "order of labels"],
)
def test_missing_features_are_filled_if_something_else_needs_them(model, rows):
    """Red if NaN gets through to what cannot take it."""
    X, Y = rows
    assert not model._takes_nan()
    filled = SimpleImputer(strategy="median").fit_transform(X)
    expected = clone(model).set_params(random_state=0).fit(filled, Y).predict_proba(filled)
    np.testing.assert_array_equal(
        clone(model).set_params(random_state=0).fit(X, Y).predict_proba(X), expected
    )


def test_sparse_features_are_announced_as_the_learner_announces_them():
    assert not get_tags(setwise.BinaryRelevance(GaussianNB())).input_tags.sparse
    assert get_tags(setwise.BinaryRelevance(LogisticRegression())).input_tags.sparse
    assert get_tags(setwise.BinaryRelevance()).input_tags.sparse
