"""The papers' own forms: every extra is switched off, and each switch does something."""

import numpy as np
import pytest

from setwise import (
    ConditionalBernoulliMixture,
    ConditionalDependencyNetwork,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    NaiBX,
)
from setwise.learning.mixtures.growing.growth import GrowthSettings, next_tree
from setwise.learning.mixtures.growing.tree_mixture import one_tree_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor
from setwise.learning.structure.tree import candidate_edges


def data(n=150):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(size=n) > 0
    Y = np.column_stack([first, first ^ (rng.random(n) < 0.2), X[:, 1] > 0.5, rng.random(n) < 0.03])
    return X, Y.astype(np.int8)


@pytest.mark.parametrize("cls", [MixtureOfTrees, MixtureOfTreeExperts])
def test_trees_grow_one_mixture_without_a_share_for_seen_sets(cls):
    X, Y = data()
    model = cls.as_published(n_components=2, l2=1.0, max_iter=3, random_state=0).fit(X, Y)
    assert model.mixture_sizes_.tolist() == [2]
    assert model.seen_share_ == 0.0
    assert model.min_labels_ == 0
    assert not model.unit_rows_


def test_parameters_can_be_changed():
    assert MixtureOfTrees.as_published(seen_share=0.1).seen_share == 0.1
    assert ConditionalBernoulliMixture.as_published(5, n_init=2).n_init == 2
    assert ConditionalBernoulliMixture.as_published(learner="boosting").tree_steps == "least_squares"
    assert ConditionalDependencyNetwork.as_published("svm", n_samples=50).n_samples == 50
    assert NaiBX.as_published("bernoulli").features == "bernoulli"


def test_without_noise_the_next_tree_needs_no_random_numbers():
    """Red if the switch is ignored: then two seeds would learn two trees."""
    X, Y = data()
    rows = TrainingRows.of(X, Y)
    trees = {}
    for noise in (True, False):
        settings = GrowthSettings(2, None, "all", 1.0, 3, 0, noise=noise)
        first = one_tree_mixture(next_tree(None, rows, settings, np.random.default_rng(0), Monitor()), rows)
        trees[noise] = [
            next_tree(first, rows, settings, np.random.default_rng(seed), Monitor()).coef for seed in (1, 2)
        ]
    np.testing.assert_array_equal(*trees[False])
    assert not np.allclose(*trees[True])


def test_rare_labels_can_be_parents_if_asked():
    _, Y = data()
    P = np.full(Y.shape, 0.5)
    assert 3 not in candidate_edges(Y, P, None, "all").parent
    assert 3 in candidate_edges(Y, P, None, "all", min_rows=0).parent
