"""Pipelines of label sets answer all that their last step answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, ConditionalTree, SetPipeline, TableEncoder, make_set_pipeline, read_tags

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"a": RNG.normal(size=80), "b": RNG.choice(["x", "y", "z"], 80)}, index=[f"r{i}" for i in range(80)]
)
TAGS = [
    sorted({"up"} if a > 0 else {"down"} | ({"zed"} if b == "z" else set()))
    for a, b in zip(FRAME["a"], FRAME["b"])
]


@pytest.fixture(scope="module")
def model():
    return make_set_pipeline(TableEncoder(), ConditionalTree(l2=1.0)).fit(FRAME, TAGS)


def test_answers_are_those_of_the_model_behind_the_encoder(model):
    """Red when a question is lost on the way, or answered for other rows."""
    inner, X = model[-1], model[0].transform(FRAME)
    Y = np.asarray(read_tags(TAGS))
    np.testing.assert_array_equal(model.log_prob(FRAME, TAGS), inner.log_prob(X, Y))
    np.testing.assert_array_equal(model.predict_top_k(FRAME, 2).labels, inner.predict_top_k(X, 2).labels)
    np.testing.assert_array_equal(model.decide(FRAME, "f1").labels, inner.decide(X, "f1").labels)
    np.testing.assert_array_equal(model.distribution(FRAME).marginals(), inner.distribution(X).marginals())
    np.testing.assert_array_equal(model.sample(FRAME, 2, random_state=0), inner.sample(X, 2, random_state=0))
    np.testing.assert_array_equal(model.outlier_score(FRAME, TAGS), inner.outlier_score(X, Y))
    assert model.predict_tags(FRAME) == inner.predict_tags(X)
    assert model.label_names_.tolist() == ["down", "up", "zed"]


def test_answers_name_the_rows_of_the_table(model):
    assert model.predict_top_k(FRAME, 1).to_frame().index[0] == "r0"


def test_a_search_of_a_pipeline_keeps_the_questions():
    """Red when tags cannot be searched over, or the best pipeline loses its questions."""
    search = GridSearchCV(
        make_set_pipeline(TableEncoder(), BinaryRelevance()), {"binaryrelevance__l2": [0.1, 1.0]}, cv=2
    )
    best = search.fit(FRAME, read_tags(TAGS)).best_estimator_
    assert isinstance(best, SetPipeline)
    assert len(best.predict_tags(FRAME)) == 80


def test_a_last_step_without_a_joint_says_so():
    pipeline = SetPipeline([("s", StandardScaler()), ("m", MultiOutputClassifier(LogisticRegression()))])
    pipeline.fit(FRAME[["a"]], np.column_stack([FRAME["a"] > 0, FRAME["b"] == "z"]))
    with pytest.raises(TypeError, match="MultiOutputClassifier has no joint distribution"):
        pipeline.predict_tags(FRAME[["a"]])


def test_names_of_steps_are_those_of_scikit_learn():
    ours, theirs = (make(StandardScaler(), BinaryRelevance()) for make in (make_set_pipeline, make_pipeline))
    assert list(ours.named_steps) == list(theirs.named_steps)
