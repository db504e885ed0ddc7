"""Costs per label: what a wrong or a right answer costs for each label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array, Decided, Floats, Joint, Labels, by_label, find_label
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear
from setwise.decisions.rule import Rule
from setwise.printable import plain_repr

Cost = npt.ArrayLike | Mapping[str | int, float]
"""A cost for all labels, one per label, or a mapping from some labels to costs."""


@dataclass(frozen=True)
class Costs(Rule):
    """The answer with the smallest expected sum of costs over the labels. It follows exactly from the marginals.

    Parameters
    ----------
    false_positive, false_negative : float, array of shape (L,), mapping or Series
        Cost of a wrong label in the answer, and of a label missing from it. A mapping gives the cost of some labels, by
        name or number; the others cost 1.
    true_positive, true_negative : float, array of shape (L,), mapping or Series
        Costs of right answers, zero by default. Negative costs are gains.

    Examples
    --------
    Missing a label is nine times as bad as adding a wrong one, so labels are on from a probability of 0.1:

    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent(np.log([[0.05 / 0.95, 0.2 / 0.8, 0.6 / 0.4]]))
    >>> decided = joint.decide(Costs(false_positive=1, false_negative=9))
    >>> decided.labels, decided.expected_loss.round(2)
    (array([[0, 1, 1]], dtype=int8), array([1.65]))

    Only one label is expensive to miss:

    >>> joint.label_names = np.array(["rain", "fog", "snow"])
    >>> joint.decide(Costs(false_negative={"rain": 30})).labels
    array([[1, 0, 1]], dtype=int8)
    """

    false_positive: Cost = 1.0
    false_negative: Cost = 1.0
    true_positive: Cost = 0.0
    true_negative: Cost = 0.0

    @classmethod
    def at_thresholds(cls, thresholds: npt.ArrayLike) -> Self:
        """The costs by which a label is answered if its probability is above a threshold.

        A threshold t stands for costs of t for a wrong label and 1 - t for a missing one.

        Parameters
        ----------
        thresholds : float or array of shape (L,)
            From 0 to 1.

        Returns
        -------
        Costs

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> joint = ForestMixture.independent([[0.0, 0.0]])
        >>> joint.decide(Costs.at_thresholds([0.4, 0.6])).labels
        array([[1, 0]], dtype=int8)
        """
        t = np.asarray(thresholds, dtype=np.float64)
        if not ((t >= 0.0) & (t <= 1.0)).all():
            raise ValueError(f"thresholds are {plain_repr(thresholds)}; expected numbers from 0 to 1")
        return cls(false_positive=t, false_negative=1.0 - t)

    def loss(self, truth: Any, answer: Any) -> Floats:
        """Sum of the labels' costs. Arrays have no label names, so costs by name are an error."""
        fp, fn, tp, tn = self._costs(np.shape(truth)[-1], None)
        on = np.where(truth == 1, tp, fp)
        off = np.where(truth == 1, fn, tn)
        return np.asarray(np.where(answer == 1, on, off).sum(axis=-1), dtype=np.float64)

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers, with costs matched to the distribution's label names."""
        costs = Costs(*self._costs(distribution.n_labels, distribution.label_names))
        return super(Costs, costs).within(distribution, feasible)

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the best answers from the marginals alone: draws would only tell the error of the expected cost."""
        if feasible.among is not None or not distribution.sampled:
            return super().labels(distribution, feasible)
        costs = Costs(*self._costs(distribution.n_labels, distribution.label_names))
        found = [costs._on_off(part) for part in self._parts(distribution, feasible)]
        return np.concatenate([best_linear(off - on, feasible) for on, off in found])

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        on, off = self._on_off(distribution)
        labels = best_linear(off - on, feasible)
        expected = np.where(labels == 1, on, off).sum(axis=1)
        return self._decided(distribution, labels, expected, np.ones(len(on), dtype=np.bool_))

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        on, off = self._on_off(distribution)
        return np.asarray(on @ answers.T + off @ (1 - answers).T)

    def _on_off(self, distribution: Joint) -> tuple[Floats, Floats]:
        """Expected cost (n, L) of including a label in the answer, and of leaving it out."""
        fp, fn, tp, tn = self._costs(distribution.n_labels, distribution.label_names)
        p = distribution.marginals()
        return p * tp + (1.0 - p) * fp, p * fn + (1.0 - p) * tn

    def _costs(self, n_labels: int, names: Array | None) -> list[Floats]:
        return [
            _cost(field.name, getattr(self, field.name), field.default, n_labels, names)
            for field in fields(self)
        ]


def _cost(name: str, cost: Cost, default: Any, n_labels: int, names: Array | None) -> Floats:
    """The cost (L,) of each label."""
    some = by_label(cost)
    values = np.asarray(cost, dtype=np.float64) if some is None else np.full(n_labels, default)
    for label, own in (some or {}).items():
        values[find_label(label, n_labels, names)] = own
    if values.shape not in ((), (n_labels,)) or not np.isfinite(values).all():
        raise ValueError(
            f"{name} is {plain_repr(cost)}; expected a finite number, one for each of the {n_labels} labels, "
            "or a mapping from labels to numbers"
        )
    return np.broadcast_to(values, (n_labels,))
