"""Moments of labels and sizes, with too many labels to enumerate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.distributions.large_mixtures import large_mixture


@pytest.mark.parametrize("kind", ["independent", "forest"])
@pytest.mark.parametrize("mean", [-4.0, 0.0, 4.0])
def test_the_quadrature_equals_the_sum_over_sizes(kind, mean):
    """Red if there are too few nodes, or if weights underflow when nearly all labels are on."""
    joint = large_mixture(1, 60, mean, kind)
    sizes, offsets = np.arange(1, 61)[:, None], np.arange(61.0)
    together = joint.joint_size_marginals()
    assert_allclose(together.sum(axis=2), joint.marginals(), atol=1e-12)
    assert_allclose(together.sum(axis=1), joint.size_probs() * np.arange(61), atol=1e-10)
    for weight in (1.0, 4.0, 0.25):
        truth = together[:, :, 1:] @ (1.0 / (weight * sizes + offsets))
        assert_allclose(joint.reciprocal_moments(weight, offsets), truth, rtol=0, atol=1e-11)


@pytest.mark.parametrize("mean", [-4.0, 0.0, 4.0])
def test_sizes_beyond_the_bound_are_negligible(mean):
    """Red if Chernoff's bound cuts off sizes that still have a probability."""
    joint = large_mixture(2, 80, mean, "forest")
    beyond = np.arange(81) > joint.size_bound()[:, None]
    assert ((joint.size_probs() * beyond).sum(axis=1) < 2e-13).all()
