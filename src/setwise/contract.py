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
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from setwise.answers import (
    FREE,
    Array,
    Bools,
    Decided,
    Entropy,
    Floats,
    ImpossibleEvidence,
    Labels,
    Matrix,
    Mode,
    NotTractable,
    Question,
    TopK,
    check_evidence,
    check_possible,
    check_rows,
    check_search,
    check_sizes,
    find_label,
    first_of_size,
    replace_rows,
    size_shares,
)
from setwise.notebook import sets_html
from setwise.random_bits import RowNumbers, content_keys

__all__ = [
    "FREE",
    "NAMED_DECISIONS",
    "Array",
    "Bools",
    "Decided",
    "Entropy",
    "Floats",
    "ImpossibleEvidence",
    "LabelDistribution",
    "Labels",
    "Matrix",
    "Mode",
    "NotTractable",
    "Question",
    "TopK",
    "check_evidence",
    "check_possible",
    "check_rows",
    "check_search",
    "check_sizes",
    "find_label",
    "first_of_size",
    "replace_rows",
    "size_shares",
]

SHOWN_ROWS, SHOWN_SETS = 5, 3
"""Rows, and sets of each, that a notebook shows."""

NAMED_DECISIONS: dict[str, Callable[[LabelDistribution], Decided]] = {}
"""What :meth:`LabelDistribution.decide` understands by name; ``setwise.decisions`` fills it."""
N_DRAWS = 1000
"""Draws behind answers that are estimated."""


class LabelDistribution(ABC):
    """n distributions over label sets of L labels, one per row.

    A family answers what is abstract here, and more where it can do better than the general way.
    """

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

    @property
    def sampled(self) -> bool:
        """Whether marginals and other sums over label sets are estimated from draws."""
        return False

    @property
    def weighs_sets(self) -> bool:
        """Whether ``log_prob`` of a whole set is exact, as it can be even where sums are estimated."""
        return not self.sampled

    # Derived answers: general ways that follow from those above.

    def draws(self) -> Labels:
        """Equally weighted sets (n, S, L) that stand for the distribution in estimates, the same at every call."""
        return self.sample(N_DRAWS, self.row_numbers(0))

    def row_numbers(self, seed: int) -> RowNumbers:
        """Random numbers for draws behind estimates: a row's are its own, whatever rows are asked with it."""
        empty = np.zeros((self.n_rows, self.n_labels), dtype=np.int8)
        return RowNumbers(content_keys(self.log_prob(empty)), seed)

    def independent_draws(self) -> Floats:
        """How many independent draws (n,) the sets of ``draws`` are worth: the error of their mean goes by that."""
        return np.full(self.n_rows, float(self.draws().shape[1]))

    def log_probs_of(self, sets: npt.ArrayLike) -> Floats:
        """Log-probability (n, m) of each of the same ``sets`` (m, L) in each row; values are 0, 1 or FREE."""
        shape, sets = (self.n_rows, self.n_labels), np.asarray(sets)
        return np.stack([self.log_prob(np.broadcast_to(y, shape)) for y in sets], axis=1)

    def joint_size_marginals(self) -> Floats:
        """P(y_l = 1, |y| = s) for s = 0..L, (n, L, L + 1)."""
        sets = self.draws()
        return size_shares(sets, np.full(sets.shape[:2], 1.0 / sets.shape[1]))

    def reciprocal_moments(self, weight: float, offsets: Floats) -> Floats:
        """E[y_l / (weight |y| + offset)] for each of the ``offsets`` (R,) of at least zero: (n, L, R).

        What instance F-measures are made of.
        """
        sizes = np.arange(1, self.n_labels + 1)
        shares = self.joint_size_marginals()[:, :, 1:]
        return np.asarray(shares @ (1.0 / (weight * sizes[:, None] + offsets)))

    def size_bound(self) -> Array:
        """A size (n,) that sets do not exceed, but for a negligible probability."""
        return np.full(self.n_rows, self.n_labels)

    def support(self) -> tuple[Labels, Floats] | None:
        """The possible sets (m, L) and their log-probabilities (n, m), where they are listed."""
        return None

    def tempered(self, temperature: float) -> Self:
        """The same family with every log-odds divided by ``temperature``: above 1 less sure, below 1 more."""
        raise NotTractable(
            f"{type(self).__name__} cannot be tempered; forest mixtures, tables and chains can, and "
            "CalibratedSets(method='isotonic') calibrates any"
        )

    def mode_of_sizes(self, least: int, most: int, evidence: npt.ArrayLike | None = None) -> Mode:
        """The most probable set of each row with ``least`` to ``most`` labels that agrees with ``evidence``.

        The general way goes down the list of the most probable sets; where none of the first 256 has the right
        size there is no answer (:data:`FREE`, not certified).
        """
        check_sizes(least, most, self.n_labels)
        answer = self.mode(evidence, min_labels=least)
        rows = np.flatnonzero((answer.labels == 1).sum(axis=1) > most)
        for k in (16, 256):
            if rows.size:
                given = None if evidence is None else np.asarray(evidence)[rows]
                part = first_of_size(self.take(rows).top_k(k, given, min_labels=least), most)
                replace_rows(answer, rows, part)
                rows = rows[(part.log_prob == -np.inf) & ~part.certified]
        return answer

    def flip_log_probs(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n, L) of each row's set ``Y`` (n, L) with one label flipped, for every label."""
        Y = check_evidence(Y, self.n_rows, self.n_labels)
        flips = np.empty((self.n_rows, self.n_labels))
        for label in range(self.n_labels):
            other = Y.copy()
            other[:, label] = 1 - other[:, label]
            flips[:, label] = self.log_prob(other)
        return flips

    def decide(self, decision: str | Callable[[LabelDistribution], Labels | Decided]) -> Decided:
        """The best answer of each row for a loss, with its expected loss.

        By a name or a rule of ``setwise.decisions``, or by a function from the distribution to label sets (n, L), whose
        expected loss is not known (NaN) unless it gives a :class:`Decided`.
        """
        if not isinstance(decision, str):
            return Decided.of(decision(self), self.n_rows, self.n_labels)
        if decision not in NAMED_DECISIONS:
            known = ", ".join(map(repr, NAMED_DECISIONS))
            raise ValueError(f"decision {decision!r} is not known; use one of {known}, or a rule")
        return NAMED_DECISIONS[decision](self)

    def query(
        self,
        about: Sequence[str | int] | Mapping[str | int, int],
        given: Mapping[str | int, int] | None = None,
    ) -> Floats:
        """P(about | x, given) for labels by name or number.

        A list ``about`` asks for the probability that each of its labels is on, (n, len(about)); a mapping
        such as ``{"sky": 1, "sea": 0}`` for that of all its values together, (n,).
        """
        known = self if not given else self.condition(self.evidence_of(given))
        if isinstance(about, Mapping):
            return np.exp(known.log_prob(self.evidence_of(about)))
        return known.marginals()[:, self._columns(about)]

    def evidence_of(self, values: Mapping[str | int, int]) -> Labels:
        """Evidence (n, L) that gives labels, by name or number, the same value in every row."""
        evidence = np.full((self.n_rows, self.n_labels), FREE, dtype=np.int8)
        for name, value in values.items():
            if value not in (0, 1):
                raise ValueError(f"label {name!r} is given as {value!r}; a label is 0 or 1")
            evidence[:, self.label_index(name)] = value
        return evidence

    def label_index(self, name: str | int) -> int:
        """The column of a label given by name or number."""
        return find_label(name, self.n_labels, self.label_names)

    def _columns(self, names: Sequence[str | int]) -> list[int]:
        """The columns of a list of labels; a bare name is not taken for the list of its letters."""
        if isinstance(names, str):
            raise ValueError(f"about is the name {names!r}; expected a list of labels, as in [{names!r}]")
        return [self.label_index(name) for name in names]

    def correlations(self) -> Floats:
        """Correlation (n, L, L) of every two labels given x; zero with a label that is certain."""
        single, pairs = self.marginals(), self.pairwise_marginals()
        spread = np.sqrt(np.maximum(single * (1.0 - single), 0.0))
        scale = spread[:, :, None] * spread[:, None, :]
        covariance = pairs - single[:, :, None] * single[:, None, :]
        values = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-14)
        values[:, np.arange(self.n_labels), np.arange(self.n_labels)] = 1.0
        return np.clip(values, -1.0, 1.0)

    def mutual_information(self) -> Floats:
        """Mutual information (n, L, L) of every two labels given x, in nats; the diagonal holds their entropies."""
        both = self.pairwise_marginals()
        on = np.diagonal(both, axis1=1, axis2=2)
        alone = entr(on) + entr(np.maximum(1.0 - on, 0.0))
        one = on[:, :, None] - both  # y_i without y_j
        cells = (both, one, np.swapaxes(one, 1, 2), 1.0 - on[:, None, :] - one)
        together = sum(entr(np.maximum(cell, 0.0)) for cell in cells)
        return np.maximum(alone[:, :, None] + alone[:, None, :] - together, 0.0)

    def next_question(self, about: Sequence[str | int] | None = None) -> Question:
        """The label whose value, if a person told it, would be expected to tell most.

        About the whole set: a label tells as much as its own entropy. About some labels: the sum of its mutual
        information with them; they themselves are not asked.
        """
        information = self.mutual_information()
        columns = np.arange(self.n_labels)
        if about is None:
            gain = information[:, columns, columns]
        else:
            targets = self._columns(about)
            gain = information[:, :, targets].sum(axis=2)
            gain[:, targets] = -np.inf
        return Question(gain.argmax(axis=1), gain)

    def _named(self, other: Self) -> Self:
        """``other``, a part or a condition of these distributions, with the same names of labels."""
        other.label_names = self.label_names
        return other
