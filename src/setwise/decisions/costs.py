"""Costs label by label: what a wrong and a right answer cost, each label by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear
from setwise.decisions.rule import Rule


@dataclass(frozen=True)
class Costs(Rule):
    """The answer with the least expected sum of costs over the labels; exact, from the marginals.

    Parameters
    ----------
    false_positive, false_negative : float or array of shape (L,)
        Cost of a label answered but not there, and of one there but not answered.
    true_positive, true_negative : float or array of shape (L,)
        Costs of right answers, zero by default; negative costs are gains.

    Examples
    --------
    Missing a label is nine times as bad as inventing one, so a label is answered from a probability of 0.1 on:

    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent(np.log([[0.05 / 0.95, 0.2 / 0.8, 0.6 / 0.4]]))
    >>> decided = joint.decide(Costs(false_positive=1, false_negative=9))
    >>> decided.labels, decided.expected_loss.round(2)
    (array([[0, 1, 1]], dtype=int8), array([1.65]))
    """

    false_positive: npt.ArrayLike = 1.0
    false_negative: npt.ArrayLike = 1.0
    true_positive: npt.ArrayLike = 0.0
    true_negative: npt.ArrayLike = 0.0

    def loss(self, truth: Any, answer: Any) -> Floats:
        """Sum of the labels' costs."""
        fp, fn, tp, tn = self._costs(np.shape(truth)[-1])
        on = np.where(truth == 1, tp, fp)
        off = np.where(truth == 1, fn, tn)
        return np.asarray(np.where(answer == 1, on, off).sum(axis=-1), dtype=np.float64)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        on, off = self._on_off(distribution)
        labels = best_linear(off - on, feasible)
        expected = np.where(labels == 1, on, off).sum(axis=1)
        return self._decided(distribution, labels, expected, np.ones(len(on), dtype=np.bool_))

    def _expected(self, distribution: Joint, answers: Labels) -> Floats:
        on, off = self._on_off(distribution)
        return np.asarray(on @ answers.T + off @ (1 - answers).T)

    def _on_off(self, distribution: Joint) -> tuple[Floats, Floats]:
        """Expected cost (n, L) of answering a label, and of not answering it."""
        fp, fn, tp, tn = self._costs(distribution.n_labels)
        p = distribution.marginals()
        return p * tp + (1.0 - p) * fp, p * fn + (1.0 - p) * tn

    def _costs(self, n_labels: int) -> list[Floats]:
        return [
            _cost(name, getattr(self, name), n_labels)
            for name in ("false_positive", "false_negative", "true_positive", "true_negative")
        ]


def _cost(name: str, cost: npt.ArrayLike, n_labels: int) -> Floats:
    values = np.asarray(cost, dtype=np.float64)
    if values.shape not in ((), (n_labels,)) or not np.isfinite(values).all():
        raise ValueError(
            f"{name} is {cost!r}; expected a finite number, or one for each of the {n_labels} labels"
        )
    return np.broadcast_to(values, (n_labels,))
