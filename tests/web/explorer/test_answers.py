"""What the views show is what the library says."""

import json

import numpy as np
import pytest

from setwise import FREE, distribution_of, find_label_errors
from setwise.decisions import Abstain, Constrained, Costs, FBeta, MacroF, MicroF
from setwise.distributions import ForestMixture
from setwise.errors import InputError
from setwise.web.explorer.answers.comparison import compare_models, mcnemar
from setwise.web.explorer.answers.decisions import coverage_curve, measure_decision, measured_rows
from setwise.web.explorer.answers.labels import label_figures
from setwise.web.explorer.answers.reliability import reliability
from setwise.web.explorer.answers.row import answer_row, describe_row
from setwise.web.explorer.answers.scores import interval, slice_scores
from setwise.web.explorer.answers.slices import Slice, list_rows, select
from setwise.web.explorer.answers.structure import structure_of
from setwise.web.explorer.answers.suspects import describe_suspect, progress, suspects
from tests.web.explorer.sessions import journal_of, made_up, session_of


@pytest.fixture(scope="module")
def session():
    return session_of(*made_up(), n_models=2)


@pytest.fixture
def journal(session, tmp_path):
    return journal_of(session, tmp_path)


def test_a_row_has_the_answers_of_the_model(session):
    """Marginals, sets, sizes and the question of the conditioned joint, bit for bit."""
    X = session.data.rows.X
    joint = distribution_of(session.models[0].estimator, X[[7]])
    given = joint.condition({1: 1, 2: 0})
    answer = answer_row(session, 7, evidence={1: 1, 2: 0})
    assert answer["labels"]["before"] == joint.marginals()[0].tolist()
    assert answer["labels"]["after"] == given.marginals()[0].tolist()
    assert answer["labels"]["sizes"] == given.size_probs()[0].tolist()
    best = given.top_k(10)
    there = np.isfinite(best.log_prob[0])
    assert answer["sets"]["probabilities"] == np.exp(best.log_prob[0][there]).tolist()
    assert answer["sets"]["sets"] == [np.flatnonzero(y == 1).tolist() for y in best.labels[0][there]]
    assert answer["question"]["label"] in (0, 3)
    json.dumps(answer)


def test_the_gain_of_a_question_is_the_expected_probability_of_the_best_set(session):
    """Enumerated: the mean over both values of the best set's probability given the value."""
    joint = session.joint(3)
    question = answer_row(session, 3, parts=("question",))["question"]
    label = question["label"]
    expected = sum(
        np.exp(joint.log_prob({label: value})[0]) * np.exp(joint.condition({label: value}).mode().log_prob[0])
        for value in (0, 1)
    )
    assert question["then"] == pytest.approx(expected, abs=1e-12)


def test_changed_entries_are_those_of_another_row(session):
    """Changing every entry to that of another row gives that row's answer."""
    rows = session.data.rows
    changes = {cell.name: cell.value for cell in rows.cells(5)}
    assert answer_row(session, 4, changes=changes)["labels"]["after"] == pytest.approx(
        answer_row(session, 5)["labels"]["after"], abs=1e-12
    )


def test_the_structure_of_a_tree_is_its_own_tree(session):
    """Chow and Liu: for a forest the strongest dependencies are its edges."""
    joint = session.joint(0)
    parents = joint.forests.parents[0]
    edges = {frozenset((child, int(parent))) for child, parent in enumerate(parents) if parent >= 0}
    found = {frozenset(edge["labels"]) for edge in structure_of(joint)["edges"]}
    assert found <= edges


def test_suspects_are_those_of_find_label_errors(session, journal):
    """The same folds, the same scores, the same order."""
    errors = find_label_errors(session.models[0].estimator, session.data.rows.X, session.data.given, cv=2)
    listed = suspects(session, journal, stop=500)
    order = [int(row) for row in errors.order if errors.score[row] > 0]
    assert [entry["row"] for entry in listed["rows"]] == order
    assert listed["rows"][0]["score"] == pytest.approx(errors.score[order[0]], abs=1e-12)


def test_the_hint_learns_from_decisions(session, journal):
    """Keeping every label lowers the expected changes; accepting every suggestion does not."""
    listed = suspects(session, journal, stop=10)
    start = listed["progress"]["expected_changes"]
    for entry in listed["rows"][:5]:
        journal.add(entry["row"], "keep", [], seen=entry["version"])
    kept = suspects(session, journal)["progress"]
    assert kept["reviewed"] == 5
    assert kept["changed"] == 0
    assert kept["expected_changes"] < start


def test_the_desk_goes_on_to_the_next_row_without_a_decision(session, journal):
    rows = [entry["row"] for entry in suspects(session, journal, stop=3)["rows"]]
    journal.add(rows[1], "keep", [])
    assert describe_suspect(session, journal, rows[0])["next"] == rows[2]


@pytest.mark.parametrize(
    ("plain", "rule"),
    [
        ("f1", FBeta()),
        ({"rule": "FBeta", "beta": 2.0}, FBeta(2.0)),
        ({"rule": "Costs", "false_negative": 3.0}, Costs(false_negative=3.0)),
        ({"rule": "Constrained", "implies": [["calm", "sad"]]}, Constrained(implies=[("calm", "sad")])),
        ({"rule": "Abstain", "confidence": 0.5}, Abstain(0.5)),
    ],
)
def test_decisions_are_measured_as_the_library_does(session, plain, rule):
    """Expected and measured loss of the held-out models' decisions."""
    rows, truth = measured_rows(session)
    answer = measure_decision(session, plain)
    expected, measured = np.empty(len(rows)), np.empty(len(rows))
    for places, joint in session.judged().models.joints(rows):
        decided = joint.decide(rule)
        expected[places] = decided.expected_loss
        measured[places] = rule.loss(truth[places], decided.labels)
    assert answer["expected"]["mean"] == pytest.approx(expected.mean(), abs=1e-12)
    assert answer["measured"]["mean"] == pytest.approx(measured.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("plain", "rule"),
    [
        ({"rule": "MacroF", "beta": 2.0}, MacroF(2.0)),
        ({"rule": "MicroF"}, MicroF()),
        ({"rule": "Constrained", "decision": {"rule": "MacroF"}, "max_labels": 2}, None),
    ],
)
def test_losses_of_all_rows_together_are_those_of_one_batch(session, plain, rule):
    """Red if rows are decided fold by fold, or a loss of the batch is averaged like one of rows."""
    rows, truth = measured_rows(session)
    answer = measure_decision(session, plain)
    p = np.empty(truth.shape)
    for places, joint in session.judged().models.joints(rows):
        p[places] = joint.marginals()
    batch = ForestMixture.independent(np.log(p) - np.log1p(-p))
    rule = rule or Constrained(MacroF(), max_labels=2)
    decided = batch.decide(rule)
    assert answer["expected"]["mean"] == pytest.approx(decided.expected_loss[0], abs=1e-9)
    assert answer["measured"]["mean"] == pytest.approx(float(rule.loss(truth, decided.labels)), abs=1e-12)
    assert answer["measured"]["low"] < answer["measured"]["mean"] < answer["measured"]["high"]
    with pytest.raises(InputError, match="all rows together"):
        coverage_curve(session, plain)


def test_answers_among_seen_sets_are_seen(session):
    answer = measure_decision(session, {"rule": "Constrained", "among": "seen"})
    seen = {tuple(y) for y in session.data.given.tolist()}
    changed = [one["after"] for one in answer["examples"]]
    assert all(tuple(int(j in labels) for j in range(4)) in seen for labels in changed)


def test_coverage_is_sorted_by_confidence(session):
    """The curve ends at the mean score of all rows, and a target's answers reach its level."""
    answer = coverage_curve(session)
    judged = session.judged().judgement
    exact = (judged.suggested == session.data.given).all(axis=1).mean()
    assert answer["curve"][-1]["score"] == pytest.approx(exact, abs=1e-12)
    assert answer["curve"][-1]["coverage"] == 1.0


def test_coverage_of_costs_is_that_of_right_labels(session):
    """Red if a cost is taken for a share; the confidence of a target answers as many rows as it promises."""
    costs = {"rule": "Costs", "false_positive": 5.0, "false_negative": 9.0}
    answer = coverage_curve(session, costs)
    plain = measure_decision(session, costs)
    assert answer["curve"][-1]["score"] == pytest.approx(plain["scores"]["label accuracy"], abs=1e-12)
    target = next(one for one in answer["targets"] if 0 < one["coverage"] < 1)
    sure = {"rule": "Abstain", "confidence": target["confidence"], "decision": costs}
    assert measure_decision(session, sure)["answered"] == pytest.approx(target["coverage"])


def test_slices_are_the_rows_that_satisfy_the_conditions(session):
    Y = session.data.given
    assert (
        select(session, Slice(on=(0,), off=(1,))).tolist()
        == np.flatnonzero((Y[:, 0] == 1) & (Y[:, 1] == 0)).tolist()
    )
    assert select(session, Slice(size=2)).tolist() == np.flatnonzero(Y.sum(axis=1) == 2).tolist()
    values = session.data.rows.X[:, 0]
    assert (
        select(session, Slice(column="x0", value="0..1")).tolist()
        == np.flatnonzero((values >= 0) & (values <= 1)).tolist()
    )
    assert select(session, Slice(text="17")).tolist() == [17]
    wrong = select(session, Slice(outcome="wrong"))
    assert len(wrong) + len(select(session, Slice(outcome="right"))) == len(Y)
    first = select(session, Slice(order="confidence"))[0]
    assert first == session.judged().judgement.confidence.argmin()
    assert list_rows(session, Slice(), 10, 12)["rows"][0]["row"] == 10
    with pytest.raises(InputError, match="no column 'height'"):
        select(session, Slice(column="height", value="1"))


def test_figures_of_labels_are_those_of_the_data(session):
    Y = session.data.given
    figures = label_figures(session, np.arange(len(Y)))
    assert figures["frequencies"] == Y.mean(axis=0).tolist()
    assert sum(figures["sizes"]) == len(Y)
    assert figures["distinct"] == len(np.unique(Y, axis=0))
    strongest = figures["pairs"]["strongest"][0]
    i, j = strongest["labels"]
    assert strongest["data"] == pytest.approx(np.corrcoef(Y[:, i], Y[:, j])[0, 1], abs=1e-12)
    assert strongest["together"] == int((Y[:, i] & Y[:, j]).sum())


def test_scores_and_reliability_cover_all_rows(session):
    rows = np.arange(session.data.rows.n_rows)
    scores = {one["name"]: one["slice"]["mean"] for one in slice_scores(session, rows)["scores"]}
    judged = session.judged().judgement
    assert scores["exact match"] == pytest.approx((judged.suggested == session.data.given).all(axis=1).mean())
    assert scores["log-loss"] == pytest.approx(-judged.log_prob.mean())
    assert sum(one["n"] for one in reliability(session, rows)["sets"]) == len(rows)


def test_intervals_contain_the_mean_and_shrink():
    """Wilson's interval for shares; compared with its closed form at 5 of 10."""
    found = interval(np.array([1.0] * 5 + [0.0] * 5))
    assert found["low"] == pytest.approx(0.2366, abs=1e-4)
    assert found["high"] == pytest.approx(0.7634, abs=1e-4)
    assert interval(np.array([1.0, 1.0, 1.0, 0.9]), share=True)["high"] == 1.0
    assert interval(np.array([1.0, 1.0, 1.0, 0.9]))["high"] > 1.0


def test_two_models_are_compared_by_their_disagreements(session):
    answer = compare_models(session, stop=500)
    first, second = (session.judged(number).judgement for number in (0, 1))
    differs = (first.suggested != second.suggested).any(axis=1)
    assert answer["disagree"] == answer["total"] == int(differs.sum())
    stakes = [row["stake"] for row in answer["rows"]]
    assert stakes == sorted(stakes, reverse=True)
    assert answer["exact"][0] == pytest.approx((first.suggested == session.data.given).all(axis=1).mean())
    assert mcnemar(np.zeros(3, bool), np.zeros(3, bool)) is None


def test_rows_without_labels_can_be_explored_and_nothing_more():
    X, Y = made_up(60)
    session = session_of(X, Y, judge=False)
    bare = type(session)(
        type(session.data)("bare", session.data.rows, session.data.label_names), session.models
    )
    bare.start_judging()
    assert describe_row(bare, 0)["given"] is None
    assert answer_row(bare, 0)["sets"]["probabilities"]
    with pytest.raises(InputError, match="no labels"):
        bare.judged()


def test_unknown_labels_are_shown_and_not_judged():
    """A row with an unknown label is neither a suspect nor measured."""
    X, Y = made_up(80)
    session = session_of(X, Y, judge=False)
    session.data.given[3, 2] = FREE
    session.n_folds = 0
    session.start_judging()
    judged = session.jobs.wait("judge 0").result.judgement
    assert np.isnan(judged.log_prob[3])
    assert describe_row(session, 3)["unknown"] == [2]
    assert 3 not in measured_rows(session)[0]


def test_wrong_questions_are_input_errors(session):
    with pytest.raises(InputError, match="no row 999"):
        answer_row(session, 999)
    with pytest.raises(InputError, match="expected 0 or 1"):
        answer_row(session, 0, evidence={9: 1})
    with pytest.raises(InputError, match="no column 'height'"):
        answer_row(session, 0, changes={"height": 1})
    with pytest.raises(InputError, match="'tall' is not a number"):
        answer_row(session, 0, changes={"x0": "tall"})
    with pytest.raises(InputError, match="there is no model 2"):
        session.joint(0, 2)


def test_progress_of_an_empty_list():
    found = progress(
        None, np.zeros(0, dtype=int), np.zeros(3), type("Empty", (), {"current": lambda self: []})()
    )
    assert found["expected_changes"] == 0.0
