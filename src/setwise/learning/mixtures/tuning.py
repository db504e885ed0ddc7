"""Choosing a conditional Bernoulli mixture by held-out joint log-likelihood: penalties, start, components, iterations.

Penalties come first, for a mixture of moderate size: EM continues from one penalty to the next, weaker one, so a step
costs a few iterations instead of a fit. Then starts and numbers of components race (:mod:`.racing`), and the penalties
are adjusted to the winner; under these, more components are tried once. All this happens on one split. The winner is
then fitted on further splits, and these fits are not lost: EM continues them on all rows, and the model is their mean.
Large data are sampled for the choices.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from setwise.learning.by_content.sample import sample_rows
from setwise.learning.mixtures.bernoulli import MixtureSettings
from setwise.learning.mixtures.fitted_mixture import FittedMixture
from setwise.learning.mixtures.racing import Trial, below, race, rounds
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor

L2_STEPS = (1.0, 0.3, 0.1, 0.03, 0.01)
"""Penalties of gate and experts, in units of the total variance of the columns."""
COMPONENTS = (1, 3, 6, 12, 20, 40, 80)
"""Numbers of components to try."""
TRIAL_COMPONENTS = 12
"""Components of the mixture on which the penalties are chosen."""
PER_SET = 4
"""Most components for each distinct label set."""
START_ITERATIONS = 4
"""EM iterations under the strongest penalty."""
STEP_ITERATIONS = 2
"""EM iterations under each weaker penalty."""
FACTORS = (0.3, 3.0)
"""Factors by which penalties are adjusted to the winner."""
ADJUSTED_ITERATIONS = 8
"""EM iterations under each of them. After two, a weaker gate on scene showed nothing of the 4 % that it gains."""
MOST_ADJUSTMENTS = 4
MAX_TRIAL_ROWS = 8000
"""Sample of the rows on which settings are tried."""
TIE = 0.02
"""Relative difference of held-out log-likelihoods that counts as a tie. Ties go to clusters and to more components:
they sharpen the mode, which the log-likelihood hardly rewards."""
CLEARLY = 0.002
"""Relative improvement that another penalty must bring."""
STARTS = ("bernoulli_mixture", "clusters")
N_MIXTURES = 3
"""Mixtures whose mean is the model if the number of components is chosen."""
SMALL = 3000
"""Three folds up to this many rows, four beyond."""


@dataclass
class Tuning:
    """The split to try settings on, and a table of the settings tried."""

    split: tuple[TrainingRows, TrainingRows]
    max_iter: int
    monitor: Monitor
    table: list[dict[str, Any]] = field(default_factory=list)

    def note(self, settings: MixtureSettings, value: float, iterations: int) -> float:
        """Add a line to the table, and return the value."""
        names = ("n_components", "init", "l2", "gate_l2")
        tried = {name: getattr(settings, name) for name in names}
        self.table.append(tried | {"iterations": iterations, "held_out": value})
        return value


@dataclass
class Tuned:
    """Settings, mixtures fitted on splits to continue on all rows (none for boosted trees), and what was tried."""

    settings: MixtureSettings
    begun: list[FittedMixture]
    table: list[dict[str, Any]]


def tune_mixture(rows: TrainingRows, settings: MixtureSettings, free: set[str], monitor: Monitor) -> Tuned:
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
    Tuned
    """
    if len(rows) > MAX_TRIAL_ROWS:
        rows = rows.take(sample_rows(rows.X, MAX_TRIAL_ROWS))
    n_sets = len(np.unique(rows.Y, axis=0))
    tuning = Tuning(rows.split(0), settings.max_iter, monitor)
    trial = replace(settings, n_init=min(settings.n_init, 2))
    if "n_components" in free:
        trial = replace(trial, n_components=min(TRIAL_COMPONENTS, n_sets))
    penalties = sorted(free & {"l2", "gate_l2"}) if settings.learner == "logistic" else []
    if penalties:
        trial = _choose_penalties(tuning, trial, penalties, rows.design.total_variance)
    sizes = (
        [K for K in COMPONENTS if PER_SET * n_sets >= K] if "n_components" in free else [trial.n_components]
    )
    starts = STARTS if "init" in free else (trial.init,)
    winner = _choose_components(
        tuning, [replace(trial, init=i, n_components=K) for i in starts for K in sizes]
    )
    if penalties:
        _adjust(tuning, winner, penalties)
        if (larger := _enlarged(tuning, winner, sizes)) is not winner:
            winner = larger
            _adjust(tuning, winner, penalties)
    n_mixtures = N_MIXTURES if "n_components" in free else 1
    chosen = replace(winner.settings, n_init=settings.n_init, n_mixtures=n_mixtures)
    chosen = replace(chosen, max_iter=max(winner.best_iterations, 1))
    return Tuned(chosen, _begin(rows, winner, n_mixtures, monitor), tuning.table)


def _choose_penalties(
    tuning: Tuning, settings: MixtureSettings, names: list[str], scale: float
) -> MixtureSettings:
    """Walk down the path with all free penalties together, and return the best."""
    path = [settings.with_penalties(dict.fromkeys(names, step * scale)) for step in L2_STEPS]
    trial = Trial.start(path[0], tuning.split)
    best, best_value = path[0], -np.inf
    for number, candidate in enumerate(path):
        _set_penalties(trial, candidate)
        tuning.monitor.task(f"tuning: penalties {candidate.l2:.3g} and {candidate.gate_l2:.3g}")
        value = trial.advance(STEP_ITERATIONS if number else START_ITERATIONS, tuning.monitor)
        tuning.note(candidate, value, trial.iterations)
        if value > best_value:
            best, best_value = candidate, value
        elif number > path.index(best) + 1:
            break
    return best


def _set_penalties(trial: Trial, settings: MixtureSettings) -> None:
    trial.settings = settings
    trial.mixture.experts.l2[:] = settings.l2
    trial.mixture.gate.l2 = settings.gate_l2


def _choose_components(tuning: Tuning, candidates: list[MixtureSettings]) -> Trial:
    """Race the candidates; of those tied with the best, the last start and the most components win."""
    trials = [Trial.start(candidate, tuning.split) for candidate in candidates]
    race(trials, tuning.max_iter, tuning.monitor)
    for trial in trials:
        tuning.note(trial.settings, trial.best, trial.best_iterations)
    enough = below(max(trial.best for trial in trials), TIE)
    tied = [trial for trial in trials if trial.best >= enough]
    winner = max(tied, key=lambda t: (STARTS.index(t.settings.init), t.settings.n_components))
    winner.go_back()
    return winner


def _enlarged(tuning: Tuning, winner: Trial, sizes: list[int]) -> Trial:
    """Try more components under the adjusted penalties: under a weaker gate more of them are worth having."""
    settings = winner.settings
    more = [replace(settings, n_components=K) for K in sizes if settings.n_components < K]
    if not more:
        return winner
    larger = _choose_components(tuning, more)
    return larger if larger.best >= below(winner.best, TIE) else winner


def _adjust(tuning: Tuning, winner: Trial, names: list[str]) -> None:
    """Continue the winner under other penalties as long as that is clearly better."""
    for _ in range(MOST_ADJUSTMENTS):
        if not _adjust_once(tuning, winner, names):
            break


def _adjust_once(tuning: Tuning, winner: Trial, names: list[str]) -> bool:
    """Continue the winner under each penalty a step up and down; keep the best if it is clearly better."""
    tried = [(below(winner.best, -CLEARLY), winner.settings, winner.snapshot, winner.best_iterations)]
    for name in names:
        for factor in FACTORS:
            candidate = tried[0][1].with_penalties({name: factor * getattr(tried[0][1], name)})
            winner.go_back()
            _set_penalties(winner, candidate)
            winner.mixture.run(ADJUSTED_ITERATIONS, tuning.monitor)
            value = winner.mixture.held_out(winner.outside)
            tuning.note(candidate, value, winner.best_iterations + ADJUSTED_ITERATIONS)
            tried.append(
                (value, candidate, winner.mixture.snapshot(), winner.best_iterations + ADJUSTED_ITERATIONS)
            )
    best = max(tried, key=lambda t: t[0])
    if best is not tried[0]:
        winner.best, _, winner.snapshot, winner.best_iterations = best
    winner.go_back()
    _set_penalties(winner, best[1])
    return best is not tried[0]


def _begin(rows: TrainingRows, winner: Trial, n_mixtures: int, monitor: Monitor) -> list[FittedMixture]:
    """Fit the winner's settings on further splits; boosted trees cannot continue on other rows."""
    if winner.settings.learner != "logistic" or winner.settings.n_components == 1:
        return []
    mixtures = [winner.mixture]
    for fold in range(1, n_mixtures):
        monitor.task(f"{winner.settings.n_components} components, split {fold + 1}")
        other = Trial.start(replace(winner.settings, seed=winner.settings.seed + fold), rows.split(fold))
        for n_iter in rounds(winner.best_iterations):
            other.mixture.run(n_iter, monitor)
        mixtures.append(other.mixture)
    return mixtures
