"""The one contract: P(y | x_i) for i = 1..n as an object over label sets.

A *label set* is a row of 0 and 1, one column per label. *Evidence* is a partial row: :data:`~setwise.arrays.FREE` marks
the labels that were not observed, so ``log_prob`` of a partial row is the probability of that evidence.
Marginals, conditioning and missing labels follow from this one idea.

**Impossible evidence** (probability zero) has one meaning everywhere: ``log_prob`` is ``-inf``; ``mode``
and ``top_k`` have no set to answer and give :data:`~setwise.arrays.FREE` with ``-inf``, certified; ``condition`` has no
distribution to return and raises :class:`~setwise.contract.ImpossibleEvidence`, naming the rows.
"""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from setwise.arrays import Floats, Labels
from setwise.contract.answers import Decided, Entropy, Mode, TopK, first_of_size, replace_rows
from setwise.contract.errors import NotTractable
from setwise.contract.estimates import Estimates
from setwise.contract.evidence import check_sizes
from setwise.contract.queries import Queries
from setwise.notebook import sets_html

SHOWN_ROWS, SHOWN_SETS = 5, 3
"""Rows, and sets of each, that a notebook shows."""

NAMED_DECISIONS: dict[str, Callable[[LabelDistribution], Decided]] = {}
"""What :meth:`LabelDistribution.decide` understands by name; ``setwise.decisions`` fills it."""


class LabelDistribution(Estimates, Queries):
    """n distributions over label sets of L labels, one per row.

    A family answers what is abstract here, and more where it can do better than the general way.
    """

    @abstractmethod
    def log_prob(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L), whose values are 0, 1 or :data:`~setwise.arrays.FREE`."""

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

    def log_probs_of(self, sets: npt.ArrayLike) -> Floats:
        """Log-probability (n, m) of each of the same ``sets`` (m, L) in each row; values are 0, 1 or FREE."""
        shape, sets = (self.n_rows, self.n_labels), np.asarray(sets)
        return np.stack([self.log_prob(np.broadcast_to(y, shape)) for y in sets], axis=1)

    def tempered(self, temperature: float) -> Self:
        """The same family with every log-odds divided by ``temperature``: above 1 less sure, below 1 more."""
        raise NotTractable(
            f"{type(self).__name__} cannot be tempered; forest mixtures, tables and chains can, and "
            "CalibratedSets(method='isotonic') calibrates any"
        )

    def mode_of_sizes(self, least: int, most: int, evidence: npt.ArrayLike | None = None) -> Mode:
        """The most probable set of each row with ``least`` to ``most`` labels that agrees with ``evidence``.

        The general way goes down the list of the most probable sets; where none of the first 256 has the right
        size there is no answer (:data:`~setwise.arrays.FREE`, not certified).
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

    def _named(self, other: Self) -> Self:
        """``other``, a part or a condition of these distributions, with the same names of labels."""
        other.label_names = self.label_names
        return other
