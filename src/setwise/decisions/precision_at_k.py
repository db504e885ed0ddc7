"""Precision at k: the share of k answered labels that are true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear, check_feasible
from setwise.decisions.rule import Rule
from setwise.printable import plain_repr


@dataclass(frozen=True)
class PrecisionAtK(Rule):
    """The k labels with the largest expected precision, which are those with the largest marginals; exact.

    Every answer has k labels, also in rows that have fewer.

    Parameters
    ----------
    k : int
    weights : array of shape (L,), optional
        Value of each true label, 1 by default. One over the propensity of the labels gives propensity-scored
        precision, see :func:`setwise.metrics.propensities`.

    Examples
    --------
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent([[2.0, -1.0, 0.0]])
    >>> joint.decide(PrecisionAtK(2)).labels
    array([[1, 0, 1]], dtype=int8)
    >>> joint.decide(PrecisionAtK(1, weights=[1, 9, 1])).labels
    array([[0, 1, 0]], dtype=int8)
    """

    k: int
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise ValueError(f"k is {plain_repr(self.k)}; expected a whole number of at least 1")

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 - the summed weights of the answered labels that are true, divided by k."""
        both = np.asarray(truth) & np.asarray(answer)
        return np.asarray(1.0 - (both * self._values(both.shape[-1])).sum(axis=-1) / self.k)

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers of k labels."""
        both = Feasible(feasible.n_labels, self.k, self.k, feasible.fixed, feasible.clauses, feasible.among)
        if not feasible.least <= self.k <= feasible.largest:
            raise ValueError(
                f"{self!r} answers {self.k} of {feasible.n_labels} labels; expected a k from {feasible.least} to "
                f"{feasible.largest}"
            )
        check_feasible(both)
        return super().within(distribution, both)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        gain = distribution.marginals() * self._values(distribution.n_labels) / self.k
        # Larger than any gain, so that labels of weight 0 are taken before the program for clauses is asked.
        labels = best_linear(gain + 1.0 + gain.max(initial=0.0), feasible)
        exact = np.ones(len(gain), dtype=np.bool_)
        return self._decided(distribution, labels, 1.0 - (gain * labels).sum(axis=1), exact)

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        gain = distribution.marginals() * self._values(distribution.n_labels) / self.k
        return np.asarray(1.0 - gain @ answers.T)

    def _values(self, n_labels: int) -> Floats:
        values = np.asarray(1.0 if self.weights is None else self.weights, dtype=np.float64)
        if values.shape not in ((), (n_labels,)) or not np.isfinite(values).all() or (values < 0).any():
            raise ValueError(
                f"weights are {plain_repr(self.weights)}; expected one number of at least 0 for each of the "
                f"{n_labels} labels"
            )
        return np.broadcast_to(values, (n_labels,))
