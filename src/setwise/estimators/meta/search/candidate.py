"""A candidate of a search: an estimator, what its fits cost, and how well they predict rows they have not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.contract import Floats, NotTractable
from setwise.estimators.meta.search.cost_curve import CostCurve

FAILURES = (ValueError, TypeError, ArithmeticError, MemoryError, NotTractable, np.linalg.LinAlgError)
"""Errors of a candidate that do not end the search; its status shows the error."""
LEFT_OUT = "left out"
NOT_TRIED = "not tried: the time was up"


@dataclass(eq=False)
class Candidate:
    """An estimator and the results of its fits.

    ``log_probs`` has the log-probabilities (v,) of the held-out rows of each round so far. ``model`` is the fit of the
    first round to ``fold_rows`` rows, or the final one; ``rows`` are those it was fitted to. ``cost`` is that of all
    its fits.
    """

    name: str
    template: Any
    curve: CostCurve
    status: str = NOT_TRIED
    rows: int = 0
    fold_rows: int = 0
    cost: float = 0.0
    log_probs: list[Floats] = field(default_factory=list)
    model: Any = field(default=None, repr=False)

    @property
    def is_able(self) -> bool:
        """Whether the candidate can be fitted to these rows and judged."""
        return not self.status.startswith(LEFT_OUT)

    @property
    def is_judged(self) -> bool:
        """Whether held-out rows were predicted."""
        return bool(self.log_probs)

    def fail(self, error: Exception) -> None:
        """Give the candidate up after an error."""
        self.status, self.log_probs, self.model = f"failed: {error}", [], None

    def loss(self, weights: list[Floats]) -> float:
        """Weighted mean loss of the rows of its rounds; infinite before a fit."""
        if not self.log_probs:
            return math.inf
        own = weights[: len(self.log_probs)]
        return -float(np.average(np.concatenate(self.log_probs), weights=np.concatenate(own)))

    def row(self, weights: list[Floats]) -> dict[str, Any]:
        """The candidate's row of the leaderboard."""
        losses = -np.concatenate(self.log_probs) if self.log_probs else np.empty(0)
        known = len(losses) > 0 and bool(np.isfinite(losses).all())
        return {
            "name": self.name,
            "log_loss": self.loss(weights) if self.log_probs else None,
            "standard_error": float(losses.std() / np.sqrt(len(losses))) if known else None,
            "rows": self.rows,
            "seconds": round(self.cost, 3),
            "status": self.status,
        }
