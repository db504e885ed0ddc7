"""Conditional Bernoulli mixtures: independent labels given the component.

Where EM ends depends on where it starts, so the mean of several mixtures from different starts is both more often
right and more honest than one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from setwise.learning.mixtures.classifier_experts import ClassifierExperts
from setwise.learning.mixtures.cluster_start import fit_clusters
from setwise.learning.mixtures.em import EMResult, run_em
from setwise.learning.mixtures.experts import NEGLIGIBLE, LogisticExperts
from setwise.learning.mixtures.gates import SoftmaxGate
from setwise.learning.mixtures.label_start import BernoulliMixture, fit_bernoulli_mixture
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.monitor import Monitor, Trace
from setwise.learning.trees.boosting import boosted_parts
from setwise.learning.trees.growers import lightgbm_grower, own_grower

GROWERS = {"boosting": own_grower, "lightgbm": lightgbm_grower}
"""Learners that are boosted trees."""


@dataclass(frozen=True)
class MixtureSettings:
    """What a conditional Bernoulli mixture is fitted with."""

    n_components: int
    l2: float
    gate_l2: float
    max_iter: int
    n_init: int = 5
    seed: int = 0
    negligible: float = NEGLIGIBLE
    learner: Any = "logistic"
    init: str = "bernoulli_mixture"
    n_mixtures: int = 1

    def with_penalties(self, penalties: dict[str, float]) -> MixtureSettings:
        """The same with other values of ``l2`` or ``gate_l2``."""
        return replace(self, **{"l2": self.l2, "gate_l2": self.gate_l2} | penalties)  # type: ignore[arg-type]


@dataclass
class Mixture:
    """A gate and experts on the rows they are fitted to."""

    rows: Rows
    gate: Any
    experts: Any

    @classmethod
    def start(cls, rows: Rows, settings: MixtureSettings) -> Mixture:
        """Constant experts, and a gate that is constant or knows the clusters."""
        if settings.init == "clusters":
            start = fit_clusters(rows, settings.n_components, settings.seed, n_init=settings.n_init)
        else:
            start = fit_bernoulli_mixture(rows, settings.n_components, settings.seed, n_init=settings.n_init)
        mixture = cls(rows, *_parts(rows, start, settings))
        if settings.init == "clusters":
            mixture.gate.update(rows.weights[:, None] * start.responsibilities)
        return mixture

    def run(
        self,
        max_iter: int,
        monitor: Monitor | None = None,
        observe: Callable[[Trace], bool] | None = None,
    ) -> EMResult:
        """EM from where the mixture is."""
        return run_em(
            self.gate, self.experts, self.rows.weights, max_iter=max_iter, observe=observe, monitor=monitor
        )


def fit_mixtures(rows: Rows, settings: MixtureSettings, monitor: Monitor) -> list[tuple[Any, Any, EMResult]]:
    """Gate, experts and EM run of each of the mixtures whose mean is the model."""
    more = np.random.default_rng(settings.seed).integers(2**31, size=settings.n_mixtures - 1)
    seeds = [settings.seed, *map(int, more)]
    fits = []
    for number, seed in enumerate(seeds):
        of = f" ({number + 1} of {len(seeds)})" if len(seeds) > 1 else ""
        monitor.task(f"all rows, {settings.n_components} components{of}")
        mixture = Mixture.start(rows, replace(settings, seed=seed))
        result = mixture.run(settings.max_iter, monitor)
        fits.append((mixture.gate, mixture.experts, result))
    return fits


def _parts(rows: Rows, start: BernoulliMixture, settings: MixtureSettings) -> tuple[Any, Any]:
    """Gate and experts with the start's parameters."""
    if isinstance(settings.learner, str) and settings.learner in GROWERS:
        return boosted_parts(rows, start, settings.negligible, GROWERS[settings.learner])
    gate, experts = _logistic_parts(rows, start, settings)
    if settings.learner == "logistic":
        return gate, experts
    return gate, ClassifierExperts(rows, start.logits, settings.learner, settings.negligible)


def _logistic_parts(
    rows: Rows, start: BernoulliMixture, settings: MixtureSettings
) -> tuple[SoftmaxGate, LogisticExperts]:
    design, (K, L) = rows.design, start.logits.shape
    coef = np.zeros((K, design.n_columns, L, 1))
    coef[:, design.intercept, :, 0] = start.logits
    gate_coef = np.zeros((design.n_columns, K))
    gate_coef[design.intercept] = start.log_weights
    l2, parents = np.full((K, L, 1), settings.l2), np.full((K, L), -1)
    experts = LogisticExperts(rows, parents, coef, l2, negligible=settings.negligible)
    return SoftmaxGate(rows, gate_coef, settings.gate_l2), experts
