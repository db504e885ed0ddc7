"""Checks that any LabelDistribution must pass: every answer equals the enumeration of all 2^L label sets.

``yield_checks()`` gives functions ``check(distribution, rng)`` for distributions of few labels. ``skip``
skips, by name, what a family does not support.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import entr, logsumexp

from setwise.contract import FREE, ImpossibleEvidence, NotTractable
from setwise.distributions import LabelDistribution
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.tempering import tempered_log_probs

Check = Callable[[LabelDistribution, np.random.Generator], None]
TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
EDGE = 1e-9
"""Sets whose log-probabilities differ by less are ties: either is a right answer."""


def yield_checks(skip: Collection[str] = ()) -> Iterator[Check]:
    for name, check in globals().items():
        if name.startswith("check_") and name not in skip:
            yield check


def random_evidence(distribution, rng, share=0.4):
    shape = (distribution.n_rows, distribution.n_labels)
    return np.where(rng.random(shape) < share, rng.integers(0, 2, shape), FREE).astype(np.int8)


def possible_evidence(distribution, rng, share=0.4):
    """Evidence taken from sets that can occur."""
    drawn = distribution.sample(1, rng)[:, 0]
    return np.where(rng.random(drawn.shape) < share, drawn, FREE).astype(np.int8)


def restricted(distribution, evidence, min_labels=0):
    """Log-probabilities (n, 2^L), -inf for the sets that disagree with the evidence or are too small."""
    sets, log_p = label_sets(distribution.n_labels), all_log_probs(distribution)
    agrees = ((evidence[:, None] == sets) | (evidence[:, None] == FREE)).all(axis=2)
    return np.where(agrees & (sets.sum(axis=1) >= min_labels), log_p, -np.inf)


def check_normalised(distribution, rng):
    assert_allclose(np.exp(all_log_probs(distribution)).sum(axis=1), 1, **TOLERANCE)


def check_log_probs_of(distribution, rng):
    """A list of sets for all rows gives the same as one set at a time, complete or partial."""
    sets = label_sets(distribution.n_labels)
    shape = (distribution.n_rows, distribution.n_labels)
    for asked in (sets, np.where(rng.random(sets.shape) < 0.3, FREE, sets)):
        truth = np.stack([distribution.log_prob(np.broadcast_to(y, shape)) for y in asked], axis=1)
        assert_allclose(distribution.log_probs_of(asked), truth, rtol=1e-9, atol=1e-9)


def check_partial_log_prob(distribution, rng):
    evidence = random_evidence(distribution, rng)
    truth = np.exp(restricted(distribution, evidence)).sum(axis=1)
    assert_allclose(np.exp(distribution.log_prob(evidence)), truth, **TOLERANCE)


def check_nothing_observed_is_certain(distribution, rng):
    free = np.full((distribution.n_rows, distribution.n_labels), FREE)
    assert_allclose(distribution.log_prob(free), 0, atol=1e-10)


def check_marginals(distribution, rng):
    P, sets = np.exp(all_log_probs(distribution)), label_sets(distribution.n_labels)
    assert_allclose(distribution.marginals(), P @ sets, **TOLERANCE)


def check_pairwise_marginals(distribution, rng):
    P, sets = np.exp(all_log_probs(distribution)), label_sets(distribution.n_labels)
    assert_allclose(distribution.pairwise_marginals(), np.einsum("nm,mi,mj->nij", P, sets, sets), **TOLERANCE)


def check_size_probs(distribution, rng):
    P, sets = np.exp(all_log_probs(distribution)), label_sets(distribution.n_labels)
    truth = np.stack(
        [P[:, sets.sum(axis=1) == s].sum(axis=1) for s in range(distribution.n_labels + 1)], axis=1
    )
    assert_allclose(distribution.size_probs(), truth, **TOLERANCE)


def check_joint_size_marginals(distribution, rng):
    P, sets = np.exp(all_log_probs(distribution)), label_sets(distribution.n_labels)
    sizes = sets.sum(axis=1)
    of_size = sizes[:, None] == np.arange(distribution.n_labels + 1)
    truth = np.einsum("nm,ml,ms->nls", P, sets, of_size)
    assert_allclose(distribution.joint_size_marginals(), truth, **TOLERANCE)
    offsets = np.arange(3.0)
    for weight in (1.0, 4.0, 0.3):
        terms = sets[:, :, None] / np.maximum(weight * sizes[:, None, None] + offsets, 1e-9)
        assert_allclose(
            distribution.reciprocal_moments(weight, offsets), np.einsum("nm,mlr->nlr", P, terms), **TOLERANCE
        )


def check_mode_of_sizes(distribution, rng):
    sizes = label_sets(distribution.n_labels).sum(axis=1)
    evidence = possible_evidence(distribution, rng, 0.2)
    agreeing = restricted(distribution, evidence)
    for least, most in ((0, 0), (0, distribution.n_labels // 2), (1, 1), (distribution.n_labels,) * 2):
        log_p = np.where((sizes >= least) & (sizes <= most), agreeing, -np.inf)
        _is_best(distribution, distribution.find_mode(evidence, least=least, most=most), log_p)


def check_flips(distribution, rng):
    """Of sets that can occur and of others."""
    log_p, place = all_log_probs(distribution), 1 << np.arange(distribution.n_labels)[::-1]
    for Y in (distribution.sample(1, rng)[:, 0], rng.integers(0, 2, distribution.marginals().shape)):
        codes = (Y @ place)[:, None] ^ place
        truth = np.take_along_axis(log_p, codes, axis=1)
        assert_allclose(np.exp(distribution.flip_log_probs(Y)), np.exp(truth), **TOLERANCE)


def check_pairs_of_labels(distribution, rng):
    """Correlations and mutual information, from the four probabilities of every pair."""
    P, sets = np.exp(all_log_probs(distribution)), label_sets(distribution.n_labels)
    correlation, information = distribution.correlations(), distribution.mutual_information()
    for i in range(distribution.n_labels):
        for j in range(distribution.n_labels):
            both = np.stack(
                [P[:, (sets[:, i] == a) & (sets[:, j] == b)].sum(1) for a in (0, 1) for b in (0, 1)]
            )
            p, q = np.minimum(both[2] + both[3], 1), np.minimum(both[1] + both[3], 1)
            joint = entr(both).sum(axis=0) if i != j else entr(p) + entr(1 - p)
            truth = entr(p) + entr(1 - p) + entr(q) + entr(1 - q) - joint
            assert_allclose(information[:, i, j], truth, atol=1e-7)
            spread = np.sqrt(p * (1 - p) * q * (1 - q))
            sure = spread > 1e-6
            assert_allclose(
                correlation[sure, i, j], ((both[3] - p * q) / np.where(sure, spread, 1))[sure], atol=1e-6
            )


def check_queries(distribution, rng):
    """By name and by number, what is on given what is known."""
    L = distribution.n_labels
    distribution.label_names = np.array([f"label {j}" for j in range(L)], dtype=object)
    known = distribution.take([0]).sample(1, rng)[0, 0, L - 1]
    one = distribution.take([0])
    joint = restricted(one, np.where(np.arange(L) == L - 1, known, FREE)[None])
    P, sets = np.exp(joint - logsumexp(joint)), label_sets(L)
    assert_allclose(one.query(["label 0", L - 1], given={L - 1: known}), P @ sets[:, [0, L - 1]], **TOLERANCE)
    both = one.query({0: 1, "label 0": 1}, given={L - 1: known})
    assert_allclose(both, P @ sets[:, 0], **TOLERANCE)
    with pytest.raises(ValueError, match="no label is named 'fog'"):
        one.query(["fog"])
    with pytest.raises(ValueError, match=f"0 to {L - 1}"):
        one.query([L])
    one.label_names = np.array([chr(97 + j) for j in range(L)], dtype=object)
    for ask in (one.query, one.next_question):
        with pytest.raises(
            ValueError, match=r"about is the name 'a'; expected a list of labels, as in \['a'\]"
        ):
            ask("a")


def check_next_question(distribution, rng):
    """The gain is the expected fall of the entropy, by asking and conditioning."""
    log_p, sets = all_log_probs(distribution), label_sets(distribution.n_labels)
    question = distribution.next_question()
    before = entr(np.exp(log_p)).sum(axis=1)
    for label in range(distribution.n_labels):
        after = np.zeros(distribution.n_rows)
        for value in (0, 1):
            part = np.exp(log_p[:, sets[:, label] == value])
            mass = part.sum(axis=1, keepdims=True)
            share = np.divide(part, mass, out=np.zeros_like(part), where=mass > 0)
            after += mass[:, 0] * entr(share).sum(axis=1)
        assert_allclose(question.gain[:, label], before - after, atol=1e-7)
    assert_allclose(question.gain.max(axis=1), question.gain[np.arange(distribution.n_rows), question.label])
    if distribution.n_labels > 1:
        about = distribution.next_question([0])
        assert (about.label != 0).all()
        assert_allclose(about.gain[:, 1:], distribution.mutual_information()[:, 1:, 0], atol=1e-12)


def check_entropy(distribution, rng):
    answer = distribution.entropy()
    truth = entr(np.exp(all_log_probs(distribution))).sum(axis=1)
    assert (answer.lower <= truth + 1e-10).all()
    assert (truth <= answer.upper + 1e-10).all()
    if answer.method == "exact":
        assert_allclose(answer.value, truth, **TOLERANCE)
    else:
        assert (np.abs(answer.value - truth) <= 6 * answer.standard_error + 1e-10).all()


def check_mode(distribution, rng):
    free = np.full((distribution.n_rows, distribution.n_labels), FREE, dtype=np.int8)
    _is_best(distribution, distribution.mode(), restricted(distribution, free))


def check_mode_given_evidence(distribution, rng):
    for evidence in (random_evidence(distribution, rng), possible_evidence(distribution, rng)):
        _is_best(distribution, distribution.mode(evidence), restricted(distribution, evidence))


def check_mode_with_min_labels(distribution, rng):
    for min_labels in {1, min(2, distribution.n_labels), distribution.n_labels}:
        evidence = possible_evidence(distribution, rng, 0.2)
        answer = distribution.find_mode(evidence, least=min_labels)
        _is_best(distribution, answer, restricted(distribution, evidence, min_labels))


def _is_best(distribution, answer, log_p):
    truth = log_p.max(axis=1)
    possible = truth > -np.inf
    assert answer.certified.all()
    assert not answer.gap.any()
    assert_allclose(answer.log_prob, truth, **TOLERANCE)
    assert (answer.labels[~possible] == FREE).all()
    codes = answer.labels[possible] @ (1 << np.arange(distribution.n_labels)[::-1])
    assert_allclose(log_p[possible, codes], truth[possible], **TOLERANCE)


def check_top_k(distribution, rng):
    for k in (1, 3, 2**distribution.n_labels + 1):
        evidence = possible_evidence(distribution, rng, 0.2)
        for min_labels in (0, 1):
            log_p = restricted(distribution, evidence, min_labels)
            _are_best(distribution, distribution.find_top_k(k, evidence, least=min_labels), log_p, k)


def _are_best(distribution, answer, log_p, k):
    n, L = distribution.n_rows, distribution.n_labels
    truth = np.full((n, k), -np.inf)
    ranked = -np.sort(-log_p, axis=1)[:, :k]
    truth[:, : ranked.shape[1]] = ranked
    assert answer.labels.shape == (n, k, L)
    assert answer.certified.all()
    assert_allclose(answer.log_prob, truth, **TOLERANCE)
    assert (answer.labels[truth == -np.inf] == FREE).all()
    for i in range(n):
        given = answer.labels[i][truth[i] > -np.inf]
        codes = given @ (1 << np.arange(L)[::-1])
        assert len(set(codes.tolist())) == len(codes)
        assert_allclose(log_p[i, codes], truth[i][truth[i] > -np.inf], **TOLERANCE)


def check_condition(distribution, rng):
    evidence = possible_evidence(distribution, rng)
    joint = restricted(distribution, evidence)
    truth = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    given = distribution.condition(evidence)
    assert type(given) is type(distribution)
    assert_allclose(np.exp(all_log_probs(given)), truth, **TOLERANCE)
    assert_allclose(given.marginals(), truth @ label_sets(distribution.n_labels), **TOLERANCE)


def check_tempered(distribution, rng):
    """Red if anything but the log-odds of the definition is divided, or a family without one answers."""
    distribution.label_names = np.array([f"label {j}" for j in range(distribution.n_labels)], dtype=object)
    for temperature in (0.5, 1.0, 3.0):
        truth = tempered_log_probs(distribution, temperature)
        if truth is None:
            with pytest.raises(NotTractable, match="cannot be tempered"):
                distribution.tempered(temperature)
            continue
        other = distribution.tempered(temperature)
        assert type(other) is type(distribution)
        assert other.label_names is distribution.label_names
        assert_allclose(np.exp(all_log_probs(other)), np.exp(truth), **TOLERANCE)


def check_impossible_evidence(distribution, rng):
    """Evidence that no set agrees with: -inf, no set, and an error that names the rows."""
    log_p = all_log_probs(distribution)
    impossible = (log_p == -np.inf).any(axis=1)
    evidence = np.where(impossible[:, None], label_sets(distribution.n_labels)[log_p.argmin(axis=1)], FREE)
    assert (distribution.log_prob(evidence)[impossible] == -np.inf).all()
    answer = distribution.mode(evidence)
    assert (answer.labels[impossible] == FREE).all()
    assert (answer.log_prob[impossible] == -np.inf).all()
    assert answer.certified.all()
    if impossible.any():
        with pytest.raises(ImpossibleEvidence, match=str(np.flatnonzero(impossible)[0])):
            distribution.condition(evidence)


def check_sample(distribution, rng):
    """Red if a draw is impossible, or its frequencies leave six standard errors around the marginals."""
    S = 400
    draws = distribution.sample(S, rng)
    assert draws.shape == (distribution.n_rows, S, distribution.n_labels)
    assert draws.dtype == np.int8
    assert (distribution.log_prob(draws[:, 0]) > -np.inf).all()
    for truth, seen in (
        (distribution.marginals(), draws.mean(axis=1)),
        (distribution.pairwise_marginals(), np.einsum("nsi,nsj->nij", draws, draws, dtype=float) / S),
    ):
        spread = np.sqrt(np.clip(truth * (1 - truth), 0, None) / S)
        assert (np.abs(seen - truth) <= 6 * spread + 6 / S).all()


def check_sample_repeats(distribution, rng):
    first, second = (distribution.sample(5, np.random.default_rng(3)) for _ in range(2))
    assert (first == second).all()


def check_take(distribution, rng):
    log_p = all_log_probs(distribution)
    mask = np.arange(distribution.n_rows) % 2 == 0
    for rows in (mask, np.flatnonzero(mask)[::-1], slice(0, 1), slice(0)):
        part = distribution.take(rows)
        assert type(part) is type(distribution)
        assert_allclose(all_log_probs(part), log_p[rows], **TOLERANCE)
    none = distribution.take([])
    L = distribution.n_labels
    assert none.n_rows == 0
    assert none.marginals().shape == (0, L)
    assert none.top_k(2).labels.shape == (0, 2, L)
    assert none.sample(3, rng).shape == (0, 3, L)
    assert_allclose(all_log_probs(distribution.take(0)), log_p[:1], **TOLERANCE)


def check_evidence_errors(distribution, rng):
    n, L = distribution.n_rows, distribution.n_labels
    bad = np.zeros((n, L), dtype=int)
    bad[0, L - 1] = 7
    with pytest.raises(ValueError, match=rf"\[0, {L - 1}\] is .*7"):
        distribution.log_prob(bad)
    with pytest.raises(ValueError, match="shape"):
        distribution.mode(np.zeros((n, L + 1)))
    with pytest.raises(ValueError, match="min_labels"):
        distribution.restricted(min_labels=L + 1)
    with pytest.raises(ValueError, match="k is 0"):
        distribution.top_k(0)
