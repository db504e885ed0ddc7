"""Missing features: a method takes them, or fills them by itself; no model is lost by one empty cell."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer

import setwise
from setwise import AutoSetClassifier, BinaryRelevance, CalibratedSets, ConditionalTree, NaiBX
from tests.estimators.registry import MAKERS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = np.column_stack([X[:, 0] + RNG.normal(size=120) > 0, X[:, 1] + RNG.normal(size=120) > 0]).astype(int)
HOLES = X.copy()
HOLES[3, 1] = HOLES[50, 2] = np.nan


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_every_estimator_takes_missing_features(make, form):
    """Red when one cell without a value stops an estimator, or makes NaN of an answer."""
    model = make().fit(form(HOLES), Y)
    assert np.isfinite(model.predict_proba(form(HOLES))).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_missing_features_are_filled_with_medians(form):
    imputer = SimpleImputer(strategy="median").fit(form(HOLES))
    filled = BinaryRelevance(l2=1.0).fit(imputer.transform(form(HOLES)), Y)
    model = BinaryRelevance(l2=1.0).fit(form(HOLES), Y)
    np.testing.assert_array_equal(model.fill_, imputer.statistics_)
    expected = filled.predict_proba(imputer.transform(form(HOLES)))
    np.testing.assert_array_equal(model.predict_proba(form(HOLES)), expected)
    assert not hasattr(model.fit(form(X), Y), "fill_")


def test_one_empty_cell_removes_no_candidate():
    """Red when a candidate of the automatic choice is left out because a feature is missing."""
    candidates = [BinaryRelevance(l2=1.0), NaiBX(), ConditionalTree(l2=1.0)]
    model = AutoSetClassifier(candidates, time_budget=None, random_state=0).fit(HOLES, Y)
    # One that is clearly behind may stop before its last fold.
    assert {row["status"].split(":")[0] for row in model.leaderboard_} <= {"chosen", "tried", "stopped"}
    assert np.isfinite(model.predict_proba(HOLES)).all()


@pytest.mark.parametrize("model", [BinaryRelevance(l2=1.0), CalibratedSets(BinaryRelevance(l2=1.0), cv=2)])
def test_nan_that_training_never_showed_is_named(model):
    """Red when NaN makes an answer of NaN, or the error does not say what to do."""
    model.fit(X, Y)
    with pytest.raises(
        ValueError, match=r"NaN: row 3, column 1.*Fit to rows of which some have missing values"
    ):
        model.predict_proba(HOLES)


def test_fills_come_back_from_a_file(tmp_path):
    model = CalibratedSets(BinaryRelevance(l2=1.0), cv=2).fit(HOLES, Y)
    setwise.save(model, tmp_path / "m.setwise")
    np.testing.assert_array_equal(
        setwise.load(tmp_path / "m.setwise").predict_proba(HOLES), model.predict_proba(HOLES)
    )
