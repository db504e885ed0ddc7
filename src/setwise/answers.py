"""Words of the contract: what label sets and answers are made of, and the checks of what users pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FREE = -1
"""Marks an unobserved label in evidence, and an absent set in ``top_k``."""

Array = npt.NDArray[Any]
"""An array of any type."""
Matrix = Any
"""A dense array or a CSR matrix of features."""
Labels = npt.NDArray[np.int8]
"""Label sets: 0, 1 and, where a label is not known, :data:`FREE`."""
Floats = npt.NDArray[np.float64]
"""An array of float64."""
Bools = npt.NDArray[np.bool_]
"""An array of truth values."""


class NotTractable(RuntimeError):
    """The family cannot answer this question exactly; the message names what can."""


class ImpossibleEvidence(ValueError):
    """Conditioning on evidence of probability zero."""


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


def find_label(name: str | int, n_labels: int, names: Array | None) -> int:
    """The column of a label given by name or number, or a ValueError that lists what is there."""
    if isinstance(name, (int, np.integer)):
        if not 0 <= name < n_labels:
            raise ValueError(f"label {name} is not there; labels are numbered 0 to {n_labels - 1}")
        return int(name)
    known = [] if names is None else [str(one) for one in names]
    if name not in known:
        some = ", ".join(map(repr, known[:20])) + (", ..." if len(known) > 20 else "")
        raise ValueError(f"no label is named {name!r}; " + (f"there are {some}" if known else "use numbers"))
    return known.index(name)


def size_shares(sets: Labels, weights: Floats) -> Floats:
    """Weight (n, L, L + 1) of the sets (n, S, L) that hold a label and have s labels, for s = 0..L."""
    n, _, L = sets.shape
    shares = np.empty((n, L, L + 1))
    for i in range(n):
        sizes = sets[i].sum(axis=1)[:, None] == np.arange(L + 1)
        shares[i] = (sets[i] * weights[i][:, None]).T @ sizes.astype(np.float64)
    return shares


def first_of_size(top: TopK, most: int) -> Mode:
    """The first set of each row with at most ``most`` labels; FREE where there is none."""
    fits = ((top.labels == 1).sum(axis=2) <= most) & (top.log_prob > -np.inf)
    exhausted = top.log_prob[:, -1] == -np.inf
    found, at = fits.any(axis=1), (np.arange(len(fits)), fits.argmax(axis=1))
    labels = np.where(found[:, None], top.labels[at], FREE).astype(np.int8)
    log_prob = np.where(found, top.log_prob[at], -np.inf)
    certified = top.certified & (found | exhausted)
    return Mode(labels, log_prob, certified, np.where(certified, 0.0, np.inf))


def check_sizes(least: int, most: int, n_labels: int) -> None:
    """A ValueError where no set has ``least`` to ``most`` labels."""
    if not 0 <= least <= most <= n_labels:
        raise ValueError(
            f"sets of {least} to {most} labels are asked for; expected 0 <= least <= most <= {n_labels} labels"
        )


def check_rows(rows: npt.ArrayLike | slice, n_rows: int) -> npt.NDArray[np.intp]:
    """Indices, a slice or a mask of rows, as indices."""
    chosen = rows if isinstance(rows, slice) else np.atleast_1d(rows)
    if isinstance(chosen, np.ndarray) and chosen.size == 0:
        chosen = np.empty(0, dtype=np.intp)
    return np.arange(n_rows)[chosen]


def check_search(k: int, min_labels: int, n_labels: int) -> None:
    """A ValueError where a search is asked for no set, or for sets larger than there are labels."""
    if k < 1:
        raise ValueError(f"k is {k}; at least one set must be asked for")
    if not 0 <= min_labels <= n_labels:
        raise ValueError(f"min_labels is {min_labels}; expected 0 to {n_labels}, the number of labels")


def check_evidence(Y: npt.ArrayLike, n_rows: int, n_labels: int) -> Labels:
    """Evidence as a C-ordered int8 array, NaN as FREE, or a ValueError that names the first bad cell."""
    Y = np.asarray(Y)
    if Y.dtype.kind == "f":
        Y = np.where(np.isnan(Y), FREE, Y)
    if Y.shape != (n_rows, n_labels):
        raise ValueError(
            f"evidence has shape {Y.shape}; expected one row of {n_labels} labels for each of "
            f"the {n_rows} rows, i.e. ({n_rows}, {n_labels})"
        )
    bad = ~np.isin(Y, (0, 1, FREE))
    if bad.any():
        row, label = np.argwhere(bad)[0]
        raise ValueError(
            f"evidence[{row}, {label}] is {Y[row, label]!r}; a label is 0, 1 or {FREE} (not observed)"
        )
    return np.ascontiguousarray(Y, dtype=np.int8)


def check_possible(log_prob: Floats) -> None:
    """An :class:`ImpossibleEvidence` that names the rows whose evidence has the log-probability -inf."""
    impossible = np.flatnonzero(log_prob == -np.inf)
    if impossible.size:
        raise ImpossibleEvidence(
            f"the evidence has probability zero in {impossible.size} of {len(log_prob)} rows, "
            f"the first of them {impossible[:5].tolist()}"
        )
