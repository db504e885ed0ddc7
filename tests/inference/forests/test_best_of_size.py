"""The most probable set of given sizes, with too many labels to enumerate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.distributions import ForestMixture
from tests.distributions.large_mixtures import large_mixture


@pytest.mark.parametrize("kind", ["independent", "forest"])
def test_more_labels_than_are_likely_are_found_with_a_proof(kind):
    """Red if the bounds ignore the size: the best set of at least six of 150 unlikely labels is then out of reach."""
    joint = large_mixture(3, 150, -4.0, kind)
    best = joint.find_mode(least=6)
    assert best.certified.all()
    assert (best.labels.sum(axis=1) >= 6).all()
    assert_allclose(best.log_prob, joint.log_prob(best.labels))
    draws = joint.sample(2000, np.random.default_rng(0))
    large = [
        joint.log_prob(draws[:, s])[(draws[:, s].sum(axis=1) >= 6)].max(initial=-np.inf) for s in range(200)
    ]
    assert max(large) <= best.log_prob.max()


def test_one_size_of_independent_labels_is_the_best_labels():
    """Red if a size is missed or the labels are not the likeliest."""
    joint = large_mixture(4, 30, -1.0, n_components=1)
    for size in (0, 1, 7, 30):
        labels = joint.find_mode(least=size, most=size).labels
        ranked = np.argsort(-joint.marginals(), axis=1)[:, :size]
        assert (np.take_along_axis(labels, ranked, axis=1) == 1).all()
        assert (labels.sum(axis=1) == size).all()


def test_a_search_out_of_budget_without_a_set_is_not_certified():
    """Red if a search that ran out of budget before it found a set claims that there is none."""
    i = np.inf
    logits = np.array([[[[i], [-1.0], [-1.0], [-1.0], [1.0]], [[-i], [-1.0], [-i], [-i], [-i]]]])
    mixture = ForestMixture(np.log([[0.5, 0.5]]), logits, np.full((2, 5), -1))
    short, whole = mixture.find_mode(least=3, most=3, budget=1), mixture.find_mode(least=3, most=3)
    assert whole.certified.all()
    assert short.certified.all() == (short.log_prob == whole.log_prob).all()
