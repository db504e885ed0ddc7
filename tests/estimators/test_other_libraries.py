"""Neighbours, powersets and groups on real data, against scikit-multilearn-ng's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB

from setwise import LabelPowerset, MLkNN, RAkEL
from setwise.datasets import load

pytest.importorskip("skmultilearn", reason="scikit-multilearn-ng is not installed")

from skmultilearn.adapt import MLkNN as TheirMLkNN
from skmultilearn.ensemble import RakelD
from skmultilearn.problem_transform import LabelPowerset as TheirLabelPowerset


@pytest.fixture(params=["emotions", "yeast", "scene"])
def split(request, data_folder):
    data = load(request.param)
    X, Y = data.X.astype(np.float64), data.Y.astype(np.int64)
    return X[data.split], Y[data.split], X[~data.split], Y[~data.split]


def test_mlknn(split):
    """Red if priors, counts or Bayes' rule differ.

    By default, theirs counts a training row among its own neighbours. With an option to ignore the first neighbour, it
    also does so for new rows, which are not their own neighbours; so the option is set in training only.
    """
    X, Y, new, _ = split
    theirs = TheirMLkNN(k=10, ignore_first_neighbours=1).fit(X, Y)
    theirs.ignore_first_neighbours = 0
    ours = MLkNN(n_neighbors=10, scale_features=False, min_labels=0).fit(X, Y)
    some = new[:300]
    assert_allclose(ours.predict_proba(some), theirs.predict_proba(some).toarray(), rtol=1e-9)
    assert_array_equal(ours.predict(some), theirs.predict(some).toarray())


def test_powerset(split):
    """Red if a class is not the label set it stands for."""
    X, Y, new, _ = split
    theirs = TheirLabelPowerset(GaussianNB(), require_dense=[True, True]).fit(X, Y)
    ours = LabelPowerset(GaussianNB(), backoff=0, min_labels=0).fit(X, Y)
    assert_array_equal(ours.predict(new), theirs.predict(new).toarray())


def test_disjoint_groups(split):
    """Red if a group's answers land in other columns; the groups are those that theirs drew."""
    X, Y, new, _ = split
    theirs = RakelD(GaussianNB(), labelset_size=3, base_classifier_require_dense=[True, True])
    theirs.fit(X, Y)
    groups = theirs.classifier_.partition_
    ours = RAkEL(GaussianNB(), kind="disjoint", groups=groups, min_labels=0).fit(X, Y)
    assert_array_equal(ours.predict(new), theirs.predict(new).toarray())
