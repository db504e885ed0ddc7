"""Neighbours of rows of counts: by ranges or by directions."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from setwise import (
    IBLR,
    MLkNN,
)
from setwise.kernels.matrices import unit_rows
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.counting.neighbours import NeighbourVotes, directions_help
from tests.learning.texts import texts


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_votes_choose_how_neighbours_are_found(form):
    """Red if directions are compared although lengths predict the labels, or lengths although they are noise."""
    for long in (True, False):
        X, Y = texts(long=long)
        for cls in (MLkNN, IBLR):
            assert cls().fit(form(X), Y).unit_rows_ == long


def test_weights_of_rows_count_in_the_choice():
    """Red if rows of weight 0 influence the choice: here all other rows are of the other kind."""
    (X, Y), (_, lengths) = texts(long=True), texts(long=False)
    for chosen, told in ((True, Y), (False, lengths)):
        kind = np.arange(300) < 120
        labels = np.where(kind[:, None] == chosen, Y, lengths)
        weights = np.where((labels == told).all(axis=1), 1.0, 1e-9)
        assert directions_help(X, labels, weights, 10, "minkowski", True) == chosen


def test_neighbours_are_tried_on_counts_by_the_usual_metric_only(monkeypatch):
    """Red if a trial is made that is not wanted or cannot win."""

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
    """Red if rare words weigh as much as frequent ones after rows were divided by their length."""
    X, Y = texts()
    for cls in (MLkNN, IBLR):
        model, plain = cls().fit(X, Y), cls(scale_features=False, unit_rows=False).fit(unit_rows(X), Y)
        assert model.unit_rows_
        assert_allclose(model.predict_proba(X), plain.predict_proba(unit_rows(X)))


def test_the_trial_is_of_what_is_fitted_and_of_some_rows(monkeypatch):
    """Red if the trial divides unit rows by ranges too, or takes all rows of many."""
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
