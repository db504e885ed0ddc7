"""Row normalization: when it is chosen, and that every answer then uses it."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from setwise import (
    IBLR,
    AutoSetClassifier,
    BinaryRelevance,
    CalibratedSets,
    ConditionalBernoulliMixture,
    ConditionalTree,
    MixtureOfTrees,
)
from setwise.kernels.matrices import unit_rows
from setwise.learning.counting.neighbours import directions_help
from setwise.learning.linear.row_normalization import unit_rows_help
from tests.learning.texts import texts


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_held_out_rows_choose(form):
    """Red if rows are normalized although their length predicts the labels, or not although it is noise."""
    for long in (True, False):
        X, Y = texts(long=long)
        assert unit_rows_help(form(X), Y, None, True) == long


def test_only_counts_are_tried(monkeypatch):
    """Red if dense features, negative ones or rows that have unit length already cost a trial."""

    def never(*_, **__):
        raise AssertionError("tried")

    monkeypatch.setattr("setwise.learning.linear.row_normalization.choose_l2", never)
    X, Y = texts()
    for other in (X + 1.0, X * np.where(np.arange(30) == 3, -1, 1), unit_rows(X), 0 * X):
        assert not unit_rows_help(other, Y, None, True)
    with pytest.raises(AssertionError, match="tried"):
        unit_rows_help(X, Y, None, True)


def test_regressions_have_a_say_where_they_see_the_features():
    """Red if neighbours alone decide to normalize the features of a regression that needs the lengths."""
    X, Y = texts()
    both = np.column_stack([Y, texts(long=False)[1][:, 1]])
    assert IBLR().fit(X, Y).unit_rows_
    assert IBLR(with_features=True).fit(X, Y).unit_rows_
    assert directions_help(X, both, None, 10, "minkowski", True) != unit_rows_help(X, both, None, True)
    assert not IBLR(with_features=True).fit(X, both).unit_rows_


@pytest.mark.parametrize(
    "model",
    [BinaryRelevance(), ConditionalTree(), MixtureOfTrees(2, random_state=0)],
    ids=lambda model: type(model).__name__,
)
def test_it_is_the_model_of_normalised_rows(model):
    """Red if rows are divided by their length in training and not in an answer."""
    X, Y = texts()
    model.fit(X, Y)
    assert model.unit_rows_
    again = clone(model).fit(unit_rows(X), Y)
    assert not again.unit_rows_
    assert_allclose(model.predict_proba(X), again.predict_proba(unit_rows(X)), rtol=1e-9)
    assert (model.predict(X) == again.predict(unit_rows(X))).all()
    assert_allclose(model.log_prob(X, Y), again.log_prob(unit_rows(X), Y), rtol=1e-9)


@pytest.mark.parametrize(
    "model", [BinaryRelevance(), MixtureOfTrees(random_state=0)], ids=lambda model: type(model).__name__
)
def test_storage_does_not_change_the_model(model):
    """Red if lengths are summed in another order: their last bits would change the folds."""
    X, Y = texts()
    X *= np.random.default_rng(6).uniform(0.5, 2.0, 30).astype(np.float32)
    truth = model.fit(X, Y).predict_proba(X)
    assert model.unit_rows_
    unsorted = sp.csr_array(X[:, ::-1])
    unsorted.indices = 29 - unsorted.indices
    unsorted.has_sorted_indices = False
    for other in (np.asfortranarray(X), sp.csr_array(X), unsorted, pd.DataFrame(X)):
        assert_allclose(clone(model).fit(other, Y).predict_proba(X), truth, atol=1e-8)


@pytest.mark.parametrize("cls", [CalibratedSets, AutoSetClassifier])
def test_what_stands_around_it_answers_alike(cls):
    """Red if an estimator around another asks it about rows of other lengths."""
    X, Y = texts()
    model = (cls(BinaryRelevance()) if cls is CalibratedSets else cls([BinaryRelevance()])).fit(X, Y)
    assert model.estimator_.unit_rows_
    assert not hasattr(model, "unit_rows_")
    assert (model.predict(X) == model.estimator_.predict(X)).all()
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.9


def test_components_are_of_unit_rows():
    X, Y = texts()
    model = ConditionalBernoulliMixture(
        2, l2=1.0, gate_l2=1.0, tuning=False, unit_rows=True, random_state=0
    ).fit(X, Y)
    inside = model.components(X)
    assert_allclose(np.einsum("nk,nkl->nl", *inside), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(l2=1.0),
        BinaryRelevance(LogisticRegression()),
        BinaryRelevance(unit_rows=False),
        ConditionalBernoulliMixture(2, tuning=False, random_state=0),
    ],
    ids=["penalty", "learner", "told", "no tuning"],
)
def test_nothing_is_chosen_where_nothing_is_tuned(model):
    """Red if a model with given penalties or another learner gets other features than it was given."""
    X, Y = texts()
    assert not model.fit(X, Y).unit_rows_


def test_a_wrong_choice_is_told():
    X, Y = texts()
    with pytest.raises(ValueError, match=r"unit_rows is 'yes'; expected 'auto', True or False"):
        BinaryRelevance(unit_rows="yes").fit(X, Y)
