"""Artificial data: the truth is the truth."""

import numpy as np
import pytest

from setwise.datasets import make_cbm


def test_the_upper_bounds_are_near_the_papers():
    """Red if noise or draws are put where the paper has none; means of five seeds."""
    bounds = {("argmax", 0.0): 1.0, ("argmax", 1.2): 0.764, ("sample", 0.0): 0.652, ("sample", 2.6): 0.481}
    for (mode, noise), printed in bounds.items():
        values = []
        for seed in range(5):
            data, truth = make_cbm(4000, mode=mode, noise=noise, random_state=seed)
            values.append((truth.mode(data.X) == data.Y).all(axis=1).mean())
        assert np.mean(values) == pytest.approx(printed, abs=0.05)


def test_draws_follow_the_true_distribution():
    data, truth = make_cbm(20_000, random_state=3)
    marginals = truth.distribution(data.X).marginals()
    error = np.sqrt((marginals * (1 - marginals)).sum(axis=0))
    assert (np.abs((data.Y - marginals).sum(axis=0)) < 4 * error).all()


def test_a_seed_repeats_the_data():
    one, two = make_cbm(50, random_state=1)[0], make_cbm(50, random_state=1)[0]
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.Y, two.Y)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="mode is 'best'"):
        make_cbm(10, mode="best")
