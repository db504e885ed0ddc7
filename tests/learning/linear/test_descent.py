"""The memory of the batched L-BFGS, and what it does when that memory is of no use."""

import numpy as np
import pytest

from setwise.kernels import implementation
from setwise.learning.linear.descent import FIRST_MEMORY, MEMORY
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems


@pytest.fixture
def problems():
    """Rare targets of many correlated columns and hardly any penalty: descents that take long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60)) * np.logspace(0, 3, 60)
    Y = (rng.random((300, 4)) < 0.1).astype(float)
    return Design(X, standardize=False), LogisticProblems.of(Y, l2=1e-4)


def test_a_long_descent_remembers_the_last_pairs_in_their_order(problems, monkeypatch):
    """Red if pairs are lost when the memory grows, or met in another order than the last ones were made in."""
    design, batch = problems
    orders, newest = [], []

    def watched(*arguments, direction=implementation.lbfgs_direction):
        _, steps, _, _, order, *_ = arguments
        orders.append(order)
        newest.append(steps[order[-1], :, 0].copy() if len(order) else None)
        if len(order) > 1:
            np.testing.assert_array_equal(steps[order[-2], :, 0], newest[-2])
        return direction(*arguments)

    monkeypatch.setattr(implementation, "lbfgs_direction", watched)
    fit_logistic(design, batch.take(np.array([0])), tol=1e-12)
    sizes = [len(order) for order in orders]
    assert FIRST_MEMORY < MEMORY < len(sizes)
    assert sizes == [min(i, MEMORY) for i in range(len(sizes))]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_direction_that_overflows_is_replaced(problems, dtype, monkeypatch):
    """Red if a problem whose direction is not finite gets NaN for coefficients, or the others lose their way."""
    design, batch = problems
    design = design.single() if dtype == np.float32 else design
    expected, calls = fit_logistic(design, batch, tol=1e-6), []

    def broken(*arguments, direction=implementation.lbfgs_direction):
        found, dots = direction(*arguments)
        calls.append(1)
        if len(calls) in (3, 7):
            found[:, 1] = dots[:, 1] = np.inf
        return found, dots

    monkeypatch.setattr(implementation, "lbfgs_direction", broken)
    fit = fit_logistic(design, batch, tol=1e-6)
    assert len(calls) > 7
    assert np.isfinite(fit.coef).all()
    np.testing.assert_allclose(fit.objective, expected.objective, rtol=1e-3)
