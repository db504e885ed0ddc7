"""Answers for a DataFrame keep its index and the names of the labels, whatever is asked."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, ConditionalTree, ConformalSets, LabelPowerset, distribution_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(60, 2)), columns=["a", "b"], index=[f"day {i}" for i in rng.permutation(60)]
    )
    rain = X["a"] + 0.5 * rng.normal(size=60) > 0
    Y = pd.DataFrame({"rain": rain, "umbrella": rain, "picnic": ~rain & (X["b"] > 0)}).astype(int)
    return X, Y


QUESTIONS = {
    "decide": lambda model, X: model.decide(X),
    "decide f1": lambda model, X: model.decide(X, "f1"),
    "predict_top_k": lambda model, X: model.predict_top_k(X, 2),
    "mode": lambda model, X: model.distribution(X).mode(),
    "mode given": lambda model, X: model.distribution(X).mode({"rain": 1}),
    "condition": lambda model, X: model.distribution(X).condition({"umbrella": 1}).top_k(2),
    "distribution's decision": lambda model, X: model.distribution(X).decide("hamming"),
    "next_question": lambda model, X: model.distribution(X).next_question(),
    "entropy": lambda model, X: model.distribution(X).entropy(),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "estimator", [BinaryRelevance(l2=1.0), ConditionalTree(l2=1.0), LabelPowerset(l2=1.0)]
)
def test_every_answer_keeps_the_index_and_the_names(estimator, question, table):
    """Red if a door forgets the names, or an answer is about other rows than its index says."""
    X, Y = table
    model = estimator.fit(X, Y)
    answer = QUESTIONS[question](model, X)
    frame = answer.to_frame()
    pd.testing.assert_index_equal(frame.index.unique(), X.index)
    for column in {"set", "label"} & set(frame.columns):
        text = ", ".join(frame[column])
        assert set(text.split(", ")) <= {*Y.columns, "(no labels)"}
    last = QUESTIONS[question](model, X.iloc[-3:]).to_frame()
    pd.testing.assert_frame_equal(last, frame.loc[X.index[-3:]], check_exact=False)
    assert X.index[0] in repr(answer)


def test_rows_that_are_taken_keep_their_names(table):
    X, Y = table
    joint = ConditionalTree(l2=1.0).fit(X, Y).distribution(X)
    assert joint[5:8].mode().to_frame().index.tolist() == X.index[5:8].tolist()
    assert joint.take(X["a"].to_numpy() > 1).mode().row_names.tolist() == X.index[X["a"] > 1].tolist()
    assert [part.mode().row_names[0] for part in joint] == X.index.tolist()


def test_the_sets_are_those_that_predict_answers(table):
    X, Y = table
    model = ConditionalTree(l2=1.0).fit(X, Y)
    named = [", ".join(Y.columns[row == 1]) or "(no labels)" for row in model.predict(X)]
    assert model.decide(X).to_frame()["set"].tolist() == named
    assert model.distribution(X).mode().to_frame()["set"].tolist() == named


def test_pipelines_and_candidate_sets_keep_the_index(table):
    """Red if a scaler, which makes an array of the DataFrame, loses its index."""
    X, Y = table
    pipeline = make_pipeline(StandardScaler(), ConditionalTree(l2=1.0)).fit(X, Y)
    pd.testing.assert_index_equal(distribution_of(pipeline, X).mode().to_frame().index, X.index)
    lists = ConformalSets(ConditionalTree(l2=1.0), coverage=0.8).fit(X, Y).predict_sets(X)
    pd.testing.assert_index_equal(lists.to_frame().index.unique(), X.index)
    assert "rain, umbrella" in repr(lists)


def test_arrays_have_numbers(table):
    X, Y = table
    answer = BinaryRelevance(l2=1.0).fit(X.to_numpy(), Y.to_numpy()).predict_top_k(X.to_numpy()[:2], 1)
    assert answer.row_names is None
    assert answer.to_frame().index.tolist() == [0, 1]
