"""The automatic choice: by held-out joint log-loss, within the budget, with its reasons."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import setwise
from setwise import (
    AutoSetClassifier,
    BinaryRelevance,
    ChainEnsemble,
    ConditionalDependencyNetwork,
    ConditionalTree,
    MLkNN,
    NaiBX,
    StackedSets,
)
from setwise.errors import InputWarning
from setwise.estimators.base.about import Trial
from setwise.estimators.catalog import candidates
from setwise.estimators.meta.search import budget, candidate_search, prediction_time, rounds
from setwise.estimators.meta.search.rounds import Rounds
from setwise.learning.progress.monitor import current_monitor
from setwise.metrics import joint_log_loss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 4))
FIRST = X[:, 0] + RNG.normal(size=1500) > 0
DEPENDENT = np.column_stack([FIRST, FIRST ^ (RNG.random(1500) < 0.05), RNG.random(1500) < 0.3]).astype(int)
ROUNDS = Rounds(X, DEPENDENT, 5)
TRAINED = len(ROUNDS[0].train)
"""Rows that are not held out: about 1200, which a tree of a second for ten rows takes 120 s for."""
NEEDED = ROUNDS.needed


def test_the_choice_is_the_best_on_held_out_rows():
    """Red if the leaderboard is not what fitting each candidate by hand to every fold gives."""
    candidates = [BinaryRelevance(l2=1.0), ConditionalTree(l2=1.0), MLkNN()]
    model = AutoSetClassifier(candidates, time_budget=None, stack=False, random_state=0).fit(X, DEPENDENT)
    assert isinstance(model.estimator_, ConditionalTree)
    assert model.refitted_
    for row in model.leaderboard_:
        by_hand = next(c for c in candidates if repr(c) == row["name"])
        log_probs = []
        for number in range(NEEDED):
            train, test = np.sort(ROUNDS[number].train), ROUNDS[number].held_out
            log_probs.append(by_hand.fit(X[train], DEPENDENT[train]).log_prob(X[test], DEPENDENT[test]))
        assert row["log_loss"] == pytest.approx(joint_log_loss(np.concatenate(log_probs)))
    losses = [row["log_loss"] for row in model.leaderboard_]
    assert losses == sorted(losses)
    assert [row["status"] for row in model.leaderboard_] == ["chosen", "tried", "tried"]
    assert "ConditionalTree(l2=1.0) has the smallest joint log-loss" in model.reason_
    again = ConditionalTree(l2=1.0).fit(X, DEPENDENT)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("linear", [BinaryRelevance(l2=1.0), ChainEnsemble(2, bagging=False, l2=1.0)])
def test_linear_models_of_words_are_shifted_to_the_labels_of_new_rows(linear):
    """Red if a choice gives new rows too few labels, as regressions on many words do, or shifts what needs none."""
    rng = np.random.default_rng(0)
    words = sp.csr_array((rng.random((900, 3000)) < 0.004) * 1.0)
    log_odds = 1.5 * (words @ rng.normal(size=(3000, 12))) - 2.0
    Y = (rng.random((900, 12)) < 1 / (1 + np.exp(-log_odds))).astype(int)
    plain = clone(linear).set_params(random_state=0).fit(words[:600], Y[:600])
    model = AutoSetClassifier([linear], time_budget=None, random_state=0).fit(words[:600], Y[:600])
    assert "log-odds are shifted by +" in model.reason_
    totals = [m.predict_proba(words[600:]).sum() / Y[600:].sum() for m in (plain, model)]
    assert abs(totals[1] - 1) < 0.5 * (1 - totals[0])
    assert model.log_prob(words[600:], Y[600:]).mean() > plain.log_prob(words[600:], Y[600:]).mean()
    weighted = [BinaryRelevance(l2=1.0, class_weight="balanced")]
    assert "shifted" not in AutoSetClassifier(weighted, time_budget=None).fit(words[:600], Y[:600]).reason_
    assert "shifted" not in AutoSetClassifier([BinaryRelevance()], time_budget=None).fit(X, DEPENDENT).reason_


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


class Timed(ConditionalTree):
    """A tree whose fit takes some seconds."""

    def __init__(self, seconds=0.0, *, l2="auto"):
        super().__init__(l2=l2)
        self.seconds = seconds

    def _fit(self, X, Y, weights):
        clock.now += self.seconds
        super()._fit(X, Y, weights)


clock = Clock()


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch):
    clock.now = 0.0
    monkeypatch.setattr(budget, "clock", clock.perf_counter)


def test_fits_that_would_take_too_long_are_not_begun():
    """250 rows take 25 s, and all training rows about 140 s in each of two folds: too long for a budget of 100 s."""
    model = AutoSetClassifier([BinaryRelevance(l2=1.0), SlowTree(l2=1.0)], time_budget=100, random_state=0)
    model.fit(X, DEPENDENT)
    assert clock.now == 25
    first, second = model.leaderboard_
    assert (first["name"], first["rows"], model.refitted_) == ("BinaryRelevance(l2=1.0)", 1500, True)
    assert second["rows"] == 250
    assert f"stopped: {TRAINED} rows would take about" in second["status"]


def test_a_model_of_few_rows_is_not_kept_beside_better_ones_of_all():
    """Red if a tree of 250 rows, judged in one fold only, is preferred to labels that were judged in all."""
    model = AutoSetClassifier([BinaryRelevance(l2=1.0), SlowTree(l2=1.0)], time_budget=100, random_state=0)
    model.fit(X, DEPENDENT)
    assert model.n_rows_ == 1500
    assert isinstance(model.estimator_, BinaryRelevance)


class QuickLabels(BinaryRelevance):
    """Independent labels that take a second for every hundred rows."""

    def _fit(self, X, Y, weights):
        clock.now += X.shape[0] / 100
        super()._fit(X, Y, weights)


def test_the_first_candidate_sees_all_rows_before_others_are_tried(monkeypatch):
    """Red if others are fitted while the only model is one of a few rows."""
    fits = []
    monkeypatch.setattr(SlowTree, "_fit", lambda *_: fits.append(clock.now) or 1 / 0)
    AutoSetClassifier([QuickLabels(l2=1.0), SlowTree(l2=1.0)], time_budget=70, random_state=0).fit(
        X, DEPENDENT
    )
    assert fits[0] == pytest.approx(2.5 + TRAINED / 100)


def test_a_first_fit_that_takes_much_of_the_time_is_not_begun(monkeypatch):
    monkeypatch.setattr(SlowTree, "about", replace(SlowTree.about, trials=(Trial(10),)))
    model = AutoSetClassifier([QuickLabels(l2=1.0), SlowTree(l2=1.0)], time_budget=80, random_state=0)
    model.fit(X, DEPENDENT)
    assert model.leaderboard_[1]["status"].startswith("not begun: ")
    assert model.refitted_


class LongStart(ConditionalTree):
    """A tree that takes five seconds, and one more for every thousand rows."""

    def _fit(self, X, Y, weights):
        clock.now += 5 + X.shape[0] / 1000
        super()._fit(X, Y, weights)


def test_a_candidate_is_tried_where_costs_grow_slowly():
    """Red if costs are expected to grow with the rows although those of the first candidate hardly do."""
    candidates = [LongStart(l2=1e6), LongStart(l2=1.0)]
    model = AutoSetClassifier(candidates, time_budget=90, stack=False, random_state=0).fit(X, DEPENDENT)
    assert model.estimator_.l2 == 1.0
    assert model.refitted_


@pytest.mark.parametrize(("hopeless", "sizes"), [(4.0, [40, 320, TRAINED]), (1.0, [])])
def test_more_rows_are_fitted_step_by_step_but_nothing_that_is_hopeless(monkeypatch, hopeless, sizes):
    """Red if a fit to forty rows alone tells what all cost, or if one is made of what could never be fitted to all.

    Ten times the cost of labels alone: 120 s where less than 90 is left. In truth each takes a second.
    """
    fits = []
    monkeypatch.setattr(candidate_search, "FIRST_ROWS", 40)
    monkeypatch.setattr(candidate_search, "HOPELESS", hopeless)

    def fit(self, X, Y, weights):
        fits.append(X.shape[0])
        clock.now += self.seconds
        ConditionalTree._fit(self, X, Y, weights)

    monkeypatch.setattr(Timed, "_fit", fit)
    monkeypatch.setattr(Timed, "about", replace(Timed.about, trials=(Trial(10),)))
    model = AutoSetClassifier([QuickLabels(l2=1.0), Timed(1.0, l2=1.0)], time_budget=100, random_state=0)
    model.fit(X, DEPENDENT)
    assert fits[:3] == sizes


class Endless(BinaryRelevance):
    """A model whose fit to many rows takes far longer than its fit to a few promised."""

    def _fit(self, X, Y, weights):
        for _ in current_monitor().steps("steps", range(1000)):
            clock.now += 0.001 if X.shape[0] < 300 else 1.0
        super()._fit(X, Y, weights)


def test_a_fit_that_takes_longer_than_expected_is_stopped():
    """Red if the budget is overrun by more than a step of the fit."""
    model = AutoSetClassifier([BinaryRelevance(l2=1.0), Endless(l2=1.0)], time_budget=60, random_state=0)
    model.fit(X, DEPENDENT)
    assert clock.now <= 62
    assert model.leaderboard_[1]["status"].startswith(f"stopped: {TRAINED} rows took longer")
    assert isinstance(model.estimator_, BinaryRelevance)


class Steep(BinaryRelevance):
    """A model whose fit takes eight times as long for twice the rows."""

    def _fit(self, X, Y, weights):
        for _ in current_monitor().steps("steps", range(1000)):
            clock.now += 0.001 * (X.shape[0] / 250) ** 3
        super()._fit(X, Y, weights)


def test_a_first_fit_that_was_stopped_leaves_time_for_fewer_rows():
    """Red if the whole budget is lost on all rows, and the model is one of 250."""
    model = AutoSetClassifier([Steep(l2=1.0)], time_budget=60, random_state=0)
    with pytest.warns(InputWarning, match="there was no time for more"):
        model.fit(X, DEPENDENT)
    assert 400 < model.n_rows_ < TRAINED
    assert clock.now <= 62


def test_few_rows_of_many_are_held_out():
    """Red if a fifth of many rows is held out, which takes time."""
    many = np.random.default_rng(0).normal(size=(11_000, 1))
    parted = Rounds(many, (many > 0).astype(np.int8), 5)
    assert len(parted) == 5
    assert all(400 < len(parted[number].held_out) < 600 for number in range(5))


def test_folds_of_small_data_are_repeated():
    """Red if 131 rows are judged once, or if a repetition parts them in the same way."""
    parted = Rounds(X[:131], DEPENDENT[:131], 5)
    times = np.bincount(np.concatenate([parted[k].held_out for k in range(len(parted))]), minlength=131)
    assert (times == 3).all()
    assert parted.needed * 131 / 5 > 350
    partners = [frozenset(np.flatnonzero(folds == folds[0])) for folds in parted.folds]
    assert len(set(partners)) == 3


@pytest.mark.filterwarnings("ignore:SlowTree:UserWarning")
def test_the_first_candidate_is_fitted_whatever_the_budget():
    model = AutoSetClassifier([SlowTree(l2=1.0), ConditionalTree(l2=1.0)], time_budget=10, random_state=0)
    model.fit(X, DEPENDENT)
    assert clock.now == 25
    assert not model.refitted_
    assert model.leaderboard_[0]["rows"] == 250
    assert model.leaderboard_[1]["status"] == "not tried: the time was up"
    assert model.predict(X).shape == (1500, 3)


@pytest.mark.filterwarnings("ignore:SlowTree:UserWarning")
def test_time_that_is_left_is_spent_on_more_rows():
    """Red if the only model is one of 250 rows though there was time for three times as many."""
    model = AutoSetClassifier([SlowTree(l2=1.0)], time_budget=120, random_state=0).fit(X, DEPENDENT)
    assert 500 < model.n_rows_ < TRAINED
    assert clock.now <= 120


def test_a_model_of_few_rows_says_so():
    with pytest.warns(UserWarning, match=r"SlowTree\(l2=1.0\) was fitted to 250 of 1500 rows"):
        AutoSetClassifier([SlowTree(l2=1.0)], time_budget=10, random_state=0).fit(X, DEPENDENT)


def test_time_is_kept_for_the_last_fit():
    """Red if a candidate is judged with the time that the final fit of the best needs."""
    candidates = [QuickLabels(l2=1.0), SlowTree(l2=1.0)]
    for time_budget in (80, 300, 600):
        clock.now = 0.0
        model = AutoSetClassifier(candidates, time_budget=time_budget, random_state=0).fit(X, DEPENDENT)
        assert model.refitted_
        assert clock.now <= time_budget
    assert isinstance(model.estimator_, SlowTree)


XOR = np.column_stack([X[:, 0] > 0, X[:, 0] * X[:, 1] > 0, FIRST]).astype(int)
"""Labels of which a linear model explains some, and neighbours others."""


def test_candidates_that_help_each_other_are_stacked(tmp_path):
    """Red if the pool's loss is not that of its members' held-out probabilities, or if a file changes the answers."""
    candidates = [BinaryRelevance(l2=1.0), MLkNN()]
    model = AutoSetClassifier(candidates, time_budget=None, random_state=0).fit(X, XOR)
    assert isinstance(model.estimator_, StackedSets)
    stack, *rows = model.leaderboard_
    assert (stack["name"], stack["status"]) == ("a stack of 2", "chosen")
    assert stack["log_loss"] < min(row["log_loss"] for row in rows)
    assert model.reason_.startswith("a stack of ")
    parts = {type(member).__name__: member for member in model.estimator_.estimators_}
    assert set(parts) == {"BinaryRelevance", "MLkNN"}
    shares = zip(model.estimator_.weights_, model.estimator_.estimators_)
    np.testing.assert_allclose(model.predict_proba(X), sum(w * m.predict_proba(X) for w, m in shares))
    setwise.save(model, tmp_path / "m.setwise")
    np.testing.assert_array_equal(
        setwise.load(tmp_path / "m.setwise").predict_proba(X[:50]), model.predict_proba(X[:50])
    )


class SlowAnswers(MLkNN):
    """Neighbours that take ten seconds to answer."""

    def _distribution(self, X):
        clock.now += 10.0
        return super()._distribution(X)


def test_a_stack_that_answers_slowly_loses_its_slowest_member(monkeypatch):
    monkeypatch.setattr(prediction_time, "clock", clock.perf_counter)
    candidates = [BinaryRelevance(l2=1.0), SlowAnswers()]
    model = AutoSetClassifier(candidates, time_budget=1e6, random_state=0).fit(X, XOR)
    assert isinstance(model.estimator_, BinaryRelevance)
    assert "would answer slowly" in model.leaderboard_[1]["status"]
    unlimited = AutoSetClassifier(candidates, time_budget=None, random_state=0).fit(X, XOR)
    assert isinstance(unlimited.estimator_, StackedSets)


def test_effort_gives_the_same_choice_at_any_speed():
    """Red if times enter the choice: the clock of the second run is a thousand times slower."""
    boards = []
    for speed in (0.0, 1000.0):
        clock.now = 0.0
        candidates = [BinaryRelevance(l2=1.0), Timed(speed, l2=1.0), MLkNN()]
        model = AutoSetClassifier(candidates, effort=0.1, time_budget=1.0, random_state=0).fit(X, DEPENDENT)
        boards.append([(row["log_loss"], row["rows"]) for row in model.leaderboard_])
    assert boards[0] == boards[1]


def test_more_effort_tries_more():
    candidates = [BinaryRelevance(l2=1.0), ConditionalTree(l2=1.0)]
    little, much = (
        AutoSetClassifier(candidates, effort=effort, random_state=0).fit(X, DEPENDENT)
        for effort in (0.1, 10.0)
    )
    assert little.leaderboard_[1]["status"].startswith("not begun")
    assert isinstance(much.estimator_, ConditionalTree)


class Unsure(BinaryRelevance):
    """A model whose log-probabilities are not numbers."""

    def log_prob(self, X, y):
        return np.full(len(y), np.nan)


def test_a_loss_that_is_no_number_is_no_smallest_loss():
    model = AutoSetClassifier([Unsure(l2=1.0), BinaryRelevance(l2=1.0)], random_state=0).fit(X, DEPENDENT)
    assert model.leaderboard_[0]["name"] == "BinaryRelevance(l2=1.0)"
    assert model.leaderboard_[1]["status"] == "failed: the log-probability of a held-out row is NaN"


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
    model = AutoSetClassifier(candidates, stack=False, random_state=0).fit(form(holes), DEPENDENT[:100])
    assert {row["status"] for row in model.leaderboard_} == {"chosen", "tried"}
    assert np.isfinite(model.predict_proba(form(holes))).all()
    complete = AutoSetClassifier(candidates, random_state=0).fit(X, DEPENDENT)
    assert isinstance(complete.estimator_, ConditionalTree)
    with pytest.raises(ValueError, match="NaN: row 3, column 1"):
        complete.predict(form(holes))


def test_candidates_that_fail_are_told():
    """Red if an error of one candidate ends the search, or the errors of all do not say why."""
    model = AutoSetClassifier([MLkNN(n_neighbors=0), BinaryRelevance(l2=1.0)], random_state=0).fit(
        X[:100], DEPENDENT[:100]
    )
    assert model.leaderboard_[1]["status"] == "failed: n_neighbors is 0; expected a whole number, at least 1"
    with pytest.raises(ValueError, match=r"no candidate could be fitted.*n_neighbors is 0; expected"):
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


def test_the_default_candidates_run(monkeypatch):
    monkeypatch.setattr(rounds, "MAX_REPEATS", 1)
    model = AutoSetClassifier(time_budget=None, n_folds=2, random_state=0).fit(X[:30, :2], DEPENDENT[:30])
    names = [row["name"] for row in model.leaderboard_ if not row["name"].startswith("a stack")]
    assert len(names) == len(candidates())
    assert not [row for row in model.leaderboard_ if row["status"].startswith("failed")]
