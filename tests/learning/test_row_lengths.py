"""Rows of counts: when their length is divided out, and that every answer then has it so."""

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
    MLkNN,
)
from setwise.kernels.matrices import row_lengths, unit_rows
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.counting.neighbours import NeighbourVotes, directions_pay
from setwise.learning.linear.row_normalization import unit_rows_pay


def texts(rows=300, seed=0, *, long=True):
    """Counts of thirty words, Y by which words a text has most of; the length of a text says nothing, or all."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 3, rows)
    rates = np.full((3, 30), 0.005)
    for t in range(3):
        rates[t, 10 * t : 10 * t + 10] = 0.05
    length = rng.lognormal(3.0, 1.2, rows)
    X = rng.poisson(length[:, None] * rates[topic]).astype(float)
    labels = (
        topic[:, None] == np.arange(3) if long else length[:, None] > np.quantile(length, [0.3, 0.5, 0.8])
    )
    return X, labels.astype(np.int8)


def test_lengths_and_unit_rows_of_dense_and_sparse():
    X = np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.7e308, 0.0, 1.7e308]])
    for form in (X, sp.csr_array(X)):
        assert_allclose(row_lengths(form[:2]), [5.0, 0.0])
        unit = unit_rows(form)
        assert sp.issparse(unit) == sp.issparse(form)
        unit = unit.toarray() if sp.issparse(unit) else unit
        assert_allclose(unit, [[0.6, 0.0, 0.8], [0, 0, 0], [0.5**0.5, 0.0, 0.5**0.5]], rtol=1e-6)
    assert X[0, 0] == 3.0
    assert unit_rows(X[:2].astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_held_out_rows_choose(form):
    """Red where length is divided out though it tells the labels, or left in where it only disturbs."""
    for long in (True, False):
        X, Y = texts(long=long)
        assert unit_rows_pay(form(X), Y, None, True) == long


def test_only_counts_are_tried(monkeypatch):
    """Red where dense features, negative ones or rows that have unit length already cost a trial."""

    def never(*_, **__):
        raise AssertionError("tried")

    monkeypatch.setattr("setwise.learning.linear.row_normalization.choose_l2", never)
    X, Y = texts()
    for other in (X + 1.0, X * np.where(np.arange(30) == 3, -1, 1), unit_rows(X), 0 * X):
        assert not unit_rows_pay(other, Y, None, True)
    with pytest.raises(AssertionError, match="tried"):
        unit_rows_pay(X, Y, None, True)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_votes_choose_how_neighbours_are_found(form):
    """Red where directions are compared though lengths tell the labels, or lengths though they only disturb."""
    for long in (True, False):
        X, Y = texts(long=long)
        for cls in (MLkNN, IBLR):
            assert cls().fit(form(X), Y).unit_rows_ == long


def test_weights_of_rows_count_in_the_choice():
    """Red where rows of no weight choose: here all the others are of the other kind."""
    (X, Y), (_, lengths) = texts(long=True), texts(long=False)
    for chosen, told in ((True, Y), (False, lengths)):
        kind = np.arange(300) < 120
        labels = np.where(kind[:, None] == chosen, Y, lengths)
        weights = np.where((labels == told).all(axis=1), 1.0, 1e-9)
        assert directions_pay(X, labels, weights, 10, "minkowski", True) == chosen


def test_neighbours_are_tried_on_counts_by_the_usual_metric_only(monkeypatch):
    """Red where a trial is made that was not asked for, or could only be lost."""

    def never(*_, **__):
        raise AssertionError("tried")

    monkeypatch.setattr("setwise.learning.counting.neighbours.unit_rows", never)
    X, Y = texts()
    for other in (X + 1.0, X * np.where(np.arange(30) == 3, -1, 1), 0 * X):
        assert not MLkNN().fit(other, Y).unit_rows_
    for told in (MLkNN(metric="cosine"), MLkNN(unit_rows=False), IBLR(unit_rows=False)):
        assert not told.fit(X, Y).unit_rows_
    with pytest.raises(AssertionError, match="tried"):
        MLkNN().fit(X, Y)


def test_directions_are_not_scaled_by_ranges():
    """Red where rare words weigh as much as frequent ones after rows were divided by their length."""
    X, Y = texts()
    for cls in (MLkNN, IBLR):
        model, plain = cls().fit(X, Y), cls(scale_features=False, unit_rows=False).fit(unit_rows(X), Y)
        assert model.unit_rows_
        assert_allclose(model.predict_proba(X), plain.predict_proba(unit_rows(X)))


def test_the_trial_is_of_what_is_fitted_and_of_some_rows(monkeypatch):
    """Red where the trial divides unit rows by ranges too, or takes all rows of many."""
    made, votes = [], NeighbourVotes

    def seen(X, Y, k, metric, scale):
        made.append((X.shape[0], scale))
        return votes(X, Y, k, metric, scale)

    monkeypatch.setattr("setwise.learning.counting.neighbours.NeighbourVotes", seen)
    monkeypatch.setattr("setwise.learning.counting.neighbours.TRIAL_ROWS", 50)
    X, Y = texts()
    MLkNN().fit(X, Y)
    some = len(sample_rows(X, 50))
    assert 25 <= some < 100
    assert made == [(some, True), (some, False)]


def test_regressions_have_a_say_where_they_see_the_features():
    """Red where neighbours alone divide the features of a regression that their lengths help."""
    X, Y = texts()
    both = np.column_stack([Y, texts(long=False)[1][:, 1]])
    assert IBLR().fit(X, Y).unit_rows_
    assert IBLR(with_features=True).fit(X, Y).unit_rows_
    assert directions_pay(X, both, None, 10, "minkowski", True) != unit_rows_pay(X, both, None, True)
    assert not IBLR(with_features=True).fit(X, both).unit_rows_


@pytest.mark.parametrize(
    "model",
    [BinaryRelevance(), ConditionalTree(), MixtureOfTrees(2, random_state=0)],
    ids=lambda model: type(model).__name__,
)
def test_it_is_the_model_of_normalised_rows(model):
    """Red where rows are divided by their length in training and not in an answer."""
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
    """Red where lengths are summed in another order, by whose last bits the rows' folds would be drawn."""
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
    """Red where an estimator around another asks it about rows of other lengths."""
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
    """Red where a model with given penalties or another learner gets other features than it was given."""
    X, Y = texts()
    assert not model.fit(X, Y).unit_rows_


def test_a_wrong_choice_is_told():
    X, Y = texts()
    with pytest.raises(ValueError, match=r"unit_rows is 'yes'; expected 'auto', True or False"):
        BinaryRelevance(unit_rows="yes").fit(X, Y)
