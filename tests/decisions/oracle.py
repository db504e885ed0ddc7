"""The truth about decisions for few labels: every answer's expected loss, from all 2^L sets."""

import functools
import itertools

import numpy as np

from setwise.inference.sets.enumeration import all_log_probs, label_sets


def f_loss(beta):
    def loss(truth, answer):
        if not truth.any() and not answer.any():
            return 0.0
        return 1 - (1 + beta**2) * (truth & answer).sum() / (beta**2 * truth.sum() + answer.sum())

    return loss


def jaccard_loss(truth, answer):
    either = (truth | answer).sum()
    return 1 - (truth & answer).sum() / either if either else 0.0


def subset_loss(truth, answer):
    return float((truth != answer).any())


def hamming_loss(truth, answer):
    return (truth != answer).mean()


@functools.cache
def cost_loss(false_positive, false_negative):
    def loss(truth, answer):
        return ((answer > truth) * false_positive + (answer < truth) * false_negative).sum()

    return loss


def expected_losses(distribution, loss):
    """(n, 2^L): expected loss of every answer."""
    return np.exp(all_log_probs(distribution)) @ loss_table(distribution.n_labels, loss)


@functools.cache
def loss_table(n_labels, loss):
    sets = label_sets(n_labels)
    return np.array([[loss(truth, answer) for answer in sets] for truth in sets])


def allowed(n_labels, *, sizes=None, on=(), off=(), implies=(), exclusive=()):
    """(2^L,): which sets satisfy the constraints."""
    sets = label_sets(n_labels)
    fits = np.ones(len(sets), dtype=bool)
    if sizes is not None:
        fits &= (sets.sum(axis=1) >= sizes[0]) & (sets.sum(axis=1) <= sizes[1])
    for label in on:
        fits &= sets[:, label] == 1
    for label in off:
        fits &= sets[:, label] == 0
    for a, b in implies:
        fits &= (sets[:, a] == 0) | (sets[:, b] == 1)
    for group in exclusive:
        for a, b in itertools.combinations(group, 2):
            fits &= (sets[:, a] == 0) | (sets[:, b] == 0)
    return fits


def codes(labels):
    return labels @ (1 << np.arange(labels.shape[1])[::-1])


def assert_best(decided, expected, fits=None):
    """The answer is allowed, no allowed answer has a smaller expected loss, and that loss is stated."""
    fits = np.ones(expected.shape[1], dtype=bool) if fits is None else fits
    chosen = codes(decided.labels)
    assert fits[chosen].all()
    own = expected[np.arange(len(chosen)), chosen]
    np.testing.assert_allclose(decided.expected_loss, own, rtol=0, atol=1e-10)
    np.testing.assert_allclose(own, np.where(fits, expected, np.inf).min(axis=1), rtol=0, atol=1e-10)
    assert decided.certified.all()
    assert not decided.standard_error.any()
