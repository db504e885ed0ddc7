"""The automatic choice: by held-out joint log-loss, within the budget, with its reasons."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier

from setwise import (
    AutoSetClassifier,
    BinaryRelevance,
    ConditionalDependencyNetwork,
    ConditionalTree,
    MLkNN,
    NaiBX,
)
from setwise.estimators.base.about import Trial
from setwise.estimators.catalog import candidates
from setwise.estimators.meta import auto, candidate_search
from setwise.metrics import joint_log_loss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 4))
FIRST = X[:, 0] + RNG.normal(size=1500) > 0
TRAINED = int((auto.row_folds(X, 5, outer=True) != 0).sum())
"""Rows that are not held out: about 1200, which a tree of a second for ten rows takes 120 s for."""
DEPENDENT = np.column_stack([FIRST, FIRST ^ (RNG.random(1500) < 0.05), RNG.random(1500) < 0.3]).astype(int)


def test_the_choice_is_the_best_on_held_out_rows():
    """Red if the leaderboard is not what fitting each candidate by hand gives."""
    candidates = [BinaryRelevance(), ConditionalTree(), MLkNN()]
    model = AutoSetClassifier(candidates, time_budget=None, random_state=0).fit(X, DEPENDENT)
    assert isinstance(model.estimator_, ConditionalTree)
    assert model.refitted_
    fold = auto.row_folds(X, 5, outer=True)
    for row in model.leaderboard_:
        by_hand = next(c for c in candidates if repr(c) == row["name"])
        by_hand.fit(X[fold != 0], DEPENDENT[fold != 0])
        expected = joint_log_loss(by_hand.log_prob(X[fold == 0], DEPENDENT[fold == 0]))
        assert row["log_loss"] == pytest.approx(expected)
    losses = [row["log_loss"] for row in model.leaderboard_]
    assert losses == sorted(losses)
    assert [row["status"] for row in model.leaderboard_] == ["chosen", "tried", "tried"]
    assert "ConditionalTree() has the smallest joint log-loss" in model.reason_
    again = ConditionalTree().fit(X, DEPENDENT)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


class Clock:
    """A clock that only candidates advance."""

    now = 0.0

    def perf_counter(self):
        return self.now


class SlowTree(ConditionalTree):
    """A tree that takes a second for every ten rows, and is not known to be slow."""

    about = replace(ConditionalTree.about, trials=(Trial(1),))

    def _fit(self, X, Y, weights):
        clock.now += X.shape[0] / 10
        super()._fit(X, Y, weights)


class SlowLabels(BinaryRelevance):
    """The same for independent labels."""

    def _fit(self, X, Y, weights):
        clock.now += X.shape[0] / 10
        super()._fit(X, Y, weights)


clock = Clock()


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch):
    clock.now = 0.0
    monkeypatch.setattr(candidate_search, "time", clock)


@pytest.mark.filterwarnings("ignore:SlowTree:UserWarning")
def test_fits_that_would_take_too_long_are_not_begun():
    """250 rows take 25 s and 1200 would take 120 s: too long for a budget of 100 s."""
    model = AutoSetClassifier([BinaryRelevance(), SlowTree()], time_budget=100, random_state=0).fit(
        X, DEPENDENT
    )
    assert clock.now == 25
    first, second = model.leaderboard_
    assert (first["name"], first["rows"]) == ("SlowTree()", 250)  # better even so
    assert (second["rows"], second["status"]) == (TRAINED, "tried")
    assert not model.refitted_
    model = AutoSetClassifier([ConditionalTree(), SlowTree()], time_budget=100, random_state=0).fit(
        X, DEPENDENT
    )
    assert model.leaderboard_[0]["name"] == "ConditionalTree()"
    assert f"would take about {TRAINED / 10}" in model.leaderboard_[1]["status"]
    assert model.refitted_


class QuickLabels(BinaryRelevance):
    """Independent labels that take a second for every hundred rows."""

    def _fit(self, X, Y, weights):
        clock.now += X.shape[0] / 100
        super()._fit(X, Y, weights)


@pytest.mark.filterwarnings("ignore:SlowTree:UserWarning")
def test_a_quick_first_candidate_sees_all_rows_before_others_are_tried():
    """Red if slow candidates can use up the time while the only models are of a few rows: 2.5 + 12 s, then 25 s."""
    model = AutoSetClassifier([QuickLabels(), SlowTree()], time_budget=70, random_state=0).fit(X, DEPENDENT)
    assert {row["name"]: row["rows"] for row in model.leaderboard_} == {
        "QuickLabels()": TRAINED,
        "SlowTree()": 250,
    }
    assert f"QuickLabels() fitted to {TRAINED} rows instead of 250" in model.reason_


def test_a_trial_that_leads_nowhere_is_not_begun(monkeypatch):
    """Red if a trial takes most of the remaining time: its result could not be used."""
    monkeypatch.setattr(SlowTree, "about", replace(SlowTree.about, trials=(Trial(10),)))
    model = AutoSetClassifier([QuickLabels(), SlowTree()], time_budget=100, random_state=0).fit(X, DEPENDENT)
    assert model.leaderboard_[1]["status"] == "not begun: 250 rows would take about 25.0 s, too long"
    assert model.refitted_


def test_how_times_grow_is_learnt_from_the_fits():
    """Red if times are assumed to be proportional to the rows: the second fit took only twice as long as the first."""
    entry = candidate_search.Entry("", None)
    entry.timed(250, 1.0)
    assert entry.growth == 1.0
    entry.timed(1000, 2.0)
    assert entry.growth == 0.5
    entry.timed(4000, 100.0)
    assert entry.growth == 1.3


def test_few_rows_of_many_are_held_out():
    """Red if a fifth of many rows is held out, which takes time."""
    many = np.random.default_rng(0).normal(size=(11_000, 1))
    model = AutoSetClassifier([BinaryRelevance(l2=1.0)], time_budget=None, random_state=0).fit(many, many > 0)
    assert 9000 <= model.leaderboard_[0]["rows"] < 9500


def test_a_model_of_few_rows_says_so():
    with pytest.warns(UserWarning, match=r"SlowTree\(\) was fitted to 250 of 1500 rows"):
        AutoSetClassifier([SlowTree()], time_budget=10, random_state=0).fit(X, DEPENDENT)


class Unsure(BinaryRelevance):
    """A model whose log-probabilities are not numbers."""

    def log_prob(self, X, y):
        return np.full(len(y), np.nan)


def test_a_loss_that_is_no_number_is_no_smallest_loss():
    model = AutoSetClassifier([Unsure(l2=1.0), BinaryRelevance(l2=1.0)], random_state=0).fit(X, DEPENDENT)
    assert model.leaderboard_[0]["name"] == "BinaryRelevance(l2=1.0)"
    assert model.leaderboard_[1]["status"] == "failed: the log-probability of a held-out row is NaN"


def test_the_most_promising_candidate_gets_the_time():
    """Both slow ones on 250 rows take 50 s; only the better of them can be fitted to all, in 120 s and 150 s."""

    model = AutoSetClassifier([SlowLabels(), SlowTree()], time_budget=330, random_state=0).fit(X, DEPENDENT)
    assert clock.now == pytest.approx(50 + TRAINED / 10 + 150)
    assert model.leaderboard_[0]["name"] == "SlowTree()"
    assert [row["rows"] for row in model.leaderboard_] == [TRAINED, 250]


@pytest.mark.filterwarnings("ignore:SlowTree:UserWarning")
def test_the_first_candidate_is_fitted_whatever_the_budget():
    model = AutoSetClassifier([SlowTree(), ConditionalTree()], time_budget=10, random_state=0).fit(
        X, DEPENDENT
    )
    assert clock.now == 25
    assert not model.refitted_
    assert model.leaderboard_[0]["rows"] == 250
    assert model.leaderboard_[1]["status"] == "not tried: the time was up"
    assert model.predict(X).shape == (1500, 3)


def test_time_is_kept_for_the_last_fit():
    """25 + 120 + 150 s for all rows: with 290 s the second step is left out, with 301 s it is not."""
    for budget, seconds in ((290, 25 + 150), (301, 25 + TRAINED / 10 + 150)):
        clock.now = 0.0
        AutoSetClassifier([BinaryRelevance(), SlowTree()], time_budget=budget, random_state=0).fit(
            X, DEPENDENT
        )
        assert clock.now == pytest.approx(seconds)


def test_what_cannot_be_judged_is_left_out_with_the_reason():
    Y = np.repeat(DEPENDENT[:100], 5, axis=1)
    candidates = [ConditionalDependencyNetwork(random_state=0), NaiBX(), BinaryRelevance(l2=1.0)]
    model = AutoSetClassifier(candidates, random_state=0).fit(X[:100], Y)
    statuses = {row["name"].split("(")[0]: row["status"] for row in model.leaderboard_}
    assert statuses["ConditionalDependencyNetwork"].startswith("left out: it defines no joint")
    assert statuses["NaiBX"].startswith("left out: its joint probability is exact up to 12")
    assert statuses["BinaryRelevance"] == "chosen"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_missing_features_leave_out_no_candidate(form):
    """Red where NaN removes a candidate, is filled for one that takes it, or reaches one that does not."""
    holes = X[:100].copy()
    holes[3, 1] = np.nan
    candidates = [ConditionalTree(l2=1.0), NaiBX("bernoulli")]
    model = AutoSetClassifier(candidates, random_state=0).fit(form(holes), DEPENDENT[:100])
    assert {row["status"] for row in model.leaderboard_} == {"chosen", "tried"}
    assert np.isfinite(model.predict_proba(form(holes))).all()
    complete = AutoSetClassifier(candidates, random_state=0).fit(X, DEPENDENT)
    assert isinstance(complete.estimator_, ConditionalTree)
    with pytest.raises(ValueError, match="NaN: row 3, column 1"):
        complete.predict(form(holes))


def test_candidates_that_fail_are_told():
    model = AutoSetClassifier([MLkNN(n_neighbors=0), BinaryRelevance(l2=1.0)], random_state=0).fit(
        X[:100], DEPENDENT[:100]
    )
    assert model.leaderboard_[1]["status"] == "failed: n_neighbors is 0; expected a whole number, at least 1"
    with pytest.raises(ValueError, match="no candidate could be fitted"):
        AutoSetClassifier([MLkNN(n_neighbors=0)], random_state=0).fit(X[:100], DEPENDENT[:100])


def test_learners_without_weights_are_candidates_where_there_are_none():
    """Red if weights of one are made up and passed on, or where a learner that refuses weights ends the search."""
    candidates = [BinaryRelevance(l2=1.0), BinaryRelevance(KNeighborsClassifier())]
    model = AutoSetClassifier(candidates, time_budget=None, random_state=0).fit(X[:100], DEPENDENT[:100])
    assert {row["status"] for row in model.leaderboard_} == {"chosen", "tried"}
    model.fit(X[:100], DEPENDENT[:100], sample_weight=np.full(100, 2.0))
    assert "sample_weight" in model.leaderboard_[1]["status"]


def test_too_few_rows_to_compare():
    model = AutoSetClassifier(random_state=0).fit(X[:4], DEPENDENT[:4])
    assert isinstance(model.estimator_, BinaryRelevance)
    assert "too few distinct rows" in model.reason_


@pytest.mark.parametrize("candidates", ["best", [], [object()]])
def test_candidates_are_checked(candidates):
    with pytest.raises(ValueError, match="candidates"):
        AutoSetClassifier(candidates, random_state=0).fit(X[:50], DEPENDENT[:50])


def test_the_default_candidates_run():
    model = AutoSetClassifier(time_budget=None, random_state=0).fit(X[:30, :2], DEPENDENT[:30])
    assert len(model.leaderboard_) == len(candidates())
    assert not [row for row in model.leaderboard_ if row["status"].startswith("failed")]
