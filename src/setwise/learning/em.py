"""Expectation-maximisation for conditional mixtures P(y | x) = sum_k w_k(x) p_k(y | x).

The loop knows neither gate nor experts by name. With responsibilities g_ik and row weights w_i it raises

    bound = sum_i w_i log sum_k exp(log_gate_ik + log_expert_ik) - gate penalty - expert penalty

at every iteration: the E-step makes the usual lower bound tight, and each M-step, of a few solver steps from
where the last one ended, does not lower it (generalised EM).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats

DEAD = 1e-3
"""A component whose responsibilities sum to less than this many rows is dead."""

State = dict[str, Array]
"""The parameters of a gate or of experts as plain arrays: what a checkpoint holds."""


class Part(Protocol):
    """A gate or the experts of a mixture."""

    def log_values(self) -> Floats:
        """Log weight, or log-probability of the row's labels, of each training row and component (n, K)."""

    def update(self, responsibilities: Floats) -> int:
        """A generalised M-step on responsibilities (n, K) times the row weights; the solver steps it took."""

    def penalty(self) -> float:
        """The penalty of the current parameters."""

    def drop(self, keep: Array) -> None:
        """Keep some of the components."""

    def state(self) -> State:
        """The parameters as arrays."""

    def restore(self, state: State) -> None:
        """Continue from parameters that :meth:`state` gave."""


@dataclass
class EMResult:
    """Where EM ended: responsibilities (n, K) times row weights, and a row of ``trace`` per iteration."""

    responsibilities: Floats
    converged: bool
    trace: list[dict[str, Any]] = field(repr=False)

    @property
    def bound(self) -> float:
        """The penalised log-likelihood at the end."""
        return float(self.trace[-1]["bound"])


def run_em(
    gate: Part,
    experts: Part,
    weights: Floats,
    *,
    max_iter: int = 100,
    tol: float = 1e-5,
    observe: Callable[[list[dict[str, Any]]], bool] | None = None,
    trace: list[dict[str, Any]] | None = None,
) -> EMResult:
    """Alternate until the bound rises by less than ``tol`` a unit of row weight, or ``max_iter`` iterations.

    Order of calls, until converged:
        responsibilities -> record -> observe -> drop dead components -> gate.update -> experts.update

    Parameters
    ----------
    gate, experts : Part
        Updated in place; their parameters on entry are the start.
    weights : ndarray of shape (n,)
    observe : callable, optional
        Is given the trace after each E-step; True stops the loop (early stopping, checkpoints, progress).
    trace : list, optional
        Rows of an interrupted run that goes on.
    """
    trace = [] if trace is None else trace
    clock, steps = time.perf_counter(), 0
    while True:
        responsibilities, bound, penalty = _expect(gate, experts, weights)
        row = {"iteration": len(trace), "bound": bound, "penalty": penalty, "solver_steps": steps}
        trace.append(row | {"seconds": time.perf_counter() - clock, "components": responsibilities.shape[1]})
        stopped = observe is not None and observe(trace)
        converged = len(trace) > 1 and bound - trace[-2]["bound"] < tol * weights.sum()
        if stopped or converged or len(trace) > max_iter:
            return EMResult(responsibilities, converged, trace)
        alive = responsibilities.sum(axis=0) > DEAD
        if not alive.all():
            gate.drop(alive)
            experts.drop(alive)
            responsibilities, _, _ = _expect(gate, experts, weights)
        steps = gate.update(responsibilities) + experts.update(responsibilities)


def _expect(gate: Part, experts: Part, weights: Floats) -> tuple[Floats, float, float]:
    joint = gate.log_values() + experts.log_values()
    total = np.asarray(logsumexp(joint, axis=1, keepdims=True))
    penalty = gate.penalty() + experts.penalty()
    responsibilities = np.exp(joint - total) * weights[:, None]
    return responsibilities, float(weights @ total[:, 0]) - penalty, penalty
