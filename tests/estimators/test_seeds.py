"""Every estimator takes a seed, None by default, and passes it on to the estimators inside."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise
from setwise.estimators.base.kinds.linear import LearnerClassifier
from tests.estimators.registry import ESTIMATORS, MAKERS

FOREST = RandomForestClassifier(n_estimators=3, max_depth=3)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, [0, 1, 0]] + rng.normal(size=(60, 3)) > 0).astype(int)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_estimator_takes_a_seed_and_has_none(cls):
    """Red if a default is another than scikit-learn's None."""
    parameters = inspect.signature(cls).parameters
    assert parameters["random_state"].default is None
    assert parameters["verbose"].default == 0


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
@pytest.mark.parametrize("seed", [3, np.random.RandomState])
def test_a_seed_repeats_a_fit(make, seed, rows):
    """Red if something random in a fit does not come from the seed."""
    X, Y = rows
    first, second = (
        make(random_state=seed if isinstance(seed, int) else seed(3)).fit(X, Y).predict_proba(X)
        for _ in range(2)
    )
    assert_array_equal(first, second)


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if issubclass(cls, LearnerClassifier)])
def test_a_seed_reaches_the_learner(cls, rows):
    """Red if a learner without a seed draws from elsewhere."""
    X, Y = rows
    first, second = (cls(learner=FOREST, random_state=1).fit(X, Y).predict_proba(X) for _ in range(2))
    assert_array_equal(first, second)
    other = cls(learner=FOREST, random_state=2).fit(X, Y).predict_proba(X)
    assert not np.array_equal(first, other)
    assert FOREST.random_state is None


def test_seeds_of_learners_are_kept(rows):
    """Red if the estimator's seed overrides the user's."""
    X, Y = rows
    own = RandomForestClassifier(n_estimators=3, max_depth=3, random_state=5)
    model = setwise.BinaryRelevance(make_pipeline(StandardScaler(), own), random_state=1).fit(X, Y)
    assert {learner[-1].random_state for learner in model.learners_} == {5}


@pytest.mark.parametrize("cls", [setwise.CalibratedSets, setwise.ConformalSets, setwise.TunedThresholds])
def test_a_seed_reaches_the_estimator_inside_a_wrapper(cls, rows):
    X, Y = rows
    inner = setwise.BinaryRelevance(FOREST)
    first, second = (cls(inner, random_state=1).fit(X, Y).predict_proba(X) for _ in range(2))
    assert_array_equal(first, second)


def test_a_seed_reaches_the_candidates_of_an_automatic_choice(rows):
    """Red if candidates draw from elsewhere; their names stay those that the user gave."""
    X, Y = rows
    models = [
        setwise.AutoSetClassifier([setwise.BinaryRelevance(FOREST)], time_budget=None, random_state=1).fit(
            X, Y
        )
        for _ in range(2)
    ]
    assert_array_equal(*(model.predict_proba(X) for model in models))
    assert "random_state" not in models[0].leaderboard_[0]["name"]
