"""Questions that follow from marginals, pairs, conditioning and the probability of evidence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.contract.answers import Question
from setwise.contract.evidence import check_evidence, find_label


class Queries(ABC):
    """Derived questions of a distribution."""

    n_rows: int
    n_labels: int
    label_names: Array | None = None
    """Names (L,) by which labels may be asked for; estimators give those of their training labels."""

    @abstractmethod
    def log_prob(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L)."""

    @abstractmethod
    def marginals(self) -> Floats:
        """P(y_j = 1) of each row and label, (n, L)."""

    @abstractmethod
    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L)."""

    @abstractmethod
    def condition(self, evidence: npt.ArrayLike) -> Self:
        """The same family given ``evidence`` (n, L)."""

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

    def flip_log_probs(self, Y: npt.ArrayLike) -> Floats:
        """Log-probability (n, L) of each row's set ``Y`` (n, L) with one label flipped, for every label."""
        Y = check_evidence(Y, self.n_rows, self.n_labels)
        flips = np.empty((self.n_rows, self.n_labels))
        for label in range(self.n_labels):
            other = Y.copy()
            other[:, label] = 1 - other[:, label]
            flips[:, label] = self.log_prob(other)
        return flips
