"""Expectation-maximization for conditional mixtures P(y | x) = sum_k w_k(x) p_k(y | x).

The loop works with any gate and experts. With row weights w_i it raises

    bound = sum_i w_i log sum_k exp(log_gate_ik + log_expert_ik) - gate penalty - expert penalty

at every iteration: the E-step makes the usual lower bound tight, and each M-step, a few solver steps from the current
parameters, does not lower it (generalized EM).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor, Trace
from setwise.learning.progress.saved_arrays import ADVICE

FIRST_STEPS, MOST_STEPS = 2, 10
"""Solver steps of the first M-steps, and of the last. Early responsibilities are still wrong: to solve for them exactly
takes three times as long, raises the bound no faster, and fits noise."""
ITERATIONS_PER_STEP = 4
"""Iterations of EM after which M-steps get one more solver step. All get the most once short ones gain nothing."""
DEAD = 1e-3
"""A component is dropped if its responsibilities sum to less than this many rows of mean weight."""


class Part(Protocol):
    """A gate or the experts of a mixture, fitted to the rows it was made with."""

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log weight, or the log-probability of the row's labels, of each row and component (n, K).

        ``rows`` are the rows it is fitted to by default, or other rows with the same columns.
        """

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Do a generalized M-step on responsibilities (n, K) times row weights, and return the solver steps.

        A part that is fitted by a solver takes at most ``steps`` of its steps.
        """

    def penalty(self) -> float:
        """Compute the penalty of the current parameters."""

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""

    def state(self) -> State:
        """Return the parameters as arrays."""

    def restore(self, state: State) -> None:
        """Continue from parameters that :meth:`state` returned."""


@dataclass
class EMResult:
    """The result of EM: responsibilities (n, K) times row weights, and a ``trace`` with a row per iteration."""

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
    expect: Callable[[Part, Part, Any], tuple[Any, float, float]] | None = None,
) -> EMResult:
    """Alternate E- and M-steps until the bound improves by less than ``tol`` per unit of row weight.

    Order of calls, until converged:
        responsibilities -> record -> observe -> drop dead components -> gate.update -> experts.update -> save

    Parameters
    ----------
    gate, experts : Part
        Updated in place; EM starts from their parameters.
    weights : ndarray of shape (n,)
    max_iter : int, default=100
        Largest number of iterations.
    tol : float, default=1e-5
    observe : callable, optional
        Called with the trace after each E-step; it may add to the last row, and True stops the loop. It must keep
        what it remembers in the trace, or a resumed run would differ.
    monitor : Monitor, optional
        Receives every iteration; the run is one step of its checkpoint.
    expect : callable, optional
        The E-step ``expect(gate, experts, weights)``: responsibilities, bound and penalty. By default, that of rows in
        memory.

    Returns
    -------
    EMResult
    """
    expect = _expect if expect is None else expect
    monitor = Monitor() if monitor is None else monitor
    trace, done, steps = _resume(gate, experts, monitor)
    clock, least = time.perf_counter() - (trace[-1]["seconds"] if trace else 0.0), tol * weights.sum()
    while not done:
        responsibilities, bound, penalty = expect(gate, experts, weights)
        row = {"iteration": len(trace), "bound": bound, "penalty": penalty, "solver_steps": steps}
        trace.append(row | {"seconds": time.perf_counter() - clock, "components": responsibilities.shape[1]})
        stopped = observe is not None and observe(trace)
        stopped = monitor.report(len(trace) - 1, max_iter, bound) or stopped
        if stopped or _converged(trace, least) or len(trace) > max_iter:
            monitor.save(_state(gate, experts), {"trace": trace, "steps": steps}, done=True)
            break
        alive = _alive(responsibilities, weights)
        if not alive.all():
            gate.drop(alive)
            experts.drop(alive)
            responsibilities, _, _ = expect(gate, experts, weights)
        most = _most_steps(trace, least)
        steps = gate.update(responsibilities, most) + experts.update(responsibilities, most)
        monitor.save(_state(gate, experts), {"trace": trace, "steps": steps}, done=False)
    if done:
        responsibilities, _, _ = expect(gate, experts, weights)
    return EMResult(responsibilities, _converged(trace, least), trace)


def _alive(responsibilities: Floats, weights: Floats) -> Array:
    """Mark the components (K,) with enough rows; the largest always counts."""
    size = responsibilities.sum(axis=0)
    return np.asarray(size > min(DEAD * weights.mean(), 0.5 * size.max()))


def _most_steps(trace: Trace, least: float) -> int:
    """The solver steps that the next M-step may take; it follows from the trace, so that a resumed run agrees."""
    settled = any(after["bound"] - before["bound"] < least for before, after in itertools.pairwise(trace))
    return MOST_STEPS if settled else min(MOST_STEPS, FIRST_STEPS + (len(trace) - 1) // ITERATIONS_PER_STEP)


def _converged(trace: Trace, least: float) -> bool:
    """Whether the last M-step was a long one, and still gained less than ``least``: a short one shows nothing."""
    if len(trace) < 2 or _most_steps(trace[:-1], least) < MOST_STEPS:
        return False
    return bool(trace[-1]["bound"] - trace[-2]["bound"] < least)


def _state(gate: Part, experts: Part) -> State:
    parts = {"gate": gate.state(), "experts": experts.state()}
    return {f"{part}.{name}": array for part, state in parts.items() for name, array in state.items()}


def _resume(gate: Part, experts: Part, monitor: Monitor) -> tuple[Trace, bool, int]:
    saved = monitor.next_step()
    if saved is None:
        return [], False, 0
    for name, part in {"gate.": gate, "experts.": experts}.items():
        state = {key.removeprefix(name): a for key, a in saved.state.items() if key.startswith(name)}
        part.restore(state)
    trace, steps = _record(saved.record)
    if gate.log_values().shape != experts.log_values().shape:
        raise ValueError(f"the gate and the experts of the checkpoint differ in components; {ADVICE}")
    return trace, saved.done, steps


def _record(record: Any) -> tuple[Trace, int]:
    """The iterations and solver steps that a checkpoint reports."""
    match record:
        case {"trace": [_, *_] as trace, "steps": int(steps)} if all(map(_is_row, trace)):
            return trace, steps
    raise ValueError(f"the checkpoint reports no iterations of EM; {ADVICE}")


def _is_row(row: Any) -> bool:
    numbers = ("iteration", "bound", "penalty", "solver_steps", "seconds", "components")
    return isinstance(row, dict) and all(isinstance(row.get(name), (int, float)) for name in numbers)


def _expect(gate: Part, experts: Part, weights: Floats) -> tuple[Floats, float, float]:
    joint = gate.log_values() + experts.log_values()
    total = np.asarray(logsumexp(joint, axis=1, keepdims=True))
    penalty = gate.penalty() + experts.penalty()
    responsibilities = np.exp(joint - total) * weights[:, None]
    return responsibilities, float(weights @ total[:, 0]) - penalty, penalty
