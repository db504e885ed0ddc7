"""The general F-measure maximiser."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.decisions import FBeta
from setwise.distributions import ForestMixture, Table
from tests.distributions.random_forests import random_mixture


def test_many_labels_beyond_the_first_sizes():
    """Equally likely single labels: the best F1 answer holds them all, far beyond the sizes tried first."""
    table = Table(np.eye(40, dtype=int), np.full((1, 40), -np.log(40)))
    decided = table.decide(FBeta())
    assert decided.labels.sum() == 40
    assert_allclose(decided.expected_loss, 1 - 2 / 41)
    spread = ForestMixture(
        np.full((1, 40), -np.log(40)), 60.0 * np.eye(40)[None, :, :, None] - 30, -np.ones((40, 40))
    )
    decided = spread.decide(FBeta())
    assert decided.labels.sum() == 40
    assert_allclose(decided.expected_loss, 1 - 2 / 41, atol=1e-10)


def test_beta_must_be_positive():
    with pytest.raises(ValueError, match="beta is 0; expected a number above 0"):
        random_mixture(0, n_labels=4).decide(FBeta(beta=0))
