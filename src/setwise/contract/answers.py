"""Answers to questions about label sets: plain tuples of arrays, one entry a row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import FREE, Array, Bools, Floats, Labels


class Mode(NamedTuple):
    """The most probable label set of each row.

    ``gap`` is the log of the upper bound on the best probability minus ``log_prob``: zero when ``certified``.
    """

    labels: Labels
    log_prob: Floats
    certified: Bools
    gap: Floats


class TopK(NamedTuple):
    """The k most probable label sets of each row, best first.

    Where fewer than k sets have positive probability the rest is :data:`FREE` and ``-inf``. ``gap`` is
    the log of the upper bound on the probability of any set left out minus that of the last one given,
    zero when ``certified``.
    """

    labels: Labels
    log_prob: Floats
    certified: Bools
    gap: Floats


def replace_rows(answer: tuple[Array, ...], rows: Array, part: tuple[Array, ...]) -> None:
    """Write ``part`` into the ``rows`` of ``answer``: what a second, longer search found for them."""
    for whole, found in zip(answer, part):
        whole[rows] = found


class Entropy(NamedTuple):
    """Entropy of each row in nats, with what is known about its error.

    ``method`` is ``"exact"`` or ``"sampled"``; ``lower`` and ``upper`` are proven bounds;
    ``standard_error`` is that of the estimate, zero where exact.
    """

    value: Floats
    lower: Floats
    upper: Floats
    standard_error: Floats
    method: str


class Decided(NamedTuple):
    """The answer of each row for a loss.

    ``labels`` (n, L) is all :data:`FREE` where the answer is to abstain. ``expected_loss`` (n,) is that of the
    answer under the model, with its ``standard_error``: zero where it is exact. ``certified`` says whether no
    allowed answer has a smaller expected loss under the model.
    """

    labels: Labels
    expected_loss: Floats
    standard_error: Floats
    certified: Bools

    @classmethod
    def of(cls, answer: Labels | Decided, n_rows: int, n_labels: int) -> Decided:
        """Label sets (n, L) of which nothing is known; what is decided already stays as it is."""
        if isinstance(answer, cls):
            return answer
        labels = np.asarray(answer)
        if labels.shape != (n_rows, n_labels) or not np.isin(labels, (0, 1, FREE)).all():
            raise ValueError(
                f"the decision gave an array of {labels.dtype} and shape {labels.shape}; expected label sets "
                f"({n_rows}, {n_labels}) of 0 and 1, or {FREE} for no answer"
            )
        unknown = np.full(n_rows, np.nan)
        return cls(labels.astype(np.int8), unknown, unknown, np.zeros(len(labels), dtype=np.bool_))


class Question(NamedTuple):
    """Which label to ask a person about: ``label`` (n,), and the expected information (n, L) of every label."""

    label: Array
    gain: Floats


def first_of_size(top: TopK, most: int) -> Mode:
    """The first set of each row with at most ``most`` labels; FREE where there is none."""
    fits = ((top.labels == 1).sum(axis=2) <= most) & (top.log_prob > -np.inf)
    exhausted = top.log_prob[:, -1] == -np.inf
    found, at = fits.any(axis=1), (np.arange(len(fits)), fits.argmax(axis=1))
    labels = np.where(found[:, None], top.labels[at], FREE).astype(np.int8)
    log_prob = np.where(found, top.log_prob[at], -np.inf)
    certified = top.certified & (found | exhausted)
    return Mode(labels, log_prob, certified, np.where(certified, 0.0, np.inf))
