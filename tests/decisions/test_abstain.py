"""Abstention: no answer if the model is not confident enough."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decisions import Abstain, Constrained, Costs, Hamming
from setwise.inference.sets.enumeration import label_sets
from tests.decisions.losses import LOSSES, every_loss
from tests.decisions.oracle import codes, expected_losses
from tests.distributions.random_forests import random_mixture


@every_loss
def test_abstention_is_best_where_it_costs_what_is_said(name):
    rule, loss = LOSSES[name]
    mixture = random_mixture(3, n_rows=30, n_labels=4)
    expected = expected_losses(mixture, loss)
    decided = mixture.decide(Abstain(0.6, rule))
    none = (decided.labels == -1).all(axis=1)
    assert_array_equal(none, expected.min(axis=1) > 0.4)
    assert_allclose(decided.expected_loss, np.minimum(expected.min(axis=1), 0.4), atol=1e-10)
    assert_array_equal(codes(decided.labels[~none]), codes(mixture.take(~none).decide(rule).labels))


@pytest.mark.parametrize("confidence", [80, -0.1, np.nan])
@pytest.mark.parametrize("decision", ["subset", "f1", Hamming(), Constrained("jaccard", contains=[0])])
def test_confidence_is_a_share_where_the_loss_is(confidence, decision):
    """Red if percentages are accepted, so that no row ever gets an answer."""
    with pytest.raises(ValueError, match=rf"confidence is {confidence}; expected a number from 0 to 1"):
        Abstain(confidence, decision)


def test_costs_give_abstention_any_price():
    assert (random_mixture(0, n_labels=4).decide(Abstain(-7.0, Costs())).labels >= 0).all()
    with pytest.raises(ValueError, match="confidence is nan; expected a finite number"):
        Abstain(np.nan, Costs())


@every_loss
def test_the_loss_of_abstention(name):
    """Red if abstaining does not cost ``1 - confidence``, or an answer not its own loss."""
    rule, loss = LOSSES[name]
    sets = label_sets(4)
    answers = np.vstack([sets, np.full((1, 4), -1)])
    expected = np.array([[loss(truth, answer) for answer in sets] + [0.4] for truth in sets])
    assert_allclose(Abstain(0.6, rule).loss(sets[:, None], answers[None]), expected, atol=1e-12)
