"""Naive Bayes on columns of both kinds, against scikit-learn's two."""

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from setwise.papers.mixed_naive_bayes import MixedNaiveBayes


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    numbers = rng.normal(size=(120, 4)) + y[:, None]
    marks = (rng.random((120, 3)) < 0.2 + 0.2 * y[:, None]).astype(float)
    return numbers, marks, y, rng.random(120)


def test_columns_of_one_kind_are_scikit_learns(data):
    """Red if a kind of columns is given to the other model, or weights are lost."""
    numbers, marks, y, weights = data
    for X, theirs in ((numbers, GaussianNB()), (marks, BernoulliNB())):
        expected = theirs.fit(X, y, weights).predict_proba(X)
        np.testing.assert_allclose(MixedNaiveBayes().fit(X, y, weights).predict_proba(X), expected, rtol=1e-9)


def test_both_kinds_multiply_and_the_prior_counts_once(data):
    """Red if the prior counts twice, or not at all."""
    numbers, marks, y, _ = data
    p = GaussianNB().fit(numbers, y).predict_proba(numbers) * BernoulliNB().fit(marks, y).predict_proba(marks)
    p /= np.bincount(y)
    ours = MixedNaiveBayes().fit(np.hstack([marks, numbers]), y).predict_proba(np.hstack([marks, numbers]))
    np.testing.assert_allclose(ours, p / p.sum(axis=1, keepdims=True), rtol=1e-9)
