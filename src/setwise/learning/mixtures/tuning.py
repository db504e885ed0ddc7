"""Choosing a conditional Bernoulli mixture by held-out joint log-likelihood: penalties, components, iterations.

Penalties come first, for a mixture of moderate size: EM continues from one penalty to the next, weaker one, so a step
costs a few iterations instead of a fit. Then come the start and the number of components, each fitted until the
held-out log-likelihood drops, which also gives the number of iterations. Large data are sampled for all this; as fewer
rows are overfitted sooner, the number of iterations is then found on all rows.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from setwise.arrays import Floats
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.mixtures.bernoulli import MixtureSettings, start_mixture
from setwise.learning.mixtures.fitted_mixture import RELAXATION, FittedMixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor, Trace

L2_STEPS = (1.0, 0.3, 0.1, 0.03, 0.01)
"""Penalties of gate and experts, in units of the total variance of the columns."""
COMPONENTS = (1, 3, 6, 12, 20, 30, 50, 80)
"""Numbers of components to try."""
TRIAL_COMPONENTS = 12
"""Components of the mixture on which the penalties are chosen."""
PER_SET = 4
"""Most components for each distinct label set."""
START_ITERATIONS = 5
"""EM iterations under the strongest penalty."""
STEP_ITERATIONS = 2
"""EM iterations under each weaker penalty."""
MAX_TRIAL_ROWS = 8000
"""Sample of the rows on which settings are tried."""
TIE = 0.02
"""Relative difference of held-out log-likelihoods that counts as a tie. Ties go to clusters and to more components:
they sharpen the mode, which the log-likelihood hardly rewards."""
ITERATIONS_TIE = 0.01
"""The same for iterations: the last iteration within this of the best is used."""
CLEARLY = 0.01
"""Relative improvement that a weaker penalty of the gate must bring."""
STARTS = ("bernoulli_mixture", "clusters")
N_MIXTURES = 3
"""Mixtures whose mean is the model if the number of components is chosen."""
SMALL = 3000
"""Use three folds up to this many rows, one beyond."""


@dataclass
class Trial:
    """A mixture on some rows, judged on others."""

    mixture: FittedMixture
    outside: TrainingRows

    def held_out(self) -> float:
        """Compute the joint log-likelihood of the held-out rows."""
        return self.mixture.held_out(self.outside)

    def advance(self, settings: MixtureSettings, n_iter: int, monitor: Monitor) -> float:
        """Continue under other penalties, and return the held-out log-likelihood."""
        self.mixture.experts.l2[:] = settings.l2
        self.mixture.gate.l2 = settings.gate_l2
        self.mixture.run(n_iter, monitor)
        return self.held_out()


@dataclass
class Tuning:
    """Splits to try settings on, and a table of the settings tried."""

    splits: list[tuple[TrainingRows, TrainingRows]]
    monitor: Monitor
    table: list[dict[str, Any]] = field(default_factory=list)

    def note(self, settings: MixtureSettings, value: float, iterations: int) -> float:
        """Add a line to the table, and return the value."""
        names = ("n_components", "init", "l2", "gate_l2")
        tried = {name: getattr(settings, name) for name in names}
        self.table.append(tried | {"iterations": iterations, "held_out": value})
        return value


def tune_mixture(
    rows: TrainingRows, settings: MixtureSettings, free: set[str], monitor: Monitor
) -> tuple[MixtureSettings, list[dict[str, Any]]]:
    """Choose settings by the held-out joint log-likelihood.

    Parameters
    ----------
    rows : TrainingRows
        A sample of them is used if there are more than ``MAX_TRIAL_ROWS``.
    settings : MixtureSettings
    free : set of str
        Names of the settings to choose: "l2", "gate_l2", "init", "n_components". The number of iterations always is.
    monitor : Monitor

    Returns
    -------
    settings : MixtureSettings
    table : list of dict
        A line for each trial.
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
    relaxes = "gate_l2" in free and settings.learner == "logistic"
    sampled, iterations = len(rows) > MAX_TRIAL_ROWS, 0
    if len(starts) > 1 or candidates or relaxes or not sampled:
        trial, iterations = _choose_components(tuning, starts, candidates, relaxes)
    chosen = replace(trial, n_init=settings.n_init)
    if sampled:
        monitor.task(f"tuning: iterations of {chosen.n_components} components")
        iterations = _best_iterations([rows.split(0)], chosen, monitor)[1]
    if "n_components" in free:
        chosen = replace(chosen, n_mixtures=N_MIXTURES)
    return replace(chosen, max_iter=max(iterations, 1)), tuning.table


def _splits(rows: TrainingRows) -> list[tuple[TrainingRows, TrainingRows]]:
    if len(rows) > MAX_TRIAL_ROWS:
        rows = rows.take(sample_rows(rows.X, MAX_TRIAL_ROWS))
    assert rows.fold is not None
    return [rows.split(fold) for fold in range(3 if len(rows) <= SMALL else 1)]


def _choose_penalties(
    tuning: Tuning, settings: MixtureSettings, names: list[str], scale: float
) -> MixtureSettings:
    """Walk down the path with all free penalties together, then try each one a step up or down from the best."""
    path = [settings.with_penalties(dict.fromkeys(names, step * scale)) for step in L2_STEPS]
    trials = [Trial(start_mixture(inside, path[0]), outside) for inside, outside in tuning.splits]
    best, best_value, snapshots = path[0], -np.inf, _snapshots(trials)
    for number, candidate in enumerate(path):
        value = _advance(tuning, trials, candidate, STEP_ITERATIONS if number else START_ITERATIONS)
        if value > best_value:
            best, best_value, snapshots = candidate, value, _snapshots(trials)
        elif number > path.index(best) + 1:
            break
    for name in names if len(names) > 1 else []:
        values = {}
        for factor in (1.0, 0.3, 3.0):
            for trial, snapshot in zip(trials, snapshots):
                trial.mixture.restore(snapshot)
            candidate = best.with_penalties({name: factor * getattr(best, name)})
            values[candidate] = _advance(tuning, trials, candidate, STEP_ITERATIONS)
        best = max(values, key=lambda c: values[c])
    return best


def _snapshots(trials: list[Trial]) -> list[tuple[State, State]]:
    return [trial.mixture.snapshot() for trial in trials]


def _advance(tuning: Tuning, trials: list[Trial], settings: MixtureSettings, n_iter: int) -> float:
    tuning.monitor.task(f"tuning: penalties {settings.l2:.3g} and {settings.gate_l2:.3g}")
    value = sum(trial.advance(settings, n_iter, tuning.monitor) for trial in trials)
    return tuning.note(settings, value, n_iter)


def _choose_components(
    tuning: Tuning, starts: list[MixtureSettings], candidates: Sequence[int], relaxes: bool
) -> tuple[MixtureSettings, int]:
    """Choose the better start, the number of components among the ``candidates``, and the iterations.

    More components work with a weaker penalty of the gate, and a weaker penalty with more components. If the penalty
    may be relaxed, both continue as long as the held-out log-likelihood improves.
    """
    begun = {start: _try(tuning, start) for start in starts}
    enough = _tied_with(max(value for value, _ in begun.values()))
    settings = [start for start in starts if begun[start][0] >= enough][-1]
    best, (value, iterations) = _choose_size(tuning, settings, begun[settings], candidates)
    while relaxes:
        relaxed = replace(best, gate_l2=RELAXATION * best.gate_l2)
        fitted = _try(tuning, relaxed)
        if value >= _tied_with(fitted[0], CLEARLY):
            break
        more = [K for K in candidates if best.n_components < K]
        best, (value, iterations) = _choose_size(tuning, relaxed, fitted, more)
    return best, iterations


def _choose_size(
    tuning: Tuning, settings: MixtureSettings, fitted: tuple[float, int], candidates: Sequence[int]
) -> tuple[MixtureSettings, tuple[float, int]]:
    """Choose the most components tied with the best; also return their held-out log-likelihood and iterations.

    Larger numbers are tried until one is clearly worse; smaller ones only if the first larger one is.
    """
    more = candidates[bisect.bisect_right(candidates, settings.n_components) :]
    fewer = candidates[: bisect.bisect_left(candidates, settings.n_components)][::-1]
    tried = {settings: fitted}
    for direction in (more, fewer):
        for n_components in direction:
            candidate = replace(settings, n_components=n_components)
            tried[candidate] = _try(tuning, candidate)
            if tried[candidate][0] < _tied_with(max(value for value, _ in tried.values())):
                break
        if len(tried) > 2:
            break
    enough = _tied_with(max(value for value, _ in tried.values()))
    best = max((s for s in tried if tried[s][0] >= enough), key=lambda s: s.n_components)
    return best, tried[best]


def _tied_with(log_likelihood: float, tie: float = TIE) -> float:
    """Compute the smallest log-likelihood that ties with a given one."""
    return log_likelihood - tie * abs(log_likelihood)


def _try(tuning: Tuning, settings: MixtureSettings) -> tuple[float, int]:
    """Fit until the held-out log-likelihood drops; return its best value and the iterations."""
    tuning.monitor.task(f"tuning: {settings.n_components} components from {settings.init}")
    value, last = _best_iterations(tuning.splits, settings, tuning.monitor)
    return tuning.note(settings, value, last), last


def _best_iterations(
    splits: list[tuple[TrainingRows, TrainingRows]], settings: MixtureSettings, monitor: Monitor
) -> tuple[float, int]:
    """Sum the held-out curves of the splits; return the best value and the last iteration that ties with it."""
    curves = [_held_out_curve(inside, outside, settings, monitor) for inside, outside in splits]
    length = max(len(curve) for curve in curves)
    total = np.sum([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves], axis=0)
    last = int(np.flatnonzero(total >= _tied_with(total.max(), ITERATIONS_TIE))[-1])
    return float(total.max()), last


def _held_out_curve(
    inside: TrainingRows, outside: TrainingRows, settings: MixtureSettings, monitor: Monitor
) -> Floats:
    """Compute the held-out log-likelihood after each EM iteration, until it is clearly worse than before."""
    trial = Trial(start_mixture(inside, settings), outside)

    def observe(trace: Trace) -> bool:
        trace[-1]["held_out"] = trial.held_out()
        best = max(row["held_out"] for row in trace)
        return bool(trace[-1]["held_out"] < _tied_with(best, ITERATIONS_TIE))

    result = trial.mixture.run(settings.max_iter, monitor, observe)
    return np.array([row["held_out"] for row in result.trace])
