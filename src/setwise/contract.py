"""The one contract: P(y | x_i) for i = 1..n as an object over label sets.

A *label set* is a row of 0 and 1, one column per label. *Evidence* is a partial row: :data:`FREE` marks
the labels that were not observed, so ``log_prob`` of a partial row is the probability of that evidence.
Marginals, conditioning and missing labels follow from this one idea.

**Impossible evidence** (probability zero) has one meaning everywhere: ``log_prob`` is ``-inf``; ``mode``
and ``top_k`` have no set to answer and give :data:`FREE` with ``-inf``, certified; ``condition`` has no
distribution to return and raises :class:`ImpossibleEvidence`, naming the rows.
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from setwise.notebook import sets_html

FREE = -1
"""Marks an unobserved label in evidence, and an absent set in ``top_k``."""

Array = npt.NDArray[Any]
Matrix = Any
"""A dense array or a CSR matrix of features."""
Labels = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
SHOWN_ROWS, SHOWN_SETS = 5, 3
"""Rows, and sets of each, that a notebook shows."""


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


def replace_rows(answer: TopK, rows: Array, part: TopK) -> None:
    """Write ``part`` into the ``rows`` of ``answer``: what a second, longer search found for them."""
    for name in TopK._fields:
        getattr(answer, name)[rows] = getattr(part, name)


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


class LabelDistribution(ABC):
    """n distributions over label sets of L labels, one per row."""

    n_rows: int
    n_labels: int
    label_names: Array | None = None
    """Names (L,) by which labels may be asked for; estimators give those of their training labels."""

    @abstractmethod
    def log_prob(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L), whose values are 0, 1 or :data:`FREE`."""

    @abstractmethod
    def mode(self, evidence: npt.ArrayLike | None = None, *, min_labels: int = 0) -> Mode:
        """The most probable set of each row among those that agree with ``evidence`` (n, L)."""

    @abstractmethod
    def top_k(self, k: int, evidence: npt.ArrayLike | None = None, *, min_labels: int = 0) -> TopK:
        """The ``k`` most probable sets of each row, best first: labels (n, k, L), log_prob (n, k)."""

    @abstractmethod
    def marginals(self) -> Floats:
        """P(y_j = 1) of each row and label, (n, L)."""

    @abstractmethod
    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L); the diagonal holds the marginals."""

    @abstractmethod
    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Independent label sets of each row, (n, n_draws, L)."""

    @abstractmethod
    def condition(self, evidence: npt.ArrayLike) -> Self:
        """The same family given ``evidence`` (n, L)."""

    @abstractmethod
    def size_probs(self) -> Floats:
        """P(|y| = s) for s = 0..L, (n, L + 1)."""

    @abstractmethod
    def entropy(self) -> Entropy:
        """Entropy of each row, exact where tractable; the result says which."""

    @abstractmethod
    def take(self, rows: npt.ArrayLike | slice) -> Self:
        """The distributions of some rows, by index, slice or mask."""

    def _repr_html_(self) -> str:
        """What a notebook shows: the most probable sets of the first rows."""
        try:
            best = self.take(slice(0, SHOWN_ROWS)).top_k(SHOWN_SETS)
        except NotTractable:
            return f"<code>{html.escape(repr(self))}</code>"
        return sets_html(repr(self), best.labels, best.log_prob, self.label_names)


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
    """Evidence as a C-ordered int8 array, or a ValueError that names the first bad cell."""
    Y = np.asarray(Y)
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
