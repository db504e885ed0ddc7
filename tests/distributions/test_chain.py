"""Chains against the enumeration of all label sets, along every search."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

from setwise.contract import FREE
from setwise.distributions import Chain
from setwise.distributions.chain import SEARCHES
from setwise.inference.chains import sums as chain_sums
from setwise.inference.chains.beam import Beam
from setwise.inference.chains.best_first import BestFirst
from setwise.inference.chains.conditionals import Linear
from setwise.inference.chains.epsilon import Epsilon
from setwise.inference.chains.monte_carlo import MonteCarlo
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import possible_evidence, restricted, yield_checks


@dataclass(frozen=True)
class Wrapped:
    """Any conditionals hidden behind the protocol, so that the general paths run; some are certain."""

    linear: Linear
    certain: bool = False

    @property
    def shape(self):
        return self.linear.shape

    def logits(self, position, rows, prefix):
        z = self.linear.logits(position, rows, prefix)
        return np.where(np.abs(z) > 3, np.copysign(np.inf, z), z) if self.certain else z

    def take(self, rows):
        return Wrapped(self.linear.take(rows), self.certain)


def random_chain(seed, n_labels=5, n_rows=3, kind="linear", search="best_first"):
    rng = np.random.default_rng(seed)
    linear = Linear(
        rng.normal(scale=2, size=(n_rows, n_labels)),
        np.triu(rng.normal(scale=2, size=(n_labels, n_labels)), 1),
    )
    conditionals = linear if kind == "linear" else Wrapped(linear, kind == "certain")
    return Chain(conditionals, rng.permutation(n_labels), search=search)


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_labels=st.integers(1, 6),
    kind=st.sampled_from(["linear", "any", "certain"]),
    search=st.sampled_from(["best_first", "exhaustive", Beam(64)]),
)
def test_equals_enumeration(check, seed, n_labels, kind, search):
    """Red if any answer differs from the sum or maximum over all label sets; a beam of 2^L must not."""
    check(random_chain(seed, n_labels, 3, kind, search), np.random.default_rng(0))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_chain_is_tempered_before_its_evidence(seed):
    """Red if tempering forgets what was observed, or keeps the probability that it had before."""
    chain = random_chain(seed)
    evidence = possible_evidence(chain, np.random.default_rng(0))
    one, other = chain.condition(evidence).tempered(2.5), chain.tempered(2.5).condition(evidence)
    assert_allclose(np.exp(all_log_probs(one)), np.exp(all_log_probs(other)), atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), min_labels=st.integers(0, 2), name=st.sampled_from(list(SEARCHES)))
def test_every_search_finds_a_set_and_certificates_are_true(seed, min_labels, name):
    """Red if a certified set is not the best, a gap does not reach it, or a set is too small."""
    for kind in ("linear", "any"):
        chain = random_chain(seed, 6, 4, kind, name)
        answer = chain.find_mode(least=min_labels)
        assert (answer.labels.sum(axis=1) >= min_labels).all()
        assert_allclose(chain.log_prob(answer.labels), answer.log_prob, rtol=1e-9)
        log_p = np.where(label_sets(6).sum(axis=1) >= min_labels, all_log_probs(chain), -np.inf).max(axis=1)
        assert_allclose(answer.log_prob[answer.certified], log_p[answer.certified], rtol=1e-9)
        assert (answer.log_prob + answer.gap >= log_p - 1e-9).all()


def test_greedy_takes_the_likelier_value_in_turn():
    chain = random_chain(1, 6, 20, search="greedy")
    y = np.zeros((20, 6), dtype=np.int8)
    for j, label in enumerate(chain.order):
        y[:, label] = chain.conditionals.logits(j, np.arange(20), y[:, chain.order[:j]]) > 0
    assert_array_equal(chain.mode().labels, y)


def test_epsilon_finds_every_mode_that_is_so_probable():
    """Red if a set more probable than epsilon is missed."""
    chain = random_chain(2, 8, 60, search=Epsilon(0.25))
    best = all_log_probs(chain).max(axis=1)
    found = chain.mode()
    probable = best >= np.log(0.25)
    assert 10 < probable.sum() < 60
    assert_allclose(found.log_prob[probable], best[probable])
    assert found.certified[probable].all()


def test_a_budget_is_reported_with_a_gap_that_holds(monkeypatch):
    monkeypatch.setattr("setwise.inference.chains.best_first.FALLBACK_WIDTH", 2)
    chain = random_chain(3, 12, 40)
    best = chain.mode().log_prob
    short = Chain(chain.conditionals, chain.order, search=BestFirst(budget=3)).mode()
    assert not short.certified.all()
    assert (short.gap[~short.certified] > 0).all()
    assert (short.log_prob + short.gap >= best - 1e-9).all()
    assert (short.labels != FREE).all()


def test_monte_carlo_is_never_worse_than_greedy():
    chain = random_chain(4, 9, 50)
    modes = [
        Chain(chain.conditionals, chain.order, search=search).mode().log_prob
        for search in ("greedy", MonteCarlo(5), MonteCarlo(200), "best_first")
    ]
    for worse, better in itertools.pairwise(modes):
        assert (better >= worse - 1e-12).mean() > 0.9
    assert (modes[2] >= modes[0] - 1e-12).all()


@pytest.mark.parametrize("kind", ["linear", "any"])
def test_sampled_answers_are_within_their_error(kind, monkeypatch):
    """Red if an answer from draws leaves six standard errors around the enumeration."""
    chain = random_chain(5, 6, 4, kind)
    evidence = np.array([[-1, 1, -1, -1, 0, -1]] * 4, dtype=np.int8)
    given = chain.condition(evidence)
    exact = chain.marginals(), chain.size_probs(), np.exp(chain.log_prob(evidence)), given.marginals()
    entropy = chain.entropy().value
    monkeypatch.setattr(chain_sums, "ENUMERATED_LABELS", 0)
    assert chain.sampled
    given = chain.condition(evidence)
    drawn = chain.marginals(), chain.size_probs(), np.exp(chain.log_prob(evidence)), given.marginals()
    for truth, seen in zip(exact[:3], drawn[:3]):
        assert_allclose(seen, truth, atol=6 * 0.5 / np.sqrt(chain_sums.N_DRAWS))
    assert_allclose(drawn[3], exact[3], atol=0.2)
    estimate = chain.entropy()
    assert estimate.method == "sampled"
    assert (np.abs(estimate.value - entropy) <= 6 * estimate.standard_error).all()


@pytest.mark.parametrize(("position", "exact"), [(None, True), (0, True), (11, False)])
def test_a_long_chain_says_whether_it_weighs_sets_exactly(position, exact):
    """Red if it says so after evidence whose probability is estimated, or does not where it is exact."""
    chain = random_chain(6, 12)
    evidence = np.full((3, 12), FREE, dtype=np.int8)
    if position is not None:
        evidence[:, chain.order[position]] = 1
    given = chain.condition(evidence)
    joint = restricted(chain, evidence)
    truth = joint - logsumexp(joint, axis=1, keepdims=True)
    assert given.sampled
    assert given.weighs_sets == exact
    assert np.allclose(all_log_probs(given), truth, rtol=1e-9) == exact


def test_evidence_on_the_first_labels_is_exact_however_long_the_chain():
    """Red if a prefix is sampled: its probability is a product of conditionals."""
    chain = random_chain(6, 40, 5)
    evidence = np.full((5, 40), FREE, dtype=np.int8)
    evidence[:, chain.order[:2]] = [1, 0]
    first = chain.conditionals.offsets[:, 0]
    second = chain.conditionals.offsets[:, 1] + chain.conditionals.coupling[0, 1]
    truth = 1 / (1 + np.exp(-first)) / (1 + np.exp(second))
    assert_allclose(np.exp(chain.log_prob(evidence)), truth)
    given = chain.condition(evidence)
    assert_allclose(given.marginals()[:, chain.order[:2]], [[1, 0]] * 5)
    draws = given.sample(3, np.random.default_rng(0))
    assert (draws[..., chain.order[:2]] == [1, 0]).all()


class TestErrors:
    def test_order(self):
        with pytest.raises(ValueError, match=r"expected each of 0\.\.1 once"):
            Chain(Linear(np.zeros((1, 2)), np.zeros((2, 2))), [0, 0])

    def test_searches(self):
        with pytest.raises(ValueError, match="'greedy', 'beam', 'best_first'"):
            Chain(Linear(np.zeros((1, 2)), np.zeros((2, 2))), search="best")
        with pytest.raises(ValueError, match="width is 0"):
            Beam(0)
        with pytest.raises(ValueError, match="epsilon is 0"):
            Epsilon(0)

    def test_too_many_labels_to_enumerate(self):
        chain = random_chain(0, 25, search="exhaustive")
        with pytest.raises(RuntimeError, match="best_first"):
            chain.mode()


def test_errors_stated_under_evidence_are_true():
    """Red if draws resampled from weighted ones count as independent: errors would be several times too small."""
    scores = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        coupling = np.triu(rng.normal(size=(12, 12)), 1)
        chain = Chain(Linear(rng.normal(size=(1, 12)), coupling), np.arange(12))
        evidence = np.full((1, 12), FREE)
        evidence[0, -1] = rng.integers(2)
        given = chain.condition(evidence)
        P = np.exp(all_log_probs(chain)) * (label_sets(12)[:, -1] == evidence[0, -1])
        truth = (P / P.sum()) @ label_sets(12)
        answer = given.decide("hamming")
        expected = np.where(answer.labels[0] == 1, 1 - truth[0], truth[0]).mean()
        scores.append((answer.expected_loss[0] - expected) / answer.standard_error[0])
    assert np.sqrt(np.mean(np.square(scores))) < 1.5
