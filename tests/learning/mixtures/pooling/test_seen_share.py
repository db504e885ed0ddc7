"""The share of the seen sets: the maximum of held-out likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from setwise.contract import FREE
from setwise.learning.mixtures.pooling.seen_share import UNSEEN, Lift, best_share, distinct_sets, lift


@pytest.mark.parametrize("seed", range(5))
def test_the_share_is_the_maximum_of_the_likelihood(seed):
    """Red if another share makes the rows, and half a row never seen, more probable; in parts or together."""
    rng = np.random.default_rng(seed)
    factor = np.where(rng.random(60) < 0.6, 1 / rng.uniform(0.1, 0.9, 60), 0.0)
    weights = rng.uniform(0.5, 2.0, 60)

    def loss(share):
        return -weights @ np.log(1 - share + share * factor) - UNSEEN * np.log(1 - share)

    truth = minimize_scalar(loss, bounds=(0, 1 - 1e-9), method="bounded", options={"xatol": 1e-9}).x
    parts = [Lift(factor[:20], weights[:20]), Lift(factor[20:], weights[20:])]
    assert best_share(parts) == pytest.approx(truth, abs=1e-5)


def test_no_share_where_seen_sets_are_rarer_than_the_model_says():
    assert best_share([Lift(np.repeat([1.1, 0.0], [50, 50]), np.ones(100))]) == 0
    assert best_share([]) == 0


def test_sets_never_seen_stay_possible():
    """Red if held-out rows that were all seen make other sets impossible."""
    assert 0.99 < best_share([Lift(np.full(1000, 2.0), np.ones(1000))]) < 1


def test_rows_that_weigh_much_or_were_all_but_impossible():
    """Red if a valid fit overflows or the solver fails."""
    assert 0.99 < best_share([Lift(np.full(300, 2.0), np.full(300, 1e8))]) < 1
    sets = np.array([[0, 1], [1, 1]], dtype=np.int8)
    far = lift(np.array([[-2000.0, -0.1]]), sets, np.array([-2000.0]), sets[:1], np.ones(1))
    assert np.isfinite(far.factor).all()
    gone = lift(np.array([[-0.1, -2000.0]]), sets, np.array([-2000.0]), sets[:1], np.ones(1))
    assert 0 < best_share([gone, Lift(np.zeros(5), np.ones(5))]) < 1


def test_the_lift_is_what_conditioning_on_the_seen_sets_gains():
    sets = np.array([[0, 1], [1, 1]], dtype=np.int8)
    Y = np.array([[1, 1], [0, 0], [1, FREE]], dtype=np.int8)
    log_probs = np.log([[0.1, 0.3], [0.2, 0.2], [0.1, 0.3]])
    found = lift(log_probs, sets, np.log([0.3, 0.5, 0.45]), Y, np.ones(3))
    np.testing.assert_allclose(found.factor, [2.5, 0.0, 0.75 / 0.45])


def test_sets_are_distinct_and_complete():
    Y = np.array([[0, 1], [0, 1], [1, FREE]], dtype=np.int8)
    np.testing.assert_array_equal(distinct_sets(Y), [[0, 1]])
