"""Boosted stumps against a loop over every split, and the bound of boosting."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.learning.trees.stumps import boost_stumps


def example(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), 1) * (rng.random((n, 3)) < 0.6)
    Y = (X @ rng.normal(size=(3, 4)) + 0.5 * rng.normal(size=(n, 4)) > 0).astype(np.int8)
    return X, Y, rng.random(n) + 0.5


def smallest_z(X, Y, D):
    best = np.inf
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            Z = 0.0
            for side in (column <= cut, column > cut):
                on, off = (D * (Y == 1))[side].sum(0), (D * (Y == 0))[side].sum(0)
                Z += np.sqrt(on * off).sum()
            best = min(best, Z)
    return best


@pytest.mark.parametrize("seed", range(3))
def test_each_round_takes_the_best_split(seed):
    X, Y, w = example(seed)
    stumps = boost_stumps(X, Y, w, 4)
    scores = np.zeros(Y.shape)
    for r in range(4):
        D = w[:, None] * np.exp(np.where(Y == 1, -scores, scores))
        D /= D.sum()
        above = X[:, stumps.feature[r]] > stumps.threshold[r]
        sides = [((D * (Y == 1))[s].sum(0), (D * (Y == 0))[s].sum(0)) for s in (~above, above)]
        ours = sum(np.sqrt(a * b).sum() for a, b in sides)
        assert ours == pytest.approx(smallest_z(X, Y, D))
        for (on, off), votes in zip(sides, stumps.values[r]):
            smooth = 1 / Y.size
            np.testing.assert_allclose(votes, 0.5 * np.log((on + smooth) / (off + smooth)))
        scores += stumps.values[r][above.astype(int)]
    np.testing.assert_allclose(stumps.scores(X), scores)


def test_training_errors_are_below_the_exponential_loss_which_falls():
    X, Y, w = example(1)
    w = np.ones(len(Y))
    losses = []
    for rounds in (1, 5, 20):
        f = boost_stumps(X, Y, w, rounds).scores(X)
        losses.append(np.exp(np.where(Y == 1, -f, f)).mean())
        assert ((f > 0) != Y).mean() <= losses[-1]
    assert losses[0] > losses[1] > losses[2]


def test_sparse_rows_give_the_same_stumps():
    X, Y, w = example(2)
    dense, sparse = boost_stumps(X, Y, w, 6), boost_stumps(sp.csr_array(X), Y, w, 6)
    np.testing.assert_array_equal(dense.feature, sparse.feature)
    np.testing.assert_allclose(dense.values, sparse.values)


def test_constant_features_give_the_shares_of_the_labels():
    Y = np.array([[1, 0], [1, 0], [1, 1], [0, 0]], np.int8)
    f = boost_stumps(np.ones((4, 2)), Y, np.ones(4), 5).scores(np.ones((1, 2)))
    assert f[0, 0] > 0 > f[0, 1]
