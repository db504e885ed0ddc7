"""Models inside pipelines and searches are looked into by every part that asks a joint."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from setwise import BinaryRelevance, distribution_of
from setwise.errors import InputError
from setwise.evaluation.peers.joints import joint_log_prob
from setwise.metrics.scorers import log_prob_of
from setwise.nesting import last_step
from setwise.plotting import TopSetsDisplay


@pytest.fixture(scope="module")
def nested():
    """A search over a pipeline, its rows, and the same model by hand."""
    rng = np.random.default_rng(0)
    X = rng.normal(2.0, 3.0, size=(90, 3))
    Y = (X[:, :2] + rng.normal(size=(90, 2)) > 2).astype(int)
    pipeline = make_pipeline(StandardScaler(), BinaryRelevance())
    search = GridSearchCV(pipeline, {"binaryrelevance__l2": [1.0]}, cv=2).fit(X, Y)
    return search, X, Y, make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)


def test_every_door_opens_a_search(nested):
    """Red if one of them knows pipelines only."""
    search, X, Y, by_hand = nested
    expected = by_hand[-1].log_prob(by_hand[0].transform(X), Y)
    assert isinstance(last_step(search), BinaryRelevance)
    for answer in (
        distribution_of(search, X).log_prob(Y),
        log_prob_of(search, X, Y),
        joint_log_prob(search, X, Y),
    ):
        np.testing.assert_allclose(answer, expected, rtol=1e-12)
    assert TopSetsDisplay.from_estimator(search, X, row=0, k=2) is not None


def test_a_model_that_is_not_fitted_says_so(nested):
    _, X, _, _ = nested
    with pytest.raises(NotFittedError):
        distribution_of(make_pipeline(StandardScaler(), BinaryRelevance()), X)


def test_numbers_for_an_encoder_of_text_are_refused_by_the_name_of_the_step():
    """Red if a user reads which ufunc of NumPy failed."""
    colours = [["red", "round"], ["blue", "flat"]] * 5
    steps = make_pipeline(FunctionTransformer(), OneHotEncoder(), BinaryRelevance(l2=1.0))
    steps.fit(colours, [[0, 1], [1, 0]] * 5)
    with pytest.raises(InputError, match=r"step 'onehotencoder' \(OneHotEncoder\) was fitted to; pass text"):
        distribution_of(steps, [[1.0, 2.0]])
