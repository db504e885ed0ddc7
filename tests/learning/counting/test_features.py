import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.stats import norm

from setwise.learning.counting.features import BernoulliCounts, MultinomialCounts
from setwise.learning.counting.gaussian import GaussianCounts
from setwise.learning.counting.labels import LabelCounts, Members
from setwise.learning.counting.smoothing import Smoothing


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(loc=3.0, size=(60, 4)), rng.integers(0, 2, (60, 5), np.int8)


def test_table_2_row_by_row(rows):
    """Algorithm 1 as printed, plus the N_ym it forgets."""
    X, Y = rows
    N_y, N_m = np.zeros(5), np.zeros(6)
    N_yy, N_ym = np.zeros((5, 5)), np.zeros((5, 6))
    mu, M2 = np.zeros((5, 4)), np.zeros((5, 4))
    for x, y in zip(X, Y):
        labels, m = np.flatnonzero(y), y.sum()
        N_m[m] += 1
        for label in labels:
            N_y[label] += 1
            N_ym[label, m] += 1
            delta = x - mu[label]
            mu[label] += delta / N_y[label]
            M2[label] += delta * (x - mu[label])
            for other in labels[labels != label]:
                N_yy[label, other] += 1
    counts = LabelCounts.of(Y)
    assert counts.n_rows == 60
    for ours, theirs in (
        (counts.labels, N_y),
        (counts.sizes, N_m),
        (counts.pairs, N_yy),
        (counts.label_sizes, N_ym),
    ):
        assert_allclose(ours, theirs, rtol=1e-12)
    features = GaussianCounts.of(X, Members.of(Y, None), Smoothing())
    assert_allclose(features.mean[:5], mu, rtol=1e-10)
    assert_allclose(features.spread[:5] ** 2, M2, rtol=1e-9)


@pytest.mark.parametrize("family", [GaussianCounts, BernoulliCounts, MultinomialCounts])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_add_up_to_the_whole(family, holes, weighted, rows):
    X, Y = np.abs(rows[0]) - (0.5 if family is not MultinomialCounts else 0.0), rows[1]
    rng = np.random.default_rng(1)
    if holes:
        X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    w = rng.random(60) + 0.5 if weighted else None

    def count(at):
        return family.of(X[at], Members.of(Y[at], None if w is None else w[at]), Smoothing())

    whole, parts = count(slice(None)), count(slice(0, 13)) + (count(slice(13, 14)) + count(slice(14, 60)))
    every = np.ones(11, np.bool_)
    assert_allclose(parts.log_likelihood(X, every), whole.log_likelihood(X, every), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", [GaussianCounts, BernoulliCounts, MultinomialCounts])
def test_sparse_equals_dense(family, rows):
    X, Y = np.maximum(rows[0] - 3.0, 0.0), rows[1]
    members, every = Members.of(Y, None), np.ones(11, np.bool_)
    dense, sparse = (family.of(M, members, Smoothing()) for M in (X, sp.csr_array(X)))
    assert_allclose(sparse.log_likelihood(sp.csr_array(X), every), dense.log_likelihood(X, every), rtol=1e-10)


def test_weights_are_repetitions(rows):
    X, Y = rows
    w = np.random.default_rng(2).integers(1, 4, 60)
    repeated = np.repeat(np.arange(60), w)
    every = np.ones(11, np.bool_)
    for family in (GaussianCounts, BernoulliCounts):
        a = family.of(X, Members.of(Y, w.astype(float)), Smoothing())
        b = family.of(X[repeated], Members.of(Y[repeated], None), Smoothing())
        assert_allclose(a.log_likelihood(X, every), b.log_likelihood(X, every), rtol=1e-9)


def test_gaussian_densities():
    """Against scipy, with the paper's variance (N - 1) and no prior; up to a constant a row."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(50, 3)), rng.integers(0, 2, (50, 2), np.int8)
    counts = GaussianCounts.of(X, Members.of(Y, None), Smoothing(variance=0.0))
    ours = counts.log_likelihood(X, np.array([1, 1, 0, 0, 0], np.bool_))
    theirs = np.stack(
        [
            norm.logpdf(X, X[Y[:, j] == 1].mean(axis=0), X[Y[:, j] == 1].std(axis=0, ddof=1)).sum(axis=1)
            for j in range(2)
        ],
        axis=1,
    )
    assert_allclose(ours[:, 0] - ours[:, 1], theirs[:, 0] - theirs[:, 1], rtol=1e-9)


def test_a_class_seen_once_has_the_variance_of_the_column():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    Y = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], np.int8)
    for prior in (0.0, 1.0):
        counts = GaussianCounts.of(X, Members.of(Y, None), Smoothing(variance=prior))
        once = counts.log_likelihood(X, np.array([1, 0, 0, 0, 0], np.bool_))[:, 0]
        assert_allclose(once - once[0], -0.5 * X[:, 0] ** 2 / X.var(), rtol=1e-9, atol=1e-12)
