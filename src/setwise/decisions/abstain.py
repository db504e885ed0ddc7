"""Abstention: no answer if the model is not confident enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import FREE, Decided, Floats, Joint
from setwise.decisions.feasible import Feasible
from setwise.decisions.named import DECISIONS, resolve
from setwise.decisions.rule import Rule
from setwise.printable import plain_repr


@dataclass(frozen=True)
class Abstain(Rule):
    """Answer only if the expected loss is at most ``1 - confidence``; otherwise all labels are FREE (-1).

    With ``decision="subset"`` an answered set has a probability of at least ``confidence``. The rule is optimal if
    abstaining costs ``1 - confidence`` (Chow's rule), and that is the expected loss reported for such rows.

    Parameters
    ----------
    confidence : float
        From 0 to 1 for named losses, which lie in that range. Any number for other losses, such as :class:`Costs`.
    decision : str or rule, default="subset"
        The loss.

    Examples
    --------
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent([[3.0, -3.0], [0.1, 0.1]])
    >>> joint.decide(Abstain(0.8)).labels
    array([[ 1,  0],
           [-1, -1]], dtype=int8)
    """

    confidence: float
    decision: str | Rule = "subset"

    def __post_init__(self) -> None:
        if resolve(self.decision).whole_batch:
            raise ValueError(
                f"Abstain cannot use {self.decision!r}, the loss of a whole batch: it has no loss of one row"
            )
        share = is_share(self.decision)
        if not (0.0 <= self.confidence <= 1.0 if share else np.isfinite(self.confidence)):
            raise ValueError(
                f"confidence is {plain_repr(self.confidence)}; expected "
                + (
                    f"a number from 0 to 1 with the decision {self.decision!r}"
                    if share
                    else "a finite number"
                )
            )

    def loss(self, truth: Any, answer: Any) -> Floats:
        """The loss of ``decision``, or ``1 - confidence`` if there is no answer."""
        truth, answer = np.broadcast_arrays(truth, answer)
        none = (answer == FREE).any(axis=-1)
        losses = resolve(self.decision).loss(truth, np.maximum(answer, 0))
        return np.where(none, 1.0 - self.confidence, losses)

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers, and drop those with too large an expected loss."""
        answer = resolve(self.decision).within(distribution, feasible)
        unsure = answer.expected_loss > 1.0 - self.confidence
        return Decided(
            np.where(unsure[:, None], FREE, answer.labels).astype(np.int8),
            np.where(unsure, 1.0 - self.confidence, answer.expected_loss),
            np.where(unsure, 0.0, answer.standard_error),
            answer.certified,
        )

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        return self.within(distribution, feasible)


def is_share(decision: str | Rule) -> bool:
    """Whether a loss, possibly under constraints, lies between 0 and 1, as all named losses do."""
    rule = resolve(decision)
    inner = getattr(rule, "decision", None)
    return type(rule) in map(type, DECISIONS.values()) if inner is None else is_share(inner)
