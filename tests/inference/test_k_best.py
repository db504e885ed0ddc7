import numpy as np
from hypothesis import given, settings
from numpy.testing import assert_allclose

from setwise.distributions import ForestMixture
from setwise.inference.enumeration import all_log_probs
from setwise.inference.k_best import k_best
from tests.distributions.random_forests import mixtures


@settings(max_examples=40, deadline=None)
@given(mixture=mixtures)
def test_each_forest_in_falling_order(mixture):
    """Red when a component's list misses a set, repeats one, or is out of order."""
    labels, log_prob = k_best(mixture.forests, 6)
    for k in range(mixture.n_components):
        alone = ForestMixture(
            np.zeros((mixture.n_rows, 1)), mixture.forests.logits[:, [k]], mixture.forests.parents[[k]]
        )
        truth = -np.sort(-all_log_probs(alone), axis=1)[:, :6]
        assert_allclose(log_prob[:, k, : truth.shape[1]], truth, rtol=1e-10, atol=1e-10)
        for rank in range(truth.shape[1]):
            found = truth[:, rank] > -np.inf
            scores = alone.take(found).log_prob(labels[found, k, rank])
            assert_allclose(scores, truth[found, rank], rtol=1e-10, atol=1e-10)
