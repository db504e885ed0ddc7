"""The truth about batches of few cells: the expected loss of all answers of all rows, from all true labels."""

import functools
import itertools

import numpy as np

from setwise.inference.sets.enumeration import all_log_probs, label_sets


def all_batches(n_rows, n_labels):
    """(2^(n L), n, L): every assignment of sets to rows."""
    sets = label_sets(n_labels)
    return np.array([sets[list(rows)] for rows in itertools.product(range(len(sets)), repeat=n_rows)])


def batch_probs(distribution):
    """(2^(n L),): the probability of each of them; rows are independent given their features."""
    rows = np.exp(all_log_probs(distribution))
    return np.array(
        [
            np.prod(rows[np.arange(len(rows)), list(sets)])
            for sets in itertools.product(range(rows.shape[1]), repeat=len(rows))
        ]
    )


def f_by_hand(both, answered, true, beta, empty):
    below = beta**2 * true + answered
    return (1 + beta**2) * both / below if below else empty


def macro_by_hand(truth, answer, beta=1.0, empty=0.0):
    counts = zip((truth & answer).sum(axis=0), answer.sum(axis=0), truth.sum(axis=0))
    return 1 - np.mean([f_by_hand(*count, beta, empty) for count in counts])


def micro_by_hand(truth, answer, beta=1.0, empty=0.0):
    return 1 - f_by_hand((truth & answer).sum(), answer.sum(), truth.sum(), beta, empty)


@functools.cache
def loss_table(loss, n_rows, n_labels, *settings):
    """(2^(n L), 2^(n L)): loss of every answer for every truth."""
    batches = all_batches(n_rows, n_labels)
    return np.array([[loss(truth, answer, *settings) for truth in batches] for answer in batches])


def expected_losses(distribution, loss, *settings):
    """(2^(n L),): expected loss of every answer to the batch."""
    table = loss_table(loss, distribution.n_rows, distribution.n_labels, *settings)
    return table @ batch_probs(distribution)
