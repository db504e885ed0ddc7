"""Choosing a conditional Bernoulli mixture by held-out joint log-likelihood: penalties, components, iterations.

Penalties first, for a mixture of moderate size: EM goes on from one penalty to the next, weaker one, so a step
costs a few iterations and not a fit. Then the start and the number of components, each fitted until the
held-out log-likelihood falls, which gives the number of iterations too. Many rows are thinned for all this; as fewer
rows are overfitted sooner, the number of iterations is then found on all of them.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.mixtures.bernoulli import Mixture, MixtureSettings
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor, Trace

L2_STEPS = (1.0, 0.3, 0.1, 0.03, 0.01)
"""Penalties of gate and experts, in units of the total variance of the columns."""
COMPONENTS = (1, 3, 6, 12, 20, 30, 50, 80)
TRIAL_COMPONENTS = 12
PER_SET = 4
"""Components at most, for each distinct label set."""
FREER = 0.3
"""The factor by which the gate's penalty falls once the components are chosen."""
START_ITERATIONS = 5
STEP_ITERATIONS = 2
MAX_TRIAL_ROWS = 8000
TIE = 0.02
"""Held-out log-likelihoods this close, relatively, are as good as one another. Clusters and more components
then win: they sharpen the mode, which the log-likelihood hardly sees."""
ITERATIONS_TIE = 0.01
"""The same for iterations, of which as many are done as are as good as the best."""
CLEARLY = 0.01
"""A freer gate must gain so much, relatively."""
STARTS = ("bernoulli_mixture", "clusters")
N_MIXTURES = 3
"""Mixtures whose mean is the model where the number of components is free."""
SMALL = 3000
"""Up to so many rows three folds are held out in turn, beyond only one."""


@dataclass
class Trial:
    """A mixture on some rows, judged on others."""

    mixture: Mixture
    outside: Rows

    def held_out(self) -> float:
        """Joint log-likelihood of the held-out rows."""
        joint = self.mixture.gate.log_values(self.outside) + self.mixture.experts.log_values(self.outside)
        return float(self.outside.weights @ np.asarray(logsumexp(joint, axis=1)))

    def advance(self, settings: MixtureSettings, n_iter: int, monitor: Monitor) -> float:
        """Go on under other penalties; the held-out log-likelihood after that."""
        self.mixture.experts.l2[:] = settings.l2
        self.mixture.gate.l2 = settings.gate_l2
        self.mixture.run(n_iter, monitor)
        return self.held_out()

    def snapshot(self) -> tuple[State, State]:
        """The parameters, to come back to."""
        states = self.mixture.gate.state(), self.mixture.experts.state()
        gate, experts = ({name: a.copy() for name, a in state.items()} for state in states)
        return gate, experts

    def back_to(self, snapshot: tuple[State, State]) -> None:
        """Return to a snapshot, which stays usable."""
        gate, experts = ({name: a.copy() for name, a in state.items()} for state in snapshot)
        self.mixture.gate.restore(gate)
        self.mixture.experts.restore(experts)


@dataclass
class Tuning:
    """Splits to try settings on, and a table of what was tried."""

    splits: list[tuple[Rows, Rows]]
    monitor: Monitor
    table: list[dict[str, Any]] = field(default_factory=list)

    def note(self, settings: MixtureSettings, value: float, iterations: int) -> float:
        """Put a line in the table."""
        names = ("n_components", "init", "l2", "gate_l2")
        tried = {name: getattr(settings, name) for name in names}
        self.table.append(tried | {"iterations": iterations, "held_out": value})
        return value


def tune_mixture(
    rows: Rows, settings: MixtureSettings, free: set[str], monitor: Monitor
) -> tuple[MixtureSettings, list[dict[str, Any]]]:
    """Choose the ``free`` ones of l2, gate_l2, init and n_components, and the number of iterations.

    Returns the settings and a table of what was tried. Data of more than MAX_TRIAL_ROWS rows are thinned.
    """
    tuning = Tuning(_splits(rows), monitor)
    n_init = min(settings.n_init, 3)
    trial = replace(settings, n_init=n_init)
    if "n_components" in free:
        trial = replace(trial, n_components=min(TRIAL_COMPONENTS, len(np.unique(rows.Y, axis=0))))
    penalties = free & {"l2", "gate_l2"}
    if penalties and settings.learner == "logistic":
        trial = _choose_penalties(tuning, trial, sorted(penalties), rows.design.total_variance)
    most = PER_SET * len(np.unique(rows.Y, axis=0))
    candidates = [K for K in COMPONENTS if most >= K] if "n_components" in free else []
    starts = [replace(trial, init=init) for init in (STARTS if "init" in free else (trial.init,))]
    frees = "gate_l2" in free and settings.learner == "logistic"
    thinned, iterations = len(rows) > MAX_TRIAL_ROWS, 0
    if len(starts) > 1 or candidates or frees or not thinned:
        trial, iterations = _choose_components(tuning, starts, candidates, frees)
    chosen = replace(trial, n_init=settings.n_init)
    if thinned:
        monitor.task(f"tuning: iterations of {chosen.n_components} components")
        iterations = _as_long_as_good([rows.split(0)], chosen, monitor)[1]
    if "n_components" in free:
        chosen = replace(chosen, n_mixtures=N_MIXTURES)
    return replace(chosen, max_iter=max(iterations, 1)), tuning.table


def _splits(rows: Rows) -> list[tuple[Rows, Rows]]:
    if len(rows) > MAX_TRIAL_ROWS:
        rows = rows.take(sample_rows(rows.X, MAX_TRIAL_ROWS))
    assert rows.fold is not None
    return [rows.split(fold) for fold in range(3 if len(rows) <= SMALL else 1)]


def _choose_penalties(
    tuning: Tuning, settings: MixtureSettings, names: list[str], scale: float
) -> MixtureSettings:
    """Down the path with all free penalties together, then each one a step up or down from the best."""
    path = [settings.with_penalties(dict.fromkeys(names, step * scale)) for step in L2_STEPS]
    trials = [Trial(Mixture.start(inside, path[0]), outside) for inside, outside in tuning.splits]
    best, best_value, snapshots = path[0], -np.inf, [trial.snapshot() for trial in trials]
    for number, candidate in enumerate(path):
        value = _advance(tuning, trials, candidate, STEP_ITERATIONS if number else START_ITERATIONS)
        if value > best_value:
            best, best_value, snapshots = candidate, value, [trial.snapshot() for trial in trials]
        elif number > path.index(best) + 1:
            break
    for name in names if len(names) > 1 else []:
        values = {}
        for factor in (1.0, 0.3, 3.0):
            for trial, snapshot in zip(trials, snapshots):
                trial.back_to(snapshot)
            candidate = best.with_penalties({name: factor * getattr(best, name)})
            values[candidate] = _advance(tuning, trials, candidate, STEP_ITERATIONS)
        best = max(values, key=lambda c: values[c])
    return best


def _advance(tuning: Tuning, trials: list[Trial], settings: MixtureSettings, n_iter: int) -> float:
    tuning.monitor.task(f"tuning: penalties {settings.l2:.3g} and {settings.gate_l2:.3g}")
    value = sum(trial.advance(settings, n_iter, tuning.monitor) for trial in trials)
    return tuning.note(settings, value, n_iter)


def _choose_components(
    tuning: Tuning, starts: list[MixtureSettings], candidates: Sequence[int], frees: bool
) -> tuple[MixtureSettings, int]:
    """With the better start, the largest of the ``candidates`` that are as good as the best, and its iterations.

    More components can afford a freer gate, and a freer gate more components: where ``frees``, both go on as
    long as the held-out rows gain.
    """
    begun = {start: _fit_until_it_falls(tuning, start) for start in starts}
    enough = _as_good_as(max(value for value, _ in begun.values()))
    settings = [start for start in starts if begun[start][0] >= enough][-1]
    best, (value, iterations) = _resized(tuning, settings, begun[settings], candidates)
    while frees:
        freer = replace(best, gate_l2=FREER * best.gate_l2)
        fitted = _fit_until_it_falls(tuning, freer)
        if value >= _as_good_as(fitted[0], CLEARLY):
            break
        more = [K for K in candidates if best.n_components < K]
        best, (value, iterations) = _resized(tuning, freer, fitted, more)
    return best, iterations


def _resized(
    tuning: Tuning, settings: MixtureSettings, fitted: tuple[float, int], candidates: Sequence[int]
) -> tuple[MixtureSettings, tuple[float, int]]:
    """The most components that are as good as the best, with their held-out log-likelihood and iterations.

    More are tried until some are clearly worse; fewer only where the first of those are.
    """
    more = candidates[bisect.bisect_right(candidates, settings.n_components) :]
    fewer = candidates[: bisect.bisect_left(candidates, settings.n_components)][::-1]
    tried = {settings: fitted}
    for direction in (more, fewer):
        for n_components in direction:
            candidate = replace(settings, n_components=n_components)
            tried[candidate] = _fit_until_it_falls(tuning, candidate)
            if tried[candidate][0] < _as_good_as(max(value for value, _ in tried.values())):
                break
        if len(tried) > 2:
            break
    enough = _as_good_as(max(value for value, _ in tried.values()))
    best = max((s for s in tried if tried[s][0] >= enough), key=lambda s: s.n_components)
    return best, tried[best]


def _as_good_as(log_likelihood: float, tie: float = TIE) -> float:
    """What is as good as a held-out log-likelihood."""
    return log_likelihood - tie * abs(log_likelihood)


def _fit_until_it_falls(tuning: Tuning, settings: MixtureSettings) -> tuple[float, int]:
    """The largest held-out log-likelihood over the iterations, summed over the splits, and the last as good."""
    tuning.monitor.task(f"tuning: {settings.n_components} components from {settings.init}")
    value, last = _as_long_as_good(tuning.splits, settings, tuning.monitor)
    return tuning.note(settings, value, last), last


def _as_long_as_good(
    splits: list[tuple[Rows, Rows]], settings: MixtureSettings, monitor: Monitor
) -> tuple[float, int]:
    curves = [_held_out_curve(inside, outside, settings, monitor) for inside, outside in splits]
    length = max(len(curve) for curve in curves)
    total = np.sum([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves], axis=0)
    last = int(np.flatnonzero(total >= _as_good_as(total.max(), ITERATIONS_TIE))[-1])
    return float(total.max()), last


def _held_out_curve(inside: Rows, outside: Rows, settings: MixtureSettings, monitor: Monitor) -> Floats:
    """Held-out log-likelihood after each EM iteration, until it is clearly worse than it was."""
    trial = Trial(Mixture.start(inside, settings), outside)

    def observe(trace: Trace) -> bool:
        trace[-1]["held_out"] = trial.held_out()
        best = max(row["held_out"] for row in trace)
        return bool(trace[-1]["held_out"] < _as_good_as(best, ITERATIONS_TIE))

    result = trial.mixture.run(settings.max_iter, monitor, observe)
    return np.array([row["held_out"] for row in result.trace])
