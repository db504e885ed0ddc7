"""Losses that are only known as functions."""

import numpy as np
import pytest

from setwise.decisions import FBeta, Jaccard, Loss
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.random_forests import random_mixture


@pytest.mark.parametrize(
    "rule", [Jaccard(), Loss(lambda t, a: 1 - (t & a).sum(-1) / np.maximum((t | a).sum(-1), 1))]
)
def test_estimates_keep_their_stated_error(rule):
    """Twelve labels: no enumeration inside, but the truth can be enumerated here."""
    mixture = random_mixture(8, n_rows=12, n_labels=12, kind="independent")
    decided = mixture.decide(rule)
    P, sets = np.exp(all_log_probs(mixture)), label_sets(12)
    truth = np.array([p @ rule.loss(sets, y) for p, y in zip(P, decided.labels)])
    assert (np.abs(decided.expected_loss - truth) <= 5 * decided.standard_error + 1e-9).all()
    assert not decided.certified.any()
    best_f1 = np.array([p @ rule.loss(sets, y) for p, y in zip(P, mixture.decide(FBeta()).labels)])
    assert truth.mean() <= best_f1.mean() + 1e-3


def test_a_loss_of_the_wrong_shape_is_an_error():
    with pytest.raises(ValueError, match="the loss function returned an array of shape"):
        random_mixture(0, n_labels=4).decide(Loss(lambda t, a: 1.0))
