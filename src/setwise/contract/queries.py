"""Questions that follow from marginals, pairs, conditioning and the probability of evidence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from scipy.special import entr

from setwise.arrays import Array, Floats, Labels
from setwise.contract.answers import Question
from setwise.contract.evidence import Evidence
from setwise.contract.names import find_label
from setwise.views.frames import RowNames


class Queries(ABC):
    """Questions that every distribution answers in terms of a few basic ones."""

    n_rows: int
    n_labels: int
    label_names: Array | None = None
    """Names (L,) by which labels can be selected. Distributions from an estimator have those of its training labels."""
    row_names: RowNames | None = None
    """Index of the DataFrame that the rows came from, shown in answers."""

    @abstractmethod
    def log_prob(self, Y: Evidence) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L)."""

    @abstractmethod
    def marginals(self) -> Floats:
        """P(y_j = 1) of each row and label, (n, L)."""

    @abstractmethod
    def pairwise_marginals(self) -> Floats:
        """P(y_i = 1, y_j = 1) of each row, (n, L, L)."""

    @abstractmethod
    def condition(self, evidence: Evidence) -> Self:
        """Condition on ``evidence`` (n, L)."""

    @abstractmethod
    def _read(self, evidence: Evidence) -> Labels:
        """Convert evidence in any form to a checked array (n, L)."""

    def query(
        self,
        about: Sequence[str | int] | Mapping[str | int, int],
        given: Mapping[str | int, int] | None = None,
    ) -> Floats:
        """Probability of some labels given others, P(about | x, given).

        Parameters
        ----------
        about : list of labels, or mapping from labels to 0 or 1
            Labels are given by name or number. For a list, the result is the probability that each of its labels is
            on; for a mapping such as ``{"sky": 1, "sea": 0}``, the probability that all its values hold together.
        given : mapping from labels to 0 or 1, optional
            What is known.

        Returns
        -------
        array of shape (n, len(about)), or (n,) for a mapping

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1], [1, 0]], np.log([[0.5, 0.25, 0.25]]))
        >>> joint.query([1], given={0: 1}), joint.query({0: 1, 1: 0})
        (array([[0.5]]), array([0.25]))
        """
        known = self.condition(given) if given else self
        if isinstance(about, Mapping):
            return np.exp(known.log_prob(about))
        return known.marginals()[:, self._columns(about)]

    def label_index(self, name: str | int) -> int:
        """Find the column of a label.

        Parameters
        ----------
        name : str or int

        Returns
        -------
        int

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[0.0, 0.0]]).label_index(1)
        1
        """
        return find_label(name, self.n_labels, self.label_names)

    def _columns(self, names: Sequence[str | int]) -> list[int]:
        """Find the columns of a list of labels; reject a bare name, which Python would read as a list of letters."""
        if isinstance(names, str):
            raise ValueError(f"about is the name {names!r}; expected a list of labels, as in [{names!r}]")
        return [self.label_index(name) for name in names]

    def correlations(self) -> Floats:
        """Correlation of every two labels given x; zero with a label that is certain.

        Returns
        -------
        array of shape (n, L, L)

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> Table([[0, 0], [1, 1]], np.log([[0.5, 0.5]])).correlations()[0, 0].round(3)
        array([1., 1.])
        """
        single, pairs = self.marginals(), self.pairwise_marginals()
        spread = np.sqrt(np.maximum(single * (1.0 - single), 0.0))
        scale = spread[:, :, None] * spread[:, None, :]
        covariance = pairs - single[:, :, None] * single[:, None, :]
        values = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-14)
        values[:, np.arange(self.n_labels), np.arange(self.n_labels)] = 1.0
        return np.clip(values, -1.0, 1.0)

    def mutual_information(self) -> Floats:
        """Mutual information of every two labels given x, in nats.

        Returns
        -------
        array of shape (n, L, L)
            The diagonal holds the labels' entropies.

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> Table([[0, 0], [1, 1]], np.log([[0.5, 0.5]])).mutual_information()[0, 0].round(3)
        array([0.693, 0.693])
        """
        both = self.pairwise_marginals()
        on = np.diagonal(both, axis1=1, axis2=2)
        alone = entr(on) + entr(np.maximum(1.0 - on, 0.0))
        one = on[:, :, None] - both  # y_i without y_j
        cells = (both, one, np.swapaxes(one, 1, 2), 1.0 - on[:, None, :] - one)
        together = sum(entr(np.maximum(cell, 0.0)) for cell in cells)
        return np.maximum(alone[:, :, None] + alone[:, None, :] - together, 0.0)

    def next_question(self, about: Sequence[str | int] | None = None) -> Question:
        """Choose the label that is most informative to ask about.

        Parameters
        ----------
        about : list of labels, optional
            The labels of interest, by name or number. They are never chosen themselves; the gain of any other label is
            the sum of its mutual information with them. By default the gain of a label is its entropy: what its value
            reveals about the whole set.

        Returns
        -------
        Question
            The label of each row with the highest expected information gain, and the gain of every label.

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[3.0, 0.1]]).next_question().label
        array([1])
        """
        information = self.mutual_information()
        columns = np.arange(self.n_labels)
        if about is None:
            gain = information[:, columns, columns]
        else:
            targets = self._columns(about)
            gain = information[:, :, targets].sum(axis=2)
            gain[:, targets] = -np.inf
        return Question(gain.argmax(axis=1), gain).with_names(self.label_names, self.row_names)

    def flip_log_probs(self, Y: Evidence) -> Floats:
        """Log-probability of each row's set with one label flipped, for every label.

        Parameters
        ----------
        Y : array or DataFrame of shape (n, L)

        Returns
        -------
        array of shape (n, L)

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> np.exp(joint.flip_log_probs([[0, 1]]))
        array([[0.25, 0.  ]])
        """
        return self._flip_log_probs(self._read(Y))

    def _flip_log_probs(self, Y: Labels) -> Floats:
        flips = np.empty((self.n_rows, self.n_labels))
        for label in range(self.n_labels):
            other = Y.copy()
            other[:, label] = 1 - other[:, label]
            flips[:, label] = self.log_prob(other)
        return flips
