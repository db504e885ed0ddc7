"""Growing a mixture of conditional trees, one tree at a time on the rows that the mixture explains worst.

Hong, Batal and Hauskrecht (2014), section 5.3.2: row i has the weight 1 - P(y_i | x_i, mixture) when the next
tree is learnt; then the whole mixture is refitted by EM. Growth ends when the log-likelihood of held-out rows
falls, and the mixture is relearnt on all rows with the structures found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats
from setwise.inference.forests import ROOT
from setwise.learning.checkpoint import State
from setwise.learning.em import EMResult, run_em
from setwise.learning.experts import LogisticExperts
from setwise.learning.gates import ConstantGate, SoftmaxGate
from setwise.learning.monitor import Monitor
from setwise.learning.rows import Rows
from setwise.learning.structure import TreeFit, fit_tree

MAX_COMPONENTS = 20
GROWTH_ITERATIONS = 10
REFIT_ITERATIONS = 50
GATE_L2_STEPS = (1.0, 0.3, 0.1, 0.03)
"""Gate penalties tried with the second tree, in units of the total variance of the columns."""


@dataclass(frozen=True)
class GrowthSettings:
    """How a mixture of trees is grown; ``gate_l2`` is None for constant weights."""

    n_components: int | None
    gate_l2: float | Literal["auto"] | None
    candidates: int | Literal["all"]
    l2: float | None
    max_iter: int
    seed: int


class Mixture:
    """Trees with their gate, able to take one more."""

    def __init__(self, rows: Rows, trees: list[TreeFit], gate_l2: float | None) -> None:
        self.rows, self.trees, self.gate_l2 = rows, trees, gate_l2
        K = len(trees)
        coef = np.stack([tree.coef for tree in trees])
        parents, l2 = np.stack([t.parents for t in trees]), np.stack([t.l2 for t in trees])
        self.experts = LogisticExperts(rows, parents, coef, l2)
        self.gate: SoftmaxGate | ConstantGate = ConstantGate(rows, np.full(K, -np.log(K)))
        if gate_l2 is not None:
            self.gate = SoftmaxGate(rows, np.zeros((rows.design.n_columns, K)), gate_l2)

    def run(self, max_iter: int, monitor: Monitor) -> EMResult:
        """EM from where the mixture is."""
        return run_em(
            self.gate, self.experts, self.rows.weights, max_iter=max_iter, tol=1e-4, monitor=monitor
        )

    def log_prob(self, rows: Rows) -> Floats:
        """Log-probability (n,) of the labels of other rows of the same columns."""
        return np.asarray(logsumexp(self.gate.log_values(rows) + self.experts.log_values(rows), axis=1))

    def held_out(self, rows: Rows) -> float:
        """Weighted log-likelihood of held-out rows."""
        return float(rows.weights @ self.log_prob(rows))

    def grown(self, tree: TreeFit, gate_l2: float | None) -> Mixture:
        """The mixture with one more tree; the others keep their parameters, the gate starts anew."""
        experts = zip(self.experts.parents, self.experts.coef, self.experts.l2)
        trees = [TreeFit(p, c, l2, tree.gains) for p, c, l2 in experts]
        return Mixture(self.rows, [*trees, tree], gate_l2)


def refit_tree(tree: TreeFit, rows: Rows) -> TreeFit:
    """The same structure with parameters by EM, which sums the labels out that are not known."""
    mixture = Mixture(rows, [tree], None)
    run_em(mixture.gate, mixture.experts, rows.weights, max_iter=REFIT_ITERATIONS, tol=1e-6)
    coef, root = mixture.experts.coef[0], tree.parents == ROOT
    coef[:, root, 1] = coef[:, root, 0]
    return tree._replace(coef=coef)


def next_tree(
    mixture: Mixture | None, rows: Rows, settings: GrowthSettings, rng: np.random.Generator, monitor: Monitor
) -> TreeFit:
    """A tree for the rows that the mixture explains worst.

    Where nearly all rows are hard the weights are all about one, the new tree would equal an old one, and
    equal trees never part under EM: so the weights of later trees are also resampled (a Bayesian bootstrap).
    """
    weights = rows.weights
    if mixture is not None:
        hard = weights * -np.expm1(mixture.log_prob(rows)) * rng.exponential(size=len(weights))
        weights = hard * (weights.sum() / hard.sum())

    def learn() -> State:
        tree = fit_tree(
            rows.design, rows.Y, weights, rows.fold, candidates=settings.candidates, l2=settings.l2, tol=1e-6
        )
        return tree._asdict()

    return TreeFit(**monitor.arrays(learn))


def grow(
    rows: Rows, settings: GrowthSettings, monitor: Monitor
) -> tuple[Mixture, EMResult, list[dict[str, Any]]]:
    """Grow a mixture of trees, then relearn it on all rows.

    Returns the mixture, its last EM run, and a row per number of components with its held-out
    log-likelihood.
    """
    rng = np.random.default_rng(settings.seed)
    inside, outside = rows.split(0)
    best: Mixture | None = None
    curve: list[dict[str, Any]] = []
    limit = settings.n_components or MAX_COMPONENTS
    gate_l2 = settings.gate_l2
    while len(curve) < limit:
        monitor.task(f"tree {len(curve) + 1}")
        tree = next_tree(best, inside, settings, rng, monitor)
        if best is None:
            candidate = Mixture(inside, [tree], None)
        else:
            candidate, gate_l2 = _extended(best, tree, outside, gate_l2, monitor)
        value = candidate.held_out(outside)
        curve.append(
            {"components": len(candidate.experts.coef), "held_out": value, "gate_l2": candidate.gate_l2}
        )
        if settings.n_components is None and len(curve) > 1 and value < curve[-2]["held_out"]:
            break
        best = candidate
    assert best is not None
    monitor.task(f"all rows, {len(best.experts.coef)} trees")
    final = _on_all_rows(best, rows)
    return final, final.run(settings.max_iter, monitor), curve


def _extended(
    mixture: Mixture,
    tree: TreeFit,
    outside: Rows,
    gate_l2: float | Literal["auto"] | None,
    monitor: Monitor,
) -> tuple[Mixture, float | None]:
    """The refitted mixture with ``tree``, and the gate penalty from here on (chosen with the second tree)."""
    scale = mixture.rows.design.total_variance
    penalties = [s * scale for s in GATE_L2_STEPS] if gate_l2 == "auto" else [gate_l2]
    tried = []
    for penalty in penalties:
        candidate = mixture.grown(tree, penalty)
        candidate.run(GROWTH_ITERATIONS, monitor)
        tried.append((candidate.held_out(outside), candidate, penalty))
    _, candidate, chosen = max(tried, key=lambda t: t[0])
    return candidate, chosen


def _on_all_rows(mixture: Mixture, rows: Rows) -> Mixture:
    """The same parameters, to go on from with all rows."""
    experts = mixture.experts
    gains = np.full((rows.Y.shape[1],) * 2, -np.inf)
    trees = [TreeFit(p, c, l2, gains) for p, c, l2 in zip(experts.parents, experts.coef, experts.l2)]
    final = Mixture(rows, trees, mixture.gate_l2)
    final.gate.restore(mixture.gate.state())
    return final
