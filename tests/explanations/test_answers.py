"""What explanations look like: targets, names, tables."""

import numpy as np
import pandas as pd
import pytest

from setwise import BinaryRelevance, TableEncoder, make_set_pipeline

TICKETS = {
    "message": [
        "money back please",
        "cannot log in",
        "give my money back",
        "log in fails",
        "thanks a lot",
        "ok",
    ],
    "plan": ["free", "pro", "free", "pro", "free", "pro"],
    "age": [1.0, 5.0, 2.0, 6.0, 3.0, 9.0],
}
TAGS = [["refund"], ["login"], ["refund"], ["login"], [], []]


@pytest.fixture(scope="module")
def tickets():
    return make_set_pipeline(TableEncoder({"message": "text"}), BinaryRelevance(l2=0.1)).fit(TICKETS, TAGS)


@pytest.fixture(scope="module")
def plain():
    X = np.arange(12.0).reshape(6, 2) % 5
    Y = pd.DataFrame({"sea": X[:, 0] > 2, "sand": X[:, 1] > 2, "city": X[:, 0] < 2}).astype(int)
    return BinaryRelevance(l2=1.0).fit(pd.DataFrame(X, columns=["depth", "wind"]), Y)


X = pd.DataFrame({"depth": [1.0, 4.0], "wind": [4.0, 0.0]}, index=["ann", "bob"])


@pytest.mark.parametrize(
    ("target", "given", "text"),
    [
        ("sea", None, "sea"),
        (0, None, "sea"),
        (("sea", "sand"), None, "sea + sand"),
        ({"sea": 1, "city": 0}, None, "sea + not city"),
        ({"sea", "sand"}, None, "{sea, sand}"),
        ("sea", "sand", "sea | sand"),
        ("sea", {"sand": 0}, "sea | not sand"),
        ([[1, 0, 0], [0, 1, -1]], None, "{sea}"),
    ],
)
def test_targets(target, given, text, plain):
    why = plain.explain(X, target, given=given)
    assert why.targets[0] == text
    assert len(why.rows) == 2


@pytest.mark.parametrize(
    ("target", "given", "message"),
    [
        ("see", None, "no label is named 'see'"),
        (7, None, "label 7 does not exist"),
        ({"sea": 2}, None, "expected 0, 1 or -1"),
        ("sea", {"sea": 0}, "'sea' is both in target and in given"),
        ([[1, 0, 0], [-1, -1, -1]], None, "names no label in row 1"),
        ([[1, 0]], None, "target has shape"),
    ],
)
def test_wrong_targets_are_named(target, given, message, plain):
    with pytest.raises(ValueError, match=message):
        plain.explain(X, target, given=given)


def test_predicted_labels_are_the_default(plain):
    """One entry for each label of the answer."""
    why = plain.explain(X)
    answers = plain.predict_tags(X)
    expected = [(row, tag) for row, tags in enumerate(answers) for tag in tags]
    assert [(int(row), target) for row, target in zip(why.rows, why.targets)] == expected


def test_a_frame_adds_up_and_keeps_the_index(plain):
    frame = plain.explain(X, "sea").to_frame()
    assert list(frame.columns) == ["target", "feature", "column", "value", "contribution"]
    sums = frame.groupby(level=0)["contribution"].sum()
    np.testing.assert_allclose(sums[["ann", "bob"]], plain.explain(X, "sea").log_odds, atol=1e-9)


def test_words_and_columns_are_named(tickets):
    """Red if the names of the encoder are lost on the way."""
    rows = {"message": ["money please"], "plan": ["free"], "age": [1.0]}
    why = tickets.explain(rows, "refund")
    entry = why.to_dict()[0]
    words = [line["feature"] for line in entry["features"] if line["column"] == "message"]
    assert "message: money" in words
    assert {line["column"] for line in entry["features"]} == {"message", "plan", "age"}
    merged = why.by_column()
    assert sorted(merged.feature_names) == ["age", "message", "plan"]
    np.testing.assert_allclose(merged.contributions.sum(axis=1), why.contributions.sum(axis=1), atol=1e-12)
    assert "(baseline)" in repr(why)
    assert "<table>" in why._repr_html_()


def test_few_features_and_the_rest(tickets):
    entry = tickets.explain(TICKETS, "refund").to_dict(2)[0]
    shown = sum(line["contribution"] for line in entry["features"])
    assert len(entry["features"]) == 2
    assert entry["base"] + shown + entry["others"] == pytest.approx(entry["log_odds"], abs=1e-9)


def test_the_strongest_features(tickets):
    found = tickets.strongest_features(TICKETS, n_features=3, pairs=1)
    assert set(found.targets) == {"login", "refund", "login + refund"}
    assert len(found.to_frame()) == 9
    assert found.to_dict()["refund"][0]["column"] in ("message", "age", "plan")


def test_hostile_names_stay_inert():
    Y = pd.DataFrame({"<script>alert(1)</script>": [0, 0, 1, 1], "b": [1, 0, 1, 0]})
    X = pd.DataFrame({"<img src=x onerror=y>": [0.0, 1.0, 2.0, 3.0]})
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    for answer in (model.explain(X, 0), model.strongest_features(X)):
        assert "<script>" not in answer._repr_html_()
        assert "<img" not in answer._repr_html_()
