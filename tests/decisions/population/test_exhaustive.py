"""Decisions of batches attain the least expected loss of all answers to all rows."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, fbeta_score

from setwise.decisions import Constrained, MacroF, MicroF, Sizes
from tests.decisions.losses import as_table
from tests.decisions.population.batches import (
    all_batches,
    expected_losses,
    macro_by_hand,
    micro_by_hand,
)
from tests.distributions.random_forests import random_mixture

MEASURES = {"macro": (MacroF, macro_by_hand), "micro": (MicroF, micro_by_hand)}
SHAPES = [(1, 3), (2, 3), (3, 2), (6, 1), (4, 1)]
every_measure = pytest.mark.parametrize("name", MEASURES)


def batch(seed, n_rows, n_labels, kind="forest"):
    mixture = random_mixture(seed, n_labels=n_labels, kind=kind)
    rows = np.resize(np.arange(mixture.n_rows), n_rows)
    return mixture.take(rows)


@every_measure
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("beta", "empty"), [(1.0, 0.0), (2.0, 1.0), (0.7, 0.5)])
def test_no_answer_to_the_batch_is_better(name, shape, beta, empty):
    """Red if the dependence of the labels of a row, the convention for empty columns or beta is lost."""
    rule, by_hand = MEASURES[name]
    for seed in range(2):
        joint = batch(seed, *shape, kind=["forest", "deterministic"][seed])
        expected = expected_losses(joint, by_hand, beta, empty)
        for family in (joint, as_table(joint)):
            decided = family.decide(rule(beta, empty))
            own = (all_batches(*shape) == decided.labels).all(axis=(1, 2))
            np.testing.assert_allclose(expected[own], expected.min(), atol=1e-10)
            np.testing.assert_allclose(decided.expected_loss, expected.min(), atol=1e-10)
            assert decided.certified.all()
            assert not decided.standard_error.any()


@every_measure
def test_constrained_answers_state_their_exact_loss_and_are_close_to_the_best(name):
    """Red if constraints are ignored, or if the search stops at its first answer."""
    rule, by_hand = MEASURES[name]
    gaps = []
    for seed in range(8):
        joint = batch(seed, 2, 3)
        expected = expected_losses(joint, by_hand)
        batches = all_batches(2, 3)
        listed = (batches == [0, 1, 1]).all(axis=2) | (batches == [1, 0, 0]).all(axis=2)
        for constrained, fits in (
            (Sizes(2, 2, rule()), batches.sum(axis=2) == 2),
            (Constrained(rule(), implies=[(0, 1)]), batches[:, :, 0] <= batches[:, :, 1]),
            (Constrained(rule(), among=[[0, 1, 1], [1, 0, 0]]), listed),
        ):
            decided = joint.decide(constrained)
            own = int(np.flatnonzero((batches == decided.labels).all(axis=(1, 2)))[0])
            assert fits[own].all()
            np.testing.assert_allclose(decided.expected_loss, expected[own], atol=1e-10)
            gaps.append(expected[own] - expected[fits.all(axis=1)].min())
            if decided.certified.all():
                assert gaps[-1] < 1e-10
    assert np.mean(gaps) < 0.01
    assert np.mean(np.array(gaps) < 1e-10) > 0.6


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_a_batch_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    Y, P = rng.integers(0, 2, (2, 12, 4))
    assert MacroF().loss(Y, P) == pytest.approx(1 - f1_score(Y, P, average="macro"))
    assert MicroF(2.0).loss(Y, P) == pytest.approx(1 - fbeta_score(Y, P, beta=2, average="micro"))
    assert MacroF().loss(np.stack([Y, Y]), np.stack([P, Y]))[1] == 0
