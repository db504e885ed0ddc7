import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from setwise import FREE, NotTractable
from setwise.distributions import Cascade
from setwise.distributions.greedy import Greedy
from setwise.inference.cascades.cascade import NaiveBayesSteps, greedy
from setwise.inference.cascades.orders import subset_log_probs
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import yield_checks
from tests.distributions.random_cascades import random_cascade

small = st.builds(
    random_cascade,
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 4),
    n_labels=st.integers(1, 6),
    search=st.just("exact"),
)


@pytest.mark.parametrize(
    "check",
    list(yield_checks(skip={"check_condition", "check_impossible_evidence"})),
    ids=lambda c: c.__name__,
)
@settings(max_examples=20, deadline=None)
@given(cascade=small)
def test_equals_enumeration(check, cascade):
    """Red if any answer of the family differs from the sum or maximum over all label sets."""
    check(cascade, np.random.default_rng(0))


def by_orders(cascade, row, labels):
    """The probability of a set, order by order, from the definition in the paper."""
    steps, total = cascade.steps, 0.0
    for order in itertools.permutations(labels):
        p = np.exp(cascade.log_sizes[row, len(labels)])
        chosen = np.zeros(cascade.n_labels, np.int8)
        for label in order:
            scores = np.exp(steps.scores(np.array([row]), np.array([len(labels)]), chosen[None])[0])
            p *= scores[label] / scores[chosen == 0].sum()
            chosen[label] = 1
        total += p
    return total


def test_the_probability_of_a_set_is_the_sum_over_its_orders():
    cascade = random_cascade(1, n_rows=2, n_labels=5)
    for sets in label_sets(5):
        truth = [by_orders(cascade, i, np.flatnonzero(sets)) for i in range(2)]
        assert_allclose(np.exp(cascade.log_prob([sets, sets])), truth, rtol=1e-12)


def test_large_sets_are_estimated_without_bias_and_flagged():
    """Red if the estimate is off by more than six of its standard errors, or is not flagged as inexact."""
    cascade = random_cascade(2, n_rows=2, n_labels=16, scale=0.7)
    Y = np.zeros((2, 16), np.int8)
    Y[0, :12], Y[1, :13] = 1, 1
    answer = cascade.set_log_prob(Y)
    assert answer.exact.tolist() == [True, False]
    truth = subset_log_probs(cascade.steps, np.array([1]), np.arange(13)[None], 13)[0, -1]
    truth += cascade.log_sizes[1, 13]
    assert abs(answer.log_prob[1] - truth) < 6 * answer.standard_error[1]
    with pytest.warns(UserWarning, match="1 rows, the first of them 1, .*standard errors"):
        assert_allclose(cascade.log_prob(Y), answer.log_prob)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 5))
def test_a_wide_beam_finds_the_exact_sets_and_certifies_only_truth(seed, n_labels):
    exact = random_cascade(seed, n_labels=n_labels, search="exact")
    wide = random_cascade(seed, n_labels=n_labels, search="beam", beam_width=2**n_labels)
    narrow = random_cascade(seed, n_labels=n_labels, search="beam", beam_width=1)
    k = min(3, 2**n_labels)
    truth, found, some = exact.top_k(k), wide.top_k(k), narrow.top_k(k)
    assert_allclose(found.log_prob, truth.log_prob, rtol=1e-10)
    assert_allclose(some.log_prob[some.certified], truth.log_prob[some.certified], rtol=1e-10)
    assert (truth.log_prob[:, -1] <= some.log_prob[:, -1] + some.gap + 1e-9).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 5), min_labels=st.integers(0, 2))
def test_answers_agree_with_the_evidence(seed, n_labels, min_labels):
    rng = np.random.default_rng(seed)
    min_labels = min(min_labels, n_labels)
    for search in ("beam", "exact"):
        cascade = random_cascade(seed, n_labels=n_labels, search=search)
        evidence = np.where(rng.random((3, n_labels)) < 0.4, rng.integers(0, 2, (3, n_labels)), FREE)
        mode = cascade.find_mode(evidence, least=min_labels)
        possible = (evidence != 0).sum(axis=1) >= min_labels
        agrees = (mode.labels == evidence) | (evidence == FREE)
        assert agrees[possible].all()
        assert (mode.labels[possible].sum(axis=1) >= min_labels).all()
        assert (mode.labels[~possible] == FREE).all()
        assert_allclose(mode.log_prob[possible], cascade.log_prob(np.abs(mode.labels))[possible], rtol=1e-10)


def test_greedy_follows_algorithm_2():
    """The likeliest size, then again and again the label with the best score of equation (9)."""
    cascade = random_cascade(5, n_rows=20, n_labels=7)
    s = cascade.steps
    for i, y in enumerate(cascade.predict(Greedy())):
        m, chosen = int(cascade.log_sizes[i].argmax()), []
        for _ in range(m):
            scores = s.labels[i] + s.sizes[m] + sum((s.pairs[j] for j in chosen), np.zeros(7))
            scores[chosen] = -np.inf
            chosen.append(int(scores.argmax()))
        assert sorted(chosen) == np.flatnonzero(y).tolist()


def test_known_sizes():
    cascade = random_cascade(3, n_rows=4, n_labels=5)
    known = cascade.given_sizes([0, 1, 3, 5])
    assert known.mode().labels.sum(axis=1).tolist() == [0, 1, 3, 5]
    assert (known.mode().labels == greedy(cascade.steps, np.array([0, 1, 3, 5]))).all()
    sets, log_p = label_sets(5), all_log_probs(cascade)
    of_size = np.where(sets.sum(axis=1) == 3, log_p[2], -np.inf)
    assert_allclose(np.exp(all_log_probs(known)[2]), np.exp(of_size) / np.exp(of_size).sum(), atol=1e-12)
    for bad in ([0, 1, 2, 6], [0, 1, 2, -1], [0, 1, 2, 0.5]):
        with pytest.raises(ValueError, match=r"sizes\[3\]"):
            cascade.given_sizes(bad)
    with pytest.raises(ValueError, match="shape"):
        cascade.given_sizes([1, 2])


def test_many_labels_are_answered_from_draws_or_refused():
    cascade = random_cascade(4, n_rows=2, n_labels=13, scale=0.3)
    with pytest.raises(NotTractable, match="sample"):
        cascade.log_prob(np.full((2, 13), FREE))
    with pytest.raises(NotTractable, match="table"):
        cascade.condition(np.full((2, 13), FREE))
    with pytest.raises(NotTractable, match="top_k"):
        cascade.table()
    draws = cascade.sample(4000, np.random.default_rng(1))
    spread = 6 * np.sqrt(0.25 / 500 + 0.25 / 4000)
    assert_allclose(cascade.marginals(), draws.mean(axis=1), atol=spread)
    pairs = cascade.pairwise_marginals()
    assert_allclose(np.einsum("nll->nl", pairs), cascade.marginals(), atol=1e-6)
    assert_allclose(cascade.size_probs().sum(axis=1), 1)
    entropy = cascade.entropy()
    assert entropy.method == "sampled"
    assert (entropy.lower <= entropy.value).all()
    assert (entropy.value <= entropy.upper + 6 * entropy.standard_error).all()


def test_a_sampled_entropy_is_within_its_error(monkeypatch):
    """Red if the mean over draws leaves six standard errors around the enumeration, or a bound excludes it."""
    cascade = random_cascade(6, n_rows=8, n_labels=8, scale=0.5)
    truth = cascade.entropy().value
    monkeypatch.setattr("setwise.distributions.cascade.CASCADE_LABELS", 0)
    estimate = cascade.entropy()
    assert estimate.method == "sampled"
    assert (np.abs(estimate.value - truth) <= 6 * estimate.standard_error).all()
    assert (estimate.lower <= truth).all()
    assert (truth <= estimate.upper).all()


def test_settings_are_checked():
    with pytest.raises(ValueError, match="'beam', 'exact'"):
        random_cascade(0, search="best")
    with pytest.raises(ValueError, match="beam_width is 0"):
        random_cascade(0, beam_width=0)


def test_what_rounds_to_nothing_is_not_known_to_be_nothing():
    """Red if a beam certifies its second set because the first has a probability of one in double precision."""
    pairs = np.array([[-7.0, -10, -14], [-14, -59, -52], [-57, -10, -40]])
    steps = NaiveBayesSteps(np.array([[-20.0, -9.0, -47.0]]), np.zeros((4, 3)), pairs)
    sizes = np.array([[-np.inf, -np.inf, 0.0, -np.inf]])
    top = Cascade(sizes, steps, search="beam", beam_width=1).top_k(2)
    best = Cascade(sizes, steps, search="exact").top_k(2)
    assert best.log_prob[0, 1] > top.log_prob[0, 1] + 10
    assert not top.certified[0]
    assert top.log_prob[0, 1] + top.gap[0] >= best.log_prob[0, 1]
