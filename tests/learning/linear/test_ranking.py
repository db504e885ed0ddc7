"""Rankings: sorted sums against loops over all pairs, the optimum against a general solver."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from setwise.learning.linear.design import Design
from setwise.learning.linear.ranking import best_thresholds, fit_ranking, pair_loss, ranking_loss


def example(seed, n=7, L=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, L)) * 2, rng.integers(0, 2, (n, L))


def loop(scores, y):
    on, off = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    losses = [max(0.0, 1 - scores[k] + scores[m]) ** 2 for k in on for m in off]
    return float(np.mean(losses)) if losses else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_loss_and_slope_are_those_of_all_pairs(seed):
    scores, Y = example(seed)
    found = pair_loss(scores, Y)
    np.testing.assert_allclose(found.loss, [loop(s, y) for s, y in zip(scores, Y)])
    for s, y, slope in zip(scores, Y, found.slope):
        np.testing.assert_allclose(slope, approx_fprime(s, loop, 1e-7, y), atol=1e-5)


def test_the_optimum_is_that_of_a_general_solver():
    """Red if the gradient, the penalty or its scale is wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    Y = (X @ rng.normal(size=(2, 3)) + rng.normal(size=(12, 3)) > 0).astype(np.int8)
    design, weights, C = Design(X), rng.random(12) + 0.5, 2.0

    def objective(flat):
        coef = flat.reshape(3, 3)
        losses = [loop(s, y) for s, y in zip(design.scores(coef), Y)]
        free = np.delete(coef, design.intercept, axis=0)
        return float(weights @ losses + 0.5 * design.total_variance / C * (free**2).sum())

    found = objective(fit_ranking(design, Y, weights, C).ravel())
    other = minimize(objective, np.zeros(9), method="Powell", options={"maxiter": 20000, "ftol": 1e-12}).fun
    assert found <= other + 1e-4


def test_thresholds_have_the_smallest_distance_of_the_labels_on_the_wrong_side():
    """Red if the threshold has another number of labels above it than the row has."""
    scores, Y = example(1)

    def wrong(s, y, t):
        return np.maximum(np.where(y == 1, t - s, s - t), 0.0).sum()

    for s, y, t in zip(scores, Y, best_thresholds(scores, Y)):
        assert wrong(s, y, t) <= min(wrong(s, y, u) for u in s) + 1e-12
        assert (s > t).sum() == y.sum()


def test_thresholds_move_with_the_scores():
    """Red if a threshold jumps as two scores change places: the order of the training rows would then matter."""
    Y = np.array([[1, 0, 0]])
    before, after = (best_thresholds(np.array([[1.0 + e, 1.0, 0.0]]), Y) for e in (1e-9, -1e-9))
    np.testing.assert_allclose(before, after, atol=1e-8)


def test_ranking_loss_counts_pairs():
    scores, Y = example(2)
    wrong = [
        np.mean([s[k] < s[m] for k in np.flatnonzero(y) for m in np.flatnonzero(1 - y)] or [0.0])
        for s, y in zip(scores, Y)
    ]
    assert ranking_loss(scores, Y, np.ones(len(Y))) == pytest.approx(np.mean(wrong))
