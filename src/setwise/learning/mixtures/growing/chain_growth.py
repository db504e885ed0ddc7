"""Growing a mixture of classifier chains, one chain at a time on the rows that the mixture explains worst.

Hong, Batal and Hauskrecht (2014) end section 6.3.1 with this idea, MCC and MPCC: their mixture framework, growth and EM
with chains in the place of trees. Each chain has its own random order of the labels, so that no two are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from setwise.arrays import Array, Floats
from setwise.learning.labels.chain import fit_linear_chain_coef
from setwise.learning.linear.design import Design
from setwise.learning.mixtures.chain_experts import ChainExperts
from setwise.learning.mixtures.em import EMResult
from setwise.learning.mixtures.fitted_mixture import FittedMixture, copy_state
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.growing.growth import GATE_L2_STEPS, GROWTH_ITERATIONS, MAX_COMPONENTS, TOL
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor


@dataclass(frozen=True)
class ChainSettings:
    """Settings of a growth; see :class:`setwise.MixtureOfChains`. ``gate_l2`` is None for constant weights."""

    n_components: int | None
    gate_l2: float | Literal["auto"] | None
    l2: float | Literal["auto"]
    max_iter: int
    seed: int


class ChainGrowth(NamedTuple):
    """A grown mixture fitted to all rows, the result of that EM run, and a row per number of chains tried."""

    mixture: FittedMixture
    result: EMResult
    curve: list[dict[str, Any]]


def grow_chains(rows: TrainingRows, design: Design, settings: ChainSettings, monitor: Monitor) -> ChainGrowth:
    """Grow a mixture of chains while the log-likelihood of a third of the rows improves, then refit it to all rows.

    Parameters
    ----------
    rows : TrainingRows
    design : Design
        Of the same rows, with all labels as features.
    settings : ChainSettings
    monitor : Monitor

    Returns
    -------
    ChainGrowth
    """
    kept = _grow(rows, design, settings, monitor) if settings.n_components != 1 else None
    if kept is None:
        kept = _Grown(_first(rows, design, settings, _rng(settings)), [])
    monitor.task(f"all rows, {len(kept.mixture.experts.orders)} chains")
    final = _moved(kept.mixture, rows, design)
    return ChainGrowth(final, final.run(settings.max_iter, monitor, tol=TOL), kept.curve)


class _Grown(NamedTuple):
    mixture: FittedMixture
    curve: list[dict[str, Any]]


def _rng(settings: ChainSettings) -> np.random.Generator:
    return np.random.default_rng(settings.seed)


def _grow(rows: TrainingRows, design: Design, settings: ChainSettings, monitor: Monitor) -> _Grown | None:
    """Grow on the rows outside the first fold; None if no rows can be held out to find the number of chains."""
    if rows.fold is None and settings.n_components is None:
        return None
    inside, outside = rows.split(0)
    seen = design if rows.fold is None else design.take(np.flatnonzero(rows.fold != 0))
    rng, gate_l2 = _rng(settings), settings.gate_l2
    best = mixture = _first(inside, seen, settings, rng)
    curve = [{"components": 1, "held_out": mixture.held_out(outside)}]
    while len(curve) < (settings.n_components or MAX_COMPONENTS):
        monitor.task(f"chain {len(curve) + 1}")
        mixture, gate_l2 = _with_chain(mixture, _next(mixture, inside, rng), outside, gate_l2, monitor)
        curve.append({"components": len(curve) + 1, "held_out": mixture.held_out(outside)})
        if settings.n_components is None and curve[-1]["held_out"] <= curve[-2]["held_out"]:
            break
        best = mixture
    return _Grown(best, curve)


def _first(
    rows: TrainingRows, design: Design, settings: ChainSettings, rng: np.random.Generator
) -> FittedMixture:
    """Make a mixture of one chain, whose penalties all others share."""
    order = rng.permutation(rows.Y.shape[1])
    coef, l2 = fit_linear_chain_coef(design, rows.X, rows.Y, rows.weights, order, l2=settings.l2, tol=1e-6)
    experts = ChainExperts(rows, design, order[None], coef[None], l2)
    return FittedMixture(rows, _gate(rows, 1, None), experts)


def _next(mixture: FittedMixture, rows: TrainingRows, rng: np.random.Generator) -> tuple[Array, Floats]:
    """Learn a chain, its order and coefficients, from the rows that the mixture explains worst."""
    hard = rows.weights * -np.expm1(mixture.log_prob(rows))
    weights = hard * (rows.weights.sum() / hard.sum())
    order, experts = rng.permutation(rows.Y.shape[1]), mixture.experts
    coef, _ = fit_linear_chain_coef(experts.design, rows.X, rows.Y, weights, order, l2=experts.l2, tol=1e-6)
    return order, coef


def _with_chain(
    mixture: FittedMixture,
    chain: tuple[Array, Floats],
    outside: TrainingRows,
    gate_l2: float | Literal["auto"] | None,
    monitor: Monitor,
) -> tuple[FittedMixture, float | None]:
    """Refit the mixture with one more chain; with the second chain, choose the gate's penalty for all later ones."""
    scale = mixture.rows.design.total_variance
    penalties = [step * scale for step in GATE_L2_STEPS] if gate_l2 == "auto" else [gate_l2]
    tried = []
    for penalty in penalties:
        candidate = _joined(mixture, chain, penalty)
        candidate.run(GROWTH_ITERATIONS, monitor, tol=TOL)
        tried.append((candidate.held_out(outside), candidate, penalty))
    return max(tried, key=lambda t: t[0])[1:]


def _joined(mixture: FittedMixture, chain: tuple[Array, Floats], gate_l2: float | None) -> FittedMixture:
    """Add a chain; the others keep their parameters, the gate starts again from equal weights."""
    old = mixture.experts
    orders, coef = np.vstack([old.orders, chain[0]]), np.concatenate([old.coef, chain[1][None]])
    experts = ChainExperts(mixture.rows, old.design, orders, coef, old.l2)
    return FittedMixture(mixture.rows, _gate(mixture.rows, len(orders), gate_l2), experts)


def _gate(rows: TrainingRows, K: int, l2: float | None) -> SoftmaxGate | ConstantGate:
    if l2 is None:
        return ConstantGate(rows, np.full(K, -np.log(K)))
    return SoftmaxGate(rows, np.zeros((rows.design.n_columns, K)), l2)


def _moved(mixture: FittedMixture, rows: TrainingRows, design: Design) -> FittedMixture:
    """Copy the parameters to a mixture on other rows."""
    old = mixture.experts
    experts = ChainExperts(rows, design, old.orders, old.coef.copy(), old.l2)
    gate = _gate(rows, len(old.orders), getattr(mixture.gate, "l2", None))
    gate.restore(copy_state(mixture.gate.state()))
    return FittedMixture(rows, gate, experts)
