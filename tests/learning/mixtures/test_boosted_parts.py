"""Boosted gates and experts."""

from types import SimpleNamespace

import numpy as np
import pytest

from setwise.contract import FREE
from setwise.learning.mixtures.boosted_parts import BoostedExperts, boosted_parts
from setwise.learning.mixtures.starts.label_start import fit_bernoulli_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.trees.growers import HistogramGrower, own_grower
from tests.learning.trees.boosting_data import rows


def grown(make_grower, data, n_steps=3):
    start = fit_bernoulli_mixture(data, 2, seed=0, n_init=1)
    parts = boosted_parts(data, start, 1e-5, make_grower)
    responsibilities = np.random.default_rng(1).dirichlet([0.5, 0.5], len(data))
    for _ in range(n_steps):
        for part in parts:
            part.update(responsibilities)
    return parts


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_by_bins_are_those_by_thresholds(dtype):
    """Red if a training row falls on one side of a split by its bin and on the other by its value."""
    data = rows(dtype)
    for part in grown(HistogramGrower, data):
        assert len(part.boosted.trees) > 10
        np.testing.assert_array_equal(part.boosted.values, part.scores()(data.X).T)


def test_the_values_come_back_with_the_state(make_grower):
    """Red if a state forgets a tree, or adds trees up in another order: a resumed fit would differ."""
    data = rows()
    start = fit_bernoulli_mixture(data, 2, seed=0, n_init=1)
    for part, fresh in zip(grown(make_grower, data), boosted_parts(data, start, 1e-5, make_grower)):
        fresh.restore(part.state())
        np.testing.assert_array_equal(fresh.boosted.values, part.boosted.values)
        np.testing.assert_array_equal(fresh.log_values(), part.log_values())


def test_scores_of_other_rows_follow_the_trees():
    """Red if a tree is counted twice or left out, or if sums of dropped or forgotten trees stay."""
    data = rows()
    held_out = data.take(np.arange(50))
    responsibilities = np.random.default_rng(2).dirichlet([0.5, 0.5], len(data))
    for part in grown(HistogramGrower, data):

        def check(part=part):
            np.testing.assert_array_equal(part.boosted.of_rows(held_out.X), part.scores()(held_out.X).T)

        check()
        state = part.state()
        part.update(responsibilities)
        check()
        part.restore(state)
        check()
        part.drop(np.array([False, True]))
        check()


def test_weighted_rows_are_grown_on_as_repeated_ones():
    """Red if a leaf or the choice of labels counts rows, or weights by their mean, instead of their weight."""
    data = rows().take(np.arange(40))
    data.Y[:, 2] = np.arange(40) == 2
    weighted = TrainingRows.of(data.X, data.Y, np.full(40, 5.0))
    repeated = TrainingRows.of(np.repeat(data.X, 5, axis=0), np.repeat(data.Y, 5, axis=0))
    logits = np.zeros((1, 3))
    values = []
    for some in (weighted, repeated):
        experts = BoostedExperts(some, logits, HistogramGrower(some.X, some.weights), 1e-5)
        experts.update(some.weights[:, None])
        assert set(experts.boosted.owner) == {0, 1, 2}
        values.append(experts.scores()(data.X))
    np.testing.assert_allclose(*values, rtol=1e-9)


def test_weights_that_are_shares_grow_trees():
    """Red if rows whose weights sum to one, as shares do, are taken for less than a row and nothing is learnt."""
    data = rows()
    shares = TrainingRows.of(data.X, data.Y, np.full(len(data), 1.0 / len(data)))
    start = SimpleNamespace(log_weights=np.zeros(1), logits=np.zeros((1, 3)))
    _, experts = boosted_parts(shares, start, 1e-5, own_grower)
    experts.update(shares.weights[:, None])
    assert np.ptp(experts.scores()(data.X), axis=0).min() > 0.0


def test_log_values_sum_the_known_labels():
    """Red if an unknown label counts, a label meets the logit of another, or a large logit overflows."""
    data = rows()
    logits = np.array([[0.3, -800.0, 2.0], [-1.0, 0.5, 800.0]])
    experts = BoostedExperts(data, logits, HistogramGrower(data.X, data.weights), 1e-5)
    experts.update(np.random.default_rng(1).dirichlet([1.0, 1.0], len(data)))
    z = experts.scores()(data.X).reshape(-1, 2, 3)
    Y = data.Y[:, None, :]
    log_p = -np.logaddexp(0.0, np.where(Y == 1, -z, z))
    truth = np.where(Y == FREE, 0.0, log_p).sum(axis=2)
    np.testing.assert_allclose(experts.log_values(), truth, rtol=1e-12)
    np.testing.assert_allclose(experts.log_values(data), truth, rtol=1e-12)
