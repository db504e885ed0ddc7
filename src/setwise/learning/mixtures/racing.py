"""Successive halving over mixtures: all run a few EM iterations, and the better half of them runs on.

EM continues where it stopped, so nothing is spent twice. A mixture leaves the race when its held-out log-likelihood
falls, or when it is among the worse half.

K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from setwise.learning.mixtures.bernoulli import MixtureSettings, start_mixture
from setwise.learning.mixtures.fitted_mixture import FittedMixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor

RUNGS = (12, 8)
"""EM iterations of the first round, and of each later one. Many components are slow at first: with rounds of four
iterations six components won on scene, where forty are better."""
FALLEN = 0.002
"""Relative fall of the held-out log-likelihood that ends a trial."""
FAR_BEHIND = 0.1
"""Relative distance from the best that ends a trial, even in the better half."""


@dataclass
class Trial:
    """A mixture on some rows, judged on others after every round; it remembers where it was best.

    Parameters
    ----------
    settings : MixtureSettings
    mixture : FittedMixture
    outside : TrainingRows
        Held-out rows.
    """

    settings: MixtureSettings
    mixture: FittedMixture
    outside: TrainingRows
    iterations: int = 0
    best_iterations: int = 0
    value: float = -np.inf
    best: float = -np.inf
    snapshot: tuple[State, State] | None = field(default=None, repr=False)

    @classmethod
    def start(cls, settings: MixtureSettings, split: tuple[TrainingRows, TrainingRows]) -> Trial:
        """Start a mixture on the first part of a split."""
        return cls(settings, start_mixture(split[0], settings), split[1])

    @property
    def fallen(self) -> bool:
        """Whether the held-out log-likelihood is clearly below its best."""
        return self.value < below(self.best, FALLEN)

    def advance(self, n_iter: int, monitor: Monitor) -> float:
        """Run EM on, and return the held-out log-likelihood."""
        self.mixture.run(n_iter, monitor)
        self.iterations += n_iter
        self.value = self.mixture.held_out(self.outside)
        if self.value > self.best:
            self.best, self.best_iterations = self.value, self.iterations
            self.snapshot = self.mixture.snapshot() if self.settings.learner == "logistic" else None
        return self.value

    def go_back(self) -> None:
        """Return to the parameters that were best."""
        if self.snapshot is not None:
            self.mixture.restore(self.snapshot)
            self.iterations, self.value = self.best_iterations, self.best


def below(log_likelihood: float, share: float) -> float:
    """Compute the log-likelihood that is lower by a share of its size."""
    return log_likelihood - share * abs(log_likelihood)


def rounds(max_iter: int) -> Iterator[int]:
    """Yield the EM iterations of each round, ``max_iter`` in all.

    Examples
    --------
    >>> list(rounds(30))
    [12, 8, 8, 2]
    """
    left = max_iter
    for number in range(max_iter):
        if left <= 0:
            return
        step = min(left, RUNGS[min(number, len(RUNGS) - 1)])
        left -= step
        yield step


def race(trials: Sequence[Trial], max_iter: int, monitor: Monitor) -> None:
    """Run trials until each has fallen, was left behind, or had ``max_iter`` iterations.

    Parameters
    ----------
    trials : sequence of Trial
        Advanced in place; ``best`` tells how good each was.
    max_iter : int
    monitor : Monitor
    """
    running = list(trials)
    for n_iter in rounds(max_iter):
        for trial in running:
            monitor.task(f"tuning: {trial.settings.n_components} components from {trial.settings.init}")
            trial.advance(n_iter, monitor)
        enough = below(max(trial.best for trial in trials), FAR_BEHIND)
        ahead = sorted(running, key=lambda trial: -trial.best)[: (len(running) + 1) // 2]
        running = [trial for trial in ahead if not trial.fallen and trial.best >= enough]
        if not running:
            break
