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
from typing import Protocol

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.checkpoint import State, check_alike
from setwise.learning.progress.monitor import Monitor, Trace

DEAD = 1e-3
"""A component whose responsibilities sum to less than this many rows of mean weight is dead."""


class Part(Protocol):
    """A gate or the experts of a mixture, fitted to the rows it was made with."""

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log weight, or log-probability of the row's labels, of each row and component (n, K).

        Of the rows it is fitted to, or of other rows of the same columns.
        """

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
    trace: Trace = field(repr=False)

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
    observe: Callable[[Trace], bool] | None = None,
    monitor: Monitor | None = None,
) -> EMResult:
    """Alternate until the bound rises by less than ``tol`` a unit of row weight, or ``max_iter`` iterations.

    Order of calls, until converged:
        responsibilities -> record -> observe -> drop dead components -> gate.update -> experts.update -> save

    Parameters
    ----------
    gate, experts : Part
        Updated in place; their parameters on entry are the start.
    weights : ndarray of shape (n,)
    observe : callable, optional
        Is given the trace after each E-step and may add to its last row; True stops the loop. What it
        remembers it must keep in the trace, or a resumed run would differ.
    monitor : Monitor, optional
        Told of every iteration; the run is one step of its checkpoint.
    """
    monitor = Monitor() if monitor is None else monitor
    trace, done, steps = _resume(gate, experts, monitor)
    clock = time.perf_counter() - (trace[-1]["seconds"] if trace else 0.0)
    while not done:
        responsibilities, bound, penalty = _expect(gate, experts, weights)
        row = {"iteration": len(trace), "bound": bound, "penalty": penalty, "solver_steps": steps}
        trace.append(row | {"seconds": time.perf_counter() - clock, "components": responsibilities.shape[1]})
        stopped = observe is not None and observe(trace)
        stopped = monitor.report(len(trace) - 1, max_iter, bound) or stopped
        if stopped or _converged(trace, tol * weights.sum()) or len(trace) > max_iter:
            monitor.save(_state(gate, experts), {"trace": trace, "steps": steps}, done=True)
            break
        alive = _alive(responsibilities, weights)
        if not alive.all():
            gate.drop(alive)
            experts.drop(alive)
            responsibilities, _, _ = _expect(gate, experts, weights)
        steps = gate.update(responsibilities) + experts.update(responsibilities)
        monitor.save(_state(gate, experts), {"trace": trace, "steps": steps}, done=False)
    if done:
        responsibilities, _, _ = _expect(gate, experts, weights)
    return EMResult(responsibilities, _converged(trace, tol * weights.sum()), trace)


def _alive(responsibilities: Floats, weights: Floats) -> Array:
    """Which components (K,) stand for enough rows; the largest always does."""
    size = responsibilities.sum(axis=0)
    return np.asarray(size > min(DEAD * weights.mean(), 0.5 * size.max()))


def _converged(trace: Trace, tol: float) -> bool:
    return len(trace) > 1 and trace[-1]["bound"] - trace[-2]["bound"] < tol


def _state(gate: Part, experts: Part) -> State:
    parts = {"gate": gate.state(), "experts": experts.state()}
    return {f"{part}.{name}": array for part, state in parts.items() for name, array in state.items()}


def _resume(gate: Part, experts: Part, monitor: Monitor) -> tuple[Trace, bool, int]:
    saved = monitor.next_step()
    if saved is None:
        return [], False, 0
    for name, part in {"gate.": gate, "experts.": experts}.items():
        state = {key.removeprefix(name): a for key, a in saved.state.items() if key.startswith(name)}
        check_alike(state, part.state())
        part.restore(state)
    return saved.record["trace"], saved.done, saved.record["steps"]


def _expect(gate: Part, experts: Part, weights: Floats) -> tuple[Floats, float, float]:
    joint = gate.log_values() + experts.log_values()
    total = np.asarray(logsumexp(joint, axis=1, keepdims=True))
    penalty = gate.penalty() + experts.penalty()
    responsibilities = np.exp(joint - total) * weights[:, None]
    return responsibilities, float(weights @ total[:, 0]) - penalty, penalty
