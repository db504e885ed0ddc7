"""Precision at k: the best answer of k labels, compared with the enumeration of all of them."""

import numpy as np
import pytest

from setwise.decisions import Constrained, PrecisionAtK
from setwise.inference.sets.enumeration import label_sets
from tests.decisions.losses import as_table
from tests.decisions.oracle import allowed, assert_best, expected_losses
from tests.distributions.random_forests import random_mixture

WEIGHTS = (1.0, 5.0, 0.0, 2.0, 0.5)


def precision_loss(weights, k):
    def loss(truth, answer):
        return 1 - sum(w for w, t, a in zip(weights, truth, answer) if t and a) / k

    return loss


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_no_answer_of_k_labels_is_better(k, weights):
    """Red if weights are ignored or a label of weight zero is left out of the k."""
    loss = precision_loss(weights or (1.0,) * 5, k)
    for seed in range(4):
        mixture = random_mixture(seed, n_labels=5)
        for family in (mixture, as_table(mixture)):
            expected = expected_losses(family, loss)
            assert_best(family.decide(PrecisionAtK(k, weights)), expected, allowed(5, sizes=(k, k)))


def test_constraints():
    loss = precision_loss(WEIGHTS, 2)
    catalogue = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 1, 1, 0, 0]]
    for seed in range(4):
        mixture = random_mixture(seed, n_labels=5)
        expected = expected_losses(mixture, loss)
        rule = PrecisionAtK(2, WEIGHTS)
        fits = allowed(5, sizes=(2, 2), implies=[(1, 2)], off=[3])
        assert_best(mixture.decide(Constrained(rule, implies=[(1, 2)], excludes=[3])), expected, fits)
        listed = (label_sets(5)[:, None] == np.array(catalogue[:2])).all(axis=2).any(axis=1)
        assert_best(mixture.decide(Constrained(rule, among=catalogue)), expected, listed)


def test_an_estimator_answers_k_labels_even_if_one_is_enough():
    mixture = random_mixture(0, n_labels=5).restricted(min_labels=1)
    assert (mixture.decide("precision_at_3").labels.sum(axis=1) == 3).all()
    assert (mixture.predict("precision_at_5") == 1).all()


def test_bad_parameters_are_named():
    mixture = random_mixture(0, n_labels=2)
    with pytest.raises(ValueError, match="answers 3 of 2 labels"):
        mixture.decide("precision_at_3")
    with pytest.raises(ValueError, match="weights"):
        mixture.decide(PrecisionAtK(1, weights=[-1, 2]))
    with pytest.raises(ValueError, match="k is 0"):
        PrecisionAtK(0)
