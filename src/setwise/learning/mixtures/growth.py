"""Growing a mixture of conditional trees, one tree at a time on the rows that the mixture explains worst.

Hong, Batal and Hauskrecht (2014), section 5.3.2: row i has the weight 1 - P(y_i | x_i, mixture) when the next
tree is learnt; then the whole mixture is refitted by EM. Growth ends when the log-likelihood of held-out rows
falls, and the mixture is relearnt on all rows with the structures found.

A tree's penalties are chosen for the tree alone. In a mixture the trees correct one another and can afford to
be freer, so with each new tree all penalties fall as long as the held-out rows gain by it. (Under a gate that
did not pay: 344 against 329 CLL-loss on four folds of the image data.)

One growth depends on which rows were held out and what its weights were shaken by. So where held-out rows choose the
number of trees or the gate's penalty, every fold is held out once, and the model is the mean of the grown mixtures.
(To go on for a tree after a fall, which one growth alone wants, then gains nothing and costs half of the time again.)
EM over all of their trees at once would undo what the mean gains.

The same rows tell how much of its probability the model should keep for the sets that occur in training
(:mod:`setwise.learning.mixtures.seen_share`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import logsumexp

from setwise.contract import FREE, Floats, Labels
from setwise.distributions import ForestMixture
from setwise.inference.forests.arrays import ROOT
from setwise.learning.by_content.draws import POOL, draw_by_key
from setwise.learning.mixtures.em import EMResult, run_em
from setwise.learning.mixtures.experts import LogisticExperts
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.rows import Rows
from setwise.learning.mixtures.seen_share import Lift, distinct_sets, lift
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor
from setwise.learning.structure.tree import TreeFit, fit_tree

MAX_COMPONENTS = 20
GROWTH_ITERATIONS = 10
REFIT_ITERATIONS = 50
SHAPE = 5.0
"""Of the gamma distribution that shakes weights; 1 would be the Bayesian bootstrap, which throws half of the rows
away: penalties come out stronger, and modes less often right."""
FREER = 0.3
"""The factor by which penalties fall."""
FREER_ITERATIONS = 5
LIFT_CELLS = 1 << 22
"""Probabilities of seen sets, or entries of the trees' tables, computed at a time."""
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

    @property
    def frees(self) -> bool:
        """Whether penalties may fall: not given ones, nor under a gate, which lets the trees part by itself."""
        return self.l2 is None and self.gate_l2 is None

    @property
    def chooses(self) -> bool:
        """Whether held-out rows choose the number of trees, or the penalty of a gate over several."""
        return self.n_components is None or (self.gate_l2 == "auto" and self.n_components > 1)


class Mixture:
    """Trees with their gate, able to take one more; ``freedom`` multiplies the penalties of a new tree."""

    def __init__(self, rows: Rows, trees: list[TreeFit], gate_l2: float | None, freedom: float = 1.0) -> None:
        self.rows, self.gate_l2, self.freedom = rows, gate_l2, freedom
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

    def log_probs_of(self, rows: Rows, sets: Labels) -> Floats:
        """Log-probability (n, m) of each of the same ``sets`` (m, L) for other rows of the same columns."""
        forests = self.experts.forests(rows)
        return ForestMixture(self.gate.log_values(rows), forests.logits, forests.parents).log_probs_of(sets)

    def held_out(self, rows: Rows) -> float:
        """Weighted log-likelihood of held-out rows."""
        return float(rows.weights @ self.log_prob(rows))

    def trees(self, factor: float = 1.0) -> list[TreeFit]:
        """The trees as they are, their penalties multiplied by ``factor``."""
        experts = self.experts
        gains = np.full((self.rows.Y.shape[1],) * 2, -np.inf)
        parts = zip(experts.parents, experts.coef.copy(), factor * experts.l2)
        return [TreeFit(parents, coef, l2, gains) for parents, coef, l2 in parts]

    def grown(self, tree: TreeFit, gate_l2: float | None) -> Mixture:
        """The mixture with one more tree; the others keep their parameters, the gate starts anew."""
        freer = tree._replace(l2=self.freedom * tree.l2)
        return Mixture(self.rows, [*self.trees(), freer], gate_l2, self.freedom)

    def moved(self, rows: Rows, factor: float = 1.0) -> Mixture:
        """The same parameters, to go on from with these rows and the penalties times ``factor``."""
        mixture = Mixture(rows, self.trees(factor), self.gate_l2, factor * self.freedom)
        mixture.gate.restore({name: array.copy() for name, array in self.gate.state().items()})
        return mixture


def refit_tree(tree: TreeFit, rows: Rows) -> TreeFit:
    """The same structure with parameters by EM, which sums the labels out that are not known."""
    mixture = Mixture(rows, [tree], None)
    run_em(mixture.gate, mixture.experts, rows.weights, max_iter=REFIT_ITERATIONS, tol=1e-6)
    coef, root = mixture.experts.coef[0], tree.parents == ROOT
    coef[:, root, 1] = coef[:, root, 0]
    return tree._replace(coef=coef)


def first_mixture(tree: TreeFit, rows: Rows) -> Mixture:
    """The mixture of one tree, at its optimum as the later ones are: only then do held-out rows compare the numbers of
    trees. A tree is fitted to known labels, so unknown ones are left to EM."""
    unknown = bool((rows.Y == FREE).any())
    return Mixture(rows, [refit_tree(tree, rows) if unknown else tree], None)


def next_tree(
    mixture: Mixture | None, rows: Rows, settings: GrowthSettings, rng: np.random.Generator, monitor: Monitor
) -> TreeFit:
    """A tree for the rows that the mixture explains worst.

    Where nearly all rows are hard the weights are all about one, the new tree would equal an old one, and
    equal trees never part under EM: so the weights of later trees are also shaken, more mildly than by a
    bootstrap.
    """
    weights = rows.weights
    if mixture is not None:
        noise = draw_by_key(rows.keys, rng.gamma(SHAPE, 1.0 / SHAPE, POOL), rng)
        hard = weights * -np.expm1(mixture.log_prob(rows)) * noise
        weights = hard * (weights.sum() / hard.sum())

    def learn() -> State:
        tree = fit_tree(
            rows.design, rows.Y, weights, rows.fold, candidates=settings.candidates, l2=settings.l2, tol=1e-6
        )
        return tree._asdict()

    return TreeFit(**monitor.arrays(learn))


class Growth(NamedTuple):
    """A mixture relearnt on all rows, its last EM run, a row per number of trees tried, and what the held-out rows
    would gain by the seen sets."""

    mixture: Mixture
    result: EMResult
    curve: list[dict[str, Any]]
    lifts: list[Lift]


def grow(rows: Rows, settings: GrowthSettings, monitor: Monitor) -> list[Growth]:
    """Grow a mixture of trees, one for each fold held out where these rows choose something."""
    rng = np.random.default_rng(settings.seed)
    if rows.fold is None or not settings.chooses:
        return [_grow_once(rows, 0, settings, rng, monitor)]
    return [_grow_once(rows, fold, settings, rng, monitor) for fold in range(rows.fold.max() + 1)]


def _grow_once(
    rows: Rows, held_out: int, settings: GrowthSettings, rng: np.random.Generator, monitor: Monitor
) -> Growth:
    """Grow a mixture while the rows of one fold gain, then relearn it on all rows."""
    inside, outside = rows.split(held_out)
    mixture: Mixture | None = None
    curve: list[dict[str, Any]] = []
    gate_l2 = settings.gate_l2
    while not _is_grown(curve, settings.n_components):
        monitor.task(f"growth {held_out + 1}, tree {len(curve) + 1}")
        tree = next_tree(mixture, inside, settings, rng, monitor)
        if mixture is None:
            best = mixture = first_mixture(tree, inside)
        else:
            mixture, gate_l2 = _extended(mixture, tree, outside, gate_l2, monitor)
            # Too few rows to hold any out: the training rows would gain by freedom without end.
            frees = settings.frees and rows.fold is not None
            mixture = _freed(mixture, outside, monitor) if frees else mixture
        curve.append(_summary(mixture, outside))
        if settings.n_components or not _fell(curve):
            best = mixture
    lifts = _lifts(best, inside, outside) if rows.fold is not None else []
    monitor.task(f"all rows, {len(best.experts.coef)} trees")
    final = best.moved(rows)
    return Growth(final, final.run(settings.max_iter, monitor), curve, lifts)


def _lifts(mixture: Mixture, inside: Rows, outside: Rows) -> list[Lift]:
    """What the held-out rows gain by the sets of the others; nothing where none of these is known in full."""
    sets = distinct_sets(inside.Y)
    if not len(sets):
        return []
    step = max(1, LIFT_CELLS // max(len(sets), mixture.experts.coef[:, 0].size))
    starts = range(0, len(outside), step)
    parts = [outside.take(np.arange(start, min(start + step, len(outside)))) for start in starts]
    return [
        lift(mixture.log_probs_of(part, sets), sets, mixture.log_prob(part), part.Y, part.weights)
        for part in parts
    ]


def _summary(mixture: Mixture, outside: Rows) -> dict[str, Any]:
    return {
        "components": len(mixture.experts.coef),
        "held_out": mixture.held_out(outside),
        "gate_l2": mixture.gate_l2,
        "freedom": mixture.freedom,
    }


def _fell(curve: list[dict[str, Any]]) -> bool:
    """Whether the last tree did not raise the log-likelihood of the held-out rows."""
    return len(curve) > 1 and curve[-1]["held_out"] <= curve[-2]["held_out"]


def _is_grown(curve: list[dict[str, Any]], n_components: int | None) -> bool:
    if n_components is not None:
        return len(curve) >= n_components
    return len(curve) >= MAX_COMPONENTS or _fell(curve)


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


def _freed(mixture: Mixture, outside: Rows, monitor: Monitor) -> Mixture:
    """The mixture with weaker penalties, as long as the held-out rows gain."""
    while True:
        freer = mixture.moved(mixture.rows, FREER)
        freer.run(FREER_ITERATIONS, monitor)
        if freer.held_out(outside) <= mixture.held_out(outside):
            return mixture
        mixture = freer
