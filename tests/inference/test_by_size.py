"""Labels and sizes together, where there are too many labels to enumerate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_softmax

from setwise.distributions import ForestMixture
from tests.distributions.random_forests import random_parents


def mixture(seed, n_labels, mean, kind="independent", n_components=6):
    rng = np.random.default_rng(seed)
    V = 1 if kind == "independent" else 2
    shape = (4, n_components, n_labels, V)
    parents = random_parents(rng, n_components, n_labels, 0.0 if V == 1 else 0.7)
    gate = log_softmax(rng.normal(size=shape[:2]), axis=1)
    return ForestMixture(gate, rng.normal(mean, 1.5, size=shape), parents)


@pytest.mark.parametrize("kind", ["independent", "forest"])
@pytest.mark.parametrize("mean", [-4.0, 0.0, 4.0])
def test_the_quadrature_equals_the_sum_over_sizes(kind, mean):
    """Red when there are too few nodes; also where nearly all labels are on, so that weights underflow."""
    joint = mixture(1, 60, mean, kind)
    sizes, offsets = np.arange(1, 61)[:, None], np.arange(61.0)
    together = joint.joint_size_marginals()
    assert_allclose(together.sum(axis=2), joint.marginals(), atol=1e-12)
    assert_allclose(together.sum(axis=1), joint.size_probs() * np.arange(61), atol=1e-10)
    for weight in (1.0, 4.0, 0.25):
        truth = together[:, :, 1:] @ (1.0 / (weight * sizes + offsets))
        assert_allclose(joint.reciprocal_moments(weight, offsets), truth, rtol=0, atol=1e-11)


@pytest.mark.parametrize("mean", [-4.0, 0.0, 4.0])
def test_larger_sizes_are_negligible(mean):
    joint = mixture(2, 80, mean, "forest")
    beyond = np.arange(81) > joint.size_bound()[:, None]
    assert ((joint.size_probs() * beyond).sum(axis=1) < 2e-13).all()


@pytest.mark.parametrize("kind", ["independent", "forest"])
def test_many_labels_more_than_are_likely(kind):
    """Among 150 unlikely labels the best set of at least six: hopeless with bounds that ignore the size."""
    joint = mixture(3, 150, -4.0, kind)
    best = joint.mode(min_labels=6)
    assert best.certified.all()
    assert (best.labels.sum(axis=1) >= 6).all()
    assert_allclose(best.log_prob, joint.log_prob(best.labels))
    draws = joint.sample(2000, np.random.default_rng(0))
    large = [
        joint.log_prob(draws[:, s])[(draws[:, s].sum(axis=1) >= 6)].max(initial=-np.inf) for s in range(200)
    ]
    assert max(large) <= best.log_prob.max()


def test_one_size_of_independent_labels_is_the_best_labels():
    joint = mixture(4, 30, -1.0, n_components=1)
    for size in (0, 1, 7, 30):
        labels = joint.mode_of_sizes(size, size).labels
        ranked = np.argsort(-joint.marginals(), axis=1)[:, :size]
        assert (np.take_along_axis(labels, ranked, axis=1) == 1).all()
        assert (labels.sum(axis=1) == size).all()


def test_nothing_found_within_the_budget_is_no_proof():
    """Red where a search that ran out with no set in hand says that there is none."""
    i = np.inf
    logits = np.array([[[[i], [-1.0], [-1.0], [-1.0], [1.0]], [[-i], [-1.0], [-i], [-i], [-i]]]])
    mixture = ForestMixture(np.log([[0.5, 0.5]]), logits, np.full((2, 5), -1))
    short, whole = mixture.mode_of_sizes(3, 3, budget=1), mixture.mode_of_sizes(3, 3)
    assert whole.certified.all()
    assert short.certified.all() == (short.log_prob == whole.log_prob).all()
