"""The order of the rows is not information: a model fitted to permuted rows gives the same answers."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import (
    CalibratedSets,
    ChainEnsemble,
    ConditionalBernoulliMixture,
    ConditionalTree,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    NaiBX,
)
from setwise.learning.linear import descent
from setwise.learning.mixtures.starts.cluster_start import fit_clusters
from setwise.learning.mixtures.starts.label_start import fit_bernoulli_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from tests.estimators.registry import MAKERS

ROUNDING = 1e-6
"""Sums in another order round otherwise, by which a solver may stop a step earlier (2e-7 was seen, mostly 1e-15)."""


def rows(n=240, *, copies=False):
    """Continuous features; or few integers, so that rows repeat with the same and with other labels."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n, 3)).astype(float) if copies else rng.normal(size=(n, 5))
    first = X[:, 0] + rng.normal(size=n) > 0
    third = X[:, 1] + rng.normal(size=n) > 0.3
    Y = np.column_stack([first, first ^ (rng.random(n) < 0.1), third, rng.random(n) < 0.3]).astype(int)
    return X, Y, rng.permutation(n)


def assert_order_is_ignored(make, data, tolerance):
    X, Y, order = data
    here, permuted = make().fit(X, Y), make().fit(X[order], Y[order])
    np.testing.assert_allclose(permuted.predict_proba(X), here.predict_proba(X), rtol=0, atol=tolerance)


def seeded(make):
    model = make()
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.parametrize("copies", [False, True], ids=["distinct", "copies"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
def test_every_estimator_ignores_the_order_of_rows(make, copies):
    """Red if folds, trial rows, starts, samples or ties are chosen by where a row stands."""
    assert_order_is_ignored(lambda: seeded(make), rows(copies=copies), ROUNDING)


@pytest.mark.parametrize(
    "make",
    [
        lambda: MixtureOfTrees(random_state=0),
        lambda: MixtureOfTreeExperts(random_state=0),
        lambda: ConditionalBernoulliMixture("auto", max_iter=6, n_init=2, random_state=0),
        lambda: ConditionalBernoulliMixture(6, init="clusters", tuning=False, random_state=0),
        lambda: ConditionalBernoulliMixture(3, learner="boosting", tuning=False, random_state=0),
        lambda: ChainEnsemble(3, random_state=0),
        lambda: ChainEnsemble(3, LogisticRegression(), random_state=0),
        lambda: NaiBX(learner=LogisticRegression(), random_state=0),
        lambda: CalibratedSets(ConditionalTree(), cv=3),
    ],
    ids=["MC", "ML-ME", "CBM", "clusters", "boosting", "bagging", "bagged learners", "cascade", "calibrated"],
)
def test_searches_and_samples_ignore_the_order_of_rows(make):
    """Red if what only defaults do, a search over held-out rows or a bootstrap, depends on it."""
    X, Y, _ = rows(120)
    assert_order_is_ignored(make, (X, Y[:, :3], np.random.default_rng(1).permutation(120)), ROUNDING)


def test_rounding_in_single_precision_stays_rounding(monkeypatch):
    """Red if large data, whose solvers begin in single precision, turn rounding into another model.

    Thirty iterations of EM took the 1e-6 of one M-step to 1e-4 on emotions, 12 components.
    """
    monkeypatch.setattr(descent, "ROUGH_CELLS", 0)
    for init in ("bernoulli_mixture", "clusters"):
        assert_order_is_ignored(
            lambda init=init: ConditionalBernoulliMixture(4, init=init, tuning=False, random_state=0),
            rows(),
            1e-3,
        )


def test_a_scaler_in_front_does_not_bring_the_order_back():
    """Red if keys see the last bits of features: a scaler's means are summed in the order of the rows."""
    X, Y, order = rows()
    assert not np.array_equal(
        StandardScaler().fit_transform(X[order]), StandardScaler().fit_transform(X)[order]
    )
    assert_order_is_ignored(
        lambda: make_pipeline(StandardScaler(), MixtureOfTrees(2, max_iter=3, random_state=0)),
        (X, Y, order),
        ROUNDING,
    )


def test_copies_of_rows_weigh_as_much_as_weights():
    """Red if a row of weight two is reweighted otherwise than two copies of it when the next tree is grown.

    Solvers scale their steps by unweighted columns, so fits agree to their accuracy (5e-5 was seen).
    """
    X, Y, _ = rows(150)
    twice = np.concatenate([np.arange(150), np.arange(50)])
    weights = np.bincount(twice).astype(float)
    weighted = MixtureOfTrees(3, l2=1.0, max_iter=10, random_state=0).fit(X, Y, weights).predict_proba(X)
    repeated = MixtureOfTrees(3, l2=1.0, max_iter=10, random_state=0).fit(X[twice], Y[twice]).predict_proba(X)
    np.testing.assert_allclose(repeated, weighted, rtol=0, atol=2e-4)


@pytest.mark.parametrize("start", [fit_bernoulli_mixture, fit_clusters])
def test_a_mixture_starts_from_copies_as_from_weights(start):
    """Red if a row of weight two is split at random, or clustered, otherwise than two copies of it."""
    X, Y, _ = rows(150)
    twice = np.concatenate([np.arange(150), np.arange(50)])
    weighted = start(TrainingRows.of(X, Y, np.bincount(twice).astype(float)), 4, seed=0)
    repeated = start(TrainingRows.of(X[twice], Y[twice]), 4, seed=0)
    np.testing.assert_allclose(repeated.responsibilities, weighted.responsibilities[twice], atol=1e-9)
    np.testing.assert_allclose(repeated.logits, weighted.logits, atol=1e-8)
