"""If sums are estimated from draws, decisions say so and have a correct standard error."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.decisions import Constrained, Costs, FBeta, Hamming, Jaccard, Sizes, Subset
from setwise.distributions import Chain, DependencyNetwork
from setwise.inference.chains.conditionals import Linear
from setwise.inference.networks.gibbs import LinearConditionals
from setwise.inference.sets.enumeration import all_log_probs, label_sets

RULES = [Subset(), Hamming(), FBeta(), FBeta(beta=2.0), Jaccard(), Costs(1.0, 3.0)]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)


@pytest.fixture(scope="module")
def chain():
    """Eleven labels: one more than chains sum over exactly."""
    rng = np.random.default_rng(0)
    return Chain(Linear(rng.normal(-1, 1, size=(4, 11)), np.triu(rng.normal(size=(11, 11)), 1)))


def test_a_chains_best_set_needs_no_draws(chain, monkeypatch):
    """The probability of one set is exact where sums are not. Red if 1000 draws a row are made to say so."""
    monkeypatch.setattr(Chain, "draws", None)
    decided = chain.decide(Subset())
    np.testing.assert_allclose(
        1.0 - decided.expected_loss, np.exp(all_log_probs(chain)).max(axis=1), rtol=1e-10
    )
    assert decided.certified.all()
    assert not decided.standard_error.any()


@pytest.mark.parametrize("rule", RULES[1:], ids=repr)
def test_a_chains_loss_is_near_the_truth(chain, rule):
    decided = chain.decide(rule)
    P, sets = np.exp(all_log_probs(chain)), label_sets(11)
    truth = np.array([p @ rule.loss(sets, y) for p, y in zip(P, decided.labels)])
    assert not decided.certified.any()
    assert (np.abs(decided.expected_loss - truth) < 5 * decided.standard_error + 1e-3).all()


@pytest.mark.parametrize("rule", [Hamming(), Costs(1.0, 3.0), FBeta()], ids=repr)
def test_answers_need_no_draws_of_their_loss(chain, rule, monkeypatch):
    """Red if `predict` draws sets for the error of a loss that it does not report, or answers otherwise for it."""
    decided = chain.decide(rule).labels
    monkeypatch.setattr(Chain, "draws", None)
    assert_array_equal(chain.predict(rule), decided)


@every_rule
def test_a_chains_constraints_hold(chain, rule):
    asked = Constrained(rule, contains=[2], implies=[(0, 1)], exclusive=[(3, 4)], min_labels=2, max_labels=5)
    labels = chain.decide(asked).labels
    assert (labels[:, 2] == 1).all()
    assert (labels[:, 0] <= labels[:, 1]).all()
    assert (labels[:, 3] + labels[:, 4] <= 1).all()
    assert ((labels.sum(axis=1) >= 2) & (labels.sum(axis=1) <= 5)).all()


def test_the_most_probable_set_of_a_size_on_a_chain(chain):
    """A chain's list of best sets proves its mode, so the first of the right size on it is the best one."""
    log_p, sets = all_log_probs(chain), label_sets(11)
    best = chain.find_mode(least=1, most=3)
    fits = (sets.sum(axis=1) >= 1) & (sets.sum(axis=1) <= 3)
    assert best.certified.all()
    np.testing.assert_allclose(best.log_prob, np.where(fits, log_p, -np.inf).max(axis=1))


@every_rule
def test_dependency_networks_answer_from_their_samples(rule):
    rng = np.random.default_rng(1)
    coupling = rng.normal(size=(5, 5))
    np.fill_diagonal(coupling, 0.0)
    network = DependencyNetwork(LinearConditionals(rng.normal(size=(6, 5)), coupling + coupling.T))
    decided = network.decide(rule)
    losses = rule.loss(network.draws(), decided.labels[:, None])
    np.testing.assert_allclose(decided.expected_loss, losses.mean(axis=1), atol=1e-9)
    assert (decided.standard_error > 0).all()
    assert not decided.certified.any()
    if isinstance(rule, Subset):
        assert_array_equal(decided.labels, network.mode().labels)
    assert (network.decide(Sizes(2, 2, rule)).labels.sum(axis=1) == 2).all()
