"""Conditional Bernoulli mixtures: independent labels given the component.

The result of EM depends on its start, so the mean of several mixtures from different starts is more often right and
better calibrated than one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from setwise.learning.mixtures.boosted_parts import boosted_parts
from setwise.learning.mixtures.classifier_experts import ClassifierExperts
from setwise.learning.mixtures.em import EMResult
from setwise.learning.mixtures.experts import NEGLIGIBLE, LogisticExperts
from setwise.learning.mixtures.fitted_mixture import FittedMixture
from setwise.learning.mixtures.gates import SoftmaxGate
from setwise.learning.mixtures.independent_labels import no_parents
from setwise.learning.mixtures.starts.cluster_start import fit_clusters
from setwise.learning.mixtures.starts.label_start import BernoulliMixture, fit_bernoulli_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor
from setwise.learning.trees.growers import lightgbm_grower, own_grower
from setwise.learning.trees.tree_steps import TREE_STEPS

FINISH_ITERATIONS = 2
"""EM iterations on all rows after those on a part of them, times the ratio of their numbers."""
MOST_FINISH_ITERATIONS = 12
GROWERS = {"boosting": own_grower, "lightgbm": lightgbm_grower}
"""Names of learners that are boosted trees."""


@dataclass(frozen=True)
class MixtureSettings:
    """Settings of a mixture; see :class:`setwise.ConditionalBernoulliMixture`."""

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
    tree_steps: str = "newton"

    def with_penalties(self, penalties: dict[str, float]) -> MixtureSettings:
        """Replace ``l2`` or ``gate_l2``."""
        return replace(self, **{"l2": self.l2, "gate_l2": self.gate_l2} | penalties)  # type: ignore[arg-type]


def start_mixture(rows: TrainingRows, settings: MixtureSettings) -> FittedMixture:
    """Make a mixture to start EM from: constant experts, and a gate that is constant or predicts the clusters.

    Parameters
    ----------
    rows : TrainingRows
    settings : MixtureSettings

    Returns
    -------
    FittedMixture
    """
    if settings.init == "clusters":
        start = fit_clusters(rows, settings.n_components, settings.seed, n_init=settings.n_init)
    else:
        start = fit_bernoulli_mixture(rows, settings.n_components, settings.seed, n_init=settings.n_init)
    mixture = FittedMixture(rows, *_parts(rows, start, settings))
    if settings.init == "clusters":
        mixture.gate.update(rows.weights[:, None] * start.responsibilities)
    return mixture


def fit_mixtures(
    rows: TrainingRows, settings: MixtureSettings, monitor: Monitor
) -> list[tuple[Any, Any, EMResult]]:
    """Fit the mixtures whose mean is the model.

    Parameters
    ----------
    rows : TrainingRows
    settings : MixtureSettings
    monitor : Monitor

    Returns
    -------
    list of (gate, experts, EMResult)
    """
    more = np.random.default_rng(settings.seed).integers(2**31, size=settings.n_mixtures - 1)
    seeds = [settings.seed, *map(int, more)]
    fits = []
    for number, seed in enumerate(seeds):
        of = f" ({number + 1} of {len(seeds)})" if len(seeds) > 1 else ""
        monitor.task(f"all rows, {settings.n_components} components{of}")
        mixture = start_mixture(rows, replace(settings, seed=seed))
        result = mixture.run(settings.max_iter, monitor)
        fits.append((mixture.gate, mixture.experts, result))
    return fits


def finish_mixtures(
    rows: TrainingRows, begun: Sequence[FittedMixture], settings: MixtureSettings, monitor: Monitor
) -> list[tuple[Any, Any, EMResult]]:
    """Continue mixtures that were fitted to parts of the rows on all of them.

    Parameters
    ----------
    rows : TrainingRows
    begun : sequence of FittedMixture
        Of logistic gates and experts.
    settings : MixtureSettings
    monitor : Monitor

    Returns
    -------
    list of (gate, experts, EMResult)
    """
    fits = []
    for number, part in enumerate(begun):
        monitor.task(f"all rows, {settings.n_components} components ({number + 1} of {len(begun)})")
        old = part.experts
        experts = LogisticExperts(rows, old.parents, old.coef, old.l2, negligible=settings.negligible)
        mixture = FittedMixture(rows, SoftmaxGate(rows, part.gate.coef, settings.gate_l2), experts)
        n_iter = min(round(FINISH_ITERATIONS * len(rows) / len(part.rows)), MOST_FINISH_ITERATIONS)
        result = mixture.run(n_iter, monitor)
        fits.append((mixture.gate, mixture.experts, result))
    return fits


def _parts(rows: TrainingRows, start: BernoulliMixture, settings: MixtureSettings) -> tuple[Any, Any]:
    """Make a gate and experts with the start's parameters."""
    if isinstance(settings.learner, str) and settings.learner in GROWERS:
        steps = TREE_STEPS[settings.tree_steps]
        return boosted_parts(rows, start, settings.negligible, GROWERS[settings.learner], steps)
    gate, experts = _logistic_parts(rows, start, settings)
    if settings.learner == "logistic":
        return gate, experts
    return gate, ClassifierExperts(rows, start.logits, settings.learner, settings.negligible)


def _logistic_parts(
    rows: TrainingRows, start: BernoulliMixture, settings: MixtureSettings
) -> tuple[SoftmaxGate, LogisticExperts]:
    design, (K, L) = rows.design, start.logits.shape
    coef = np.zeros((K, design.n_columns, L, 1))
    coef[:, design.intercept, :, 0] = start.logits
    gate_coef = np.zeros((design.n_columns, K))
    gate_coef[design.intercept] = start.log_weights
    l2 = np.full((K, L, 1), settings.l2)
    experts = LogisticExperts(rows, no_parents(K, L), coef, l2, negligible=settings.negligible)
    return SoftmaxGate(rows, gate_coef, settings.gate_l2), experts
