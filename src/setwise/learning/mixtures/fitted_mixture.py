"""A gate and experts on the rows they are fitted to: the mixture that all EM fits share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from setwise.arrays import Floats
from setwise.learning.mixtures.em import EMResult, run_em
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor, Trace

RELAXATION = 0.3
"""Factor by which a penalty falls when a weaker one is tried."""


@dataclass
class FittedMixture:
    """A gate and experts, able to continue EM and to score other rows.

    Parameters
    ----------
    rows : TrainingRows
    gate, experts : Part
        See :class:`setwise.learning.mixtures.em.Part`.
    """

    rows: TrainingRows
    gate: Any
    experts: Any

    def run(
        self,
        max_iter: int,
        monitor: Monitor | None = None,
        observe: Callable[[Trace], bool] | None = None,
        tol: float = 1e-5,
    ) -> EMResult:
        """Run EM from the current parameters; see :func:`setwise.learning.mixtures.em.run_em`."""
        options: dict[str, Any] = {"max_iter": max_iter, "tol": tol, "observe": observe, "monitor": monitor}
        return run_em(self.gate, self.experts, self.rows.weights, **options)

    def log_prob(self, rows: TrainingRows) -> Floats:
        """Compute the log-probability (n,) of the labels of other rows with the same columns."""
        return np.asarray(logsumexp(self.gate.log_values(rows) + self.experts.log_values(rows), axis=1))

    def held_out(self, rows: TrainingRows) -> float:
        """Compute the weighted log-likelihood of held-out rows."""
        return float(rows.weights @ self.log_prob(rows))

    def snapshot(self) -> tuple[State, State]:
        """Copy the parameters of the gate and of the experts."""
        return copy_state(self.gate.state()), copy_state(self.experts.state())

    def restore(self, snapshot: tuple[State, State]) -> None:
        """Return to a snapshot, which stays usable."""
        for part, state in zip((self.gate, self.experts), snapshot):
            part.restore(copy_state(state))


def copy_state(state: State) -> State:
    """Copy the arrays of a state."""
    return {name: array.copy() for name, array in state.items()}
