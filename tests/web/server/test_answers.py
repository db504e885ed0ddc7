"""The server answers what Python answers, bit for bit."""

import numpy as np
import pandas as pd
import pytest

import setwise
from setwise import NotTractable
from setwise.decisions import DECISIONS, Abstain, Constrained, Costs, FBeta
from tests.web.models import LABELS, beach_data, families, table_of
from tests.web.running import Running

NAMES = [*families(), *(pytest.param(name, marks=pytest.mark.slow) for name in families(variants=True))]
"""One of every family, and all their variants as a study."""


def names(row):
    return [name for name, on in zip(LABELS, row) if on]


@pytest.fixture(scope="module")
def every_family(request, tmp_path_factory):
    """A server of one model of every family, and the models themselves."""
    folder = tmp_path_factory.mktemp("families")
    X, Y = beach_data()
    wanted = {item.callspec.params.get("name") for item in request.session.items if hasattr(item, "callspec")}
    for name, model in (families() | families(variants=True)).items():
        if name not in wanted:
            continue
        setwise.save(model.fit(X, Y), folder / f"{name}.setwise")
    loaded = {path.stem: setwise.load(path) for path in folder.iterdir()}
    with Running(str(folder), log=folder / "errors.log") as running:
        yield running, loaded


@pytest.mark.parametrize("name", NAMES)
def test_every_family_and_decision_answers_as_in_python(every_family, name):
    """Red if a number differs in its last bit, or a set in one label."""
    server, loaded = every_family
    model, X = loaded[name], beach_data(6, seed=1)[0]
    rows = X.tolist()
    for decision in [None, *DECISIONS, *model._own_decisions()]:
        try:
            decided = model.decide(X, decision)
        except ValueError as error:  # such as five of four labels
            check_refused(
                server.post(f"/api/models/{name}/predict", {"rows": rows, "decision": decision}), error
            )
            continue
        answers = server.ask(name, "predict", rows=rows, decision=decision)
        assert [answer["labels"] for answer in answers] == [names(row) for row in decided.labels]
        losses = [None if loss != loss else loss for loss in decided.expected_loss.tolist()]
        assert [answer["expected_loss"] for answer in answers] == losses
        assert [answer["certified"] for answer in answers] == decided.certified.tolist()
    proba = [list(answer["probabilities"].values()) for answer in server.ask(name, "marginals", rows=rows)]
    assert proba == model.predict_proba(X).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_family_answers_questions_about_evidence_as_in_python(every_family, name):
    server, loaded = every_family
    model, X = loaded[name], beach_data(4, seed=2)[0]
    body = {"rows": X.tolist(), "evidence": {"sea": 1}}
    try:
        joint = model.distribution(X).condition({"sea": 1})
        best, sizes = joint.top_k(3), joint.size_probs()
    except NotTractable as error:
        reply = server.post(f"/api/models/{name}/top_k", body)
        check_refused(reply, error)
        return
    answers = server.ask(name, "top_k", k=3, **body)
    for answer, labels, log_prob in zip(answers, best.labels, best.log_prob):
        found = [(names(row), value) for row, value in zip(labels, log_prob.tolist()) if row[0] >= 0]
        assert [(item["labels"], item["log_probability"]) for item in answer["sets"]] == found
    assert [answer["sizes"] for answer in server.ask(name, "sizes", **body)] == sizes.tolist()
    gains = [list(answer["gains"].values()) for answer in server.ask(name, "next_question", **body)]
    assert gains == joint.next_question().gain.tolist()


def check_refused(reply, error):
    assert reply.status == 422
    assert reply.data["error"] == str(error)


def test_rows_of_one_request_equal_requests_of_one_row(server):
    """Red if an answer depends on the rows beside it by more than rounding."""
    X = beach_data(7, seed=3)[0].tolist()
    together = server.ask("tree", "predict", rows=X)
    for row, answer in zip(X, together):
        (alone,) = server.ask("tree", "predict", row=row)
        assert alone["labels"] == answer["labels"]
        assert alone["log_probability"] == pytest.approx(answer["log_probability"], abs=1e-12, rel=0)


def test_tables_with_text_answer_as_in_python(server, served):
    rows = table_of(*beach_data(9, seed=4))
    rows[2]["size"] = None
    expected = served["table"].predict_top_k(pd.DataFrame(rows), 2)
    answers = server.ask("table", "top_k", rows=rows, k=2)
    assert [
        [best["log_probability"] for best in row["sets"]] for row in answers
    ] == expected.log_prob.tolist()
    shuffled = [dict(reversed(row.items())) | {"other": 1} for row in rows]
    assert server.ask("table", "top_k", rows=shuffled, k=2) == answers


def test_texts_answer_as_in_python(server, served):
    texts = [row["note"] for row in table_of(*beach_data(9, seed=5))]
    proba = served["texts"].predict_proba(texts)
    answers = server.ask("texts", "marginals", rows=texts)
    assert [list(answer["probabilities"].values()) for answer in answers] == proba.tolist()


def test_a_pipeline_that_was_fitted_to_a_frame_takes_rows_by_name_or_place(server, served):
    X = beach_data(5, seed=6)[0]
    frame = pd.DataFrame(X, columns=list("abcde"))
    joint = setwise.distribution_of(served["scaled"], frame)
    expected = joint.mode()
    named = [dict(zip("edcba", row[::-1])) for row in X.tolist()]
    for rows in (named, X.tolist()):
        answers = server.ask("scaled", "predict", rows=rows, decision="subset")
        assert [answer["labels"] for answer in answers] == [names(row) for row in expected.labels]
        assert [a["log_probability"] for a in answers] == joint.log_prob(expected.labels).tolist()


def test_label_errors_score_as_in_python(server, served):
    X, Y = beach_data(6, seed=7)
    wrong = 1 - Y.to_numpy()
    scores = served["tree"].outlier_score(X, wrong, against="flips")
    answers = server.ask("tree", "label_errors", rows=X.tolist(), labels=[names(row) for row in wrong])
    assert [answer["score"] for answer in answers] == scores.tolist()


def test_explanations_are_those_of_python(server, served):
    rows = table_of(*beach_data(4, seed=10))
    why = served["table"].explain(pd.DataFrame(rows), "sea", given={"fog": 0}).to_dict(5)
    answers = server.ask("table", "explain", rows=rows, target=["sea"], evidence={"fog": 0}, n_features=5)
    for entry, answer in zip(why, answers):
        (found,) = answer["explanations"]
        assert found | {"row": entry["row"]} == entry | {"method": found["method"]}


def test_rules_with_parameters_decide_as_in_python(server, served):
    X = beach_data(8, seed=8)[0]
    twice = {"rule": "FBeta", "beta": 2.0}
    rules = [
        (Costs(false_negative={"fog": 9.0}), {"rule": "Costs", "false_negative": {"fog": 9.0}}),
        (Abstain(0.7, FBeta(2.0)), {"rule": "Abstain", "confidence": 0.7, "decision": twice}),
        (Constrained(max_labels=1), {"rule": "Constrained", "max_labels": 1}),
    ]
    for rule, plain in rules:
        decided = served["tree"].decide(X, rule)
        answers = server.ask("tree", "predict", rows=X.tolist(), decision=plain)
        expected = [None if -1 in row else names(row) for row in decided.labels]
        assert [answer["labels"] for answer in answers] == expected
        assert [answer["expected_loss"] for answer in answers] == decided.expected_loss.tolist()


def test_numbers_survive_json_bit_for_bit(server, served):
    """Red if the parser of bodies rounds: features of 17 digits would change the last bits of answers."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(50, 5)) * 10.0 ** rng.integers(-8, 3, size=(50, 5))
    answers = server.ask("tree", "marginals", rows=X.tolist())
    assert [list(a["probabilities"].values()) for a in answers] == served["tree"].predict_proba(X).tolist()
