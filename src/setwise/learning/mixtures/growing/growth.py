"""Growing a mixture of conditional trees, one tree at a time on the rows that the mixture explains worst.

Hong, Batal and Hauskrecht (2014), section 5.3.2: for the next tree, row i has the weight 1 - P(y_i | x_i, mixture);
then the whole mixture is refitted by EM. Growth ends when the log-likelihood of held-out rows drops, and the mixture is
refitted to all rows with the structures found.

A tree's penalties are chosen for the tree alone. In a mixture the trees correct one another and need weaker penalties,
so with each new tree, up to the fifth, all penalties are relaxed as long as the held-out log-likelihood improves.
(Under a gate that did not help: a CLL loss of 344 against 329 on four folds of the image data.)

One growth depends on which rows were held out and on the random reweighting. If held-out rows choose the number of
trees or the gate's penalty, every fold is therefore held out once, and the model is the mean of the grown mixtures.
(Growing one more tree after a drop helps a single growth, but not their mean, and takes half as long again.) EM over
all trees at once would undo what the mean gains.

The held-out rows also choose how much of its probability the model keeps for the sets that occur in training
(:mod:`setwise.learning.mixtures.pooling.seen_share`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from setwise.blocks import row_slices
from setwise.learning.by_content.draws import POOL, draw_by_key
from setwise.learning.by_content.folds import N_FOLDS
from setwise.learning.mixtures.em import EMResult
from setwise.learning.mixtures.fitted_mixture import RELAXATION
from setwise.learning.mixtures.growing.tree_mixture import TreeMixture, one_tree_mixture
from setwise.learning.mixtures.pooling.seen_share import Lift, distinct_sets, lift
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.monitor import Monitor
from setwise.learning.progress.saved_arrays import Expected, check_forests, check_saved
from setwise.learning.structure.tree import MIN_ROWS, TreeFit, fit_tree

MAX_COMPONENTS = 20
GROWTH_ITERATIONS = 10
"""EM iterations after a new tree."""
TRIAL_ITERATIONS = 8
"""EM iterations under each penalty of the gate; the best one goes on."""
SETTLING_ITERATIONS = 5
"""EM iterations of the grown mixture between looks at the held-out rows."""
FINISH_ITERATIONS = 5
"""Most EM iterations on all rows of a mixture that has settled on most of them."""
RELAXED_ITERATIONS = 5
"""EM iterations after the penalties were relaxed."""
RELAXED_TREES = 5
"""Trees up to which penalties may be relaxed. No later tree of emotions, yeast, scene, image, flags and birds led to
weaker ones, and every trial costs five iterations of all trees."""
TOL = 1e-4
NOISE_SHAPE = 5.0
"""Shape of the gamma distribution of the random reweighting. At 1 it would be the Bayesian bootstrap, which ignores
half of the rows: penalties come out stronger, and modes less often right."""
GATE_L2_STEPS = (1.0, 0.3, 0.1, 0.03)
"""Gate penalties tried with the second tree, in units of the total variance of the columns."""


@dataclass(frozen=True)
class GrowthSettings:
    """Settings of a growth; see :class:`setwise.MixtureOfTrees`. ``gate_l2`` is None for constant weights."""

    n_components: int | None
    gate_l2: float | Literal["auto"] | None
    candidates: int | Literal["all"]
    l2: float | None
    max_iter: int
    seed: int
    n_mixtures: int | None = None
    noise: bool = True
    relaxation: bool = True
    min_rows: int = MIN_ROWS

    @property
    def relaxes(self) -> bool:
        """Whether penalties may be relaxed: not if they are given, nor under a gate, which makes trees differ."""
        return self.relaxation and self.l2 is None and self.gate_l2 is None

    @property
    def settles(self) -> bool:
        """Whether the mixture has a gate, so that held-out rows say how long EM is to run."""
        return self.gate_l2 is not None

    @property
    def holds_out(self) -> bool:
        """Whether held-out rows choose the number of trees, or the penalty of a gate over several trees."""
        return self.n_components is None or (self.gate_l2 == "auto" and self.n_components > 1)


class Growth(NamedTuple):
    """A grown mixture.

    The ``mixture`` refitted to all rows, the ``result`` of that EM run, a ``curve`` with a row per number of trees, and
    the ``lifts`` of the held-out rows by the seen sets.
    """

    mixture: TreeMixture
    result: EMResult
    curve: list[dict[str, Any]]
    lifts: list[Lift]


def grow(rows: TrainingRows, settings: GrowthSettings, monitor: Monitor) -> list[Growth]:
    """Grow a mixture of trees, or one for each fold if held-out rows choose something.

    Parameters
    ----------
    rows : TrainingRows
    settings : GrowthSettings
    monitor : Monitor

    Returns
    -------
    list of Growth
        The model is their mean.
    """
    rng = np.random.default_rng(settings.seed)
    if rows.fold is None or not settings.holds_out:
        return [_grow_once(rows, 0, settings, rng, monitor)]
    n_mixtures = min(settings.n_mixtures or N_FOLDS, int(rows.fold.max()) + 1)
    return [_grow_once(rows, fold, settings, rng, monitor) for fold in range(n_mixtures)]


def next_tree(
    mixture: TreeMixture | None,
    rows: TrainingRows,
    settings: GrowthSettings,
    rng: np.random.Generator,
    monitor: Monitor,
    first: TreeFit | None = None,
) -> TreeFit:
    """Learn a tree from the rows that the mixture explains worst.

    If nearly all rows are explained badly, the weights are all about one, the new tree equals an old one, and EM never
    makes equal trees differ. So the weights of later trees also get random noise, milder than that of a bootstrap.

    Under a gate, later trees have the penalties of the first one: their edges are compared under one typical penalty,
    without a search for the best of each. Without a gate that costs 1 to 2 % of the log-likelihood (yeast).

    Parameters
    ----------
    mixture : TreeMixture or None
        None for the first tree.
    rows : TrainingRows
    settings : GrowthSettings
    rng : numpy.random.Generator
    monitor : Monitor
    first : TreeFit, optional
        The tree whose penalties are taken over.

    Returns
    -------
    TreeFit
    """
    weights = rows.weights
    l2 = settings.l2 if first is None or settings.l2 is not None else float(np.exp(np.log(first.l2).mean()))
    if mixture is not None:
        hard = weights * -np.expm1(mixture.log_prob(rows))
        if settings.noise:
            hard = hard * draw_by_key(rows.keys, rng.gamma(NOISE_SHAPE, 1.0 / NOISE_SHAPE, POOL), rng)
        weights = hard * (weights.sum() / hard.sum())

    def learn() -> State:
        tree = fit_tree(
            rows.design,
            rows.Y,
            weights,
            rows.fold,
            candidates=settings.candidates,
            l2=l2,
            tol=1e-6,
            min_rows=settings.min_rows,
        )
        return tree._asdict()

    state = monitor.arrays(learn)
    _check_tree(state, rows)
    tree = TreeFit(**state)
    return tree if first is None else tree._replace(l2=first.l2)


def _check_tree(state: State, rows: TrainingRows) -> None:
    """Raise a ValueError unless arrays from a checkpoint are those of a tree over the labels of these rows."""
    D, L = rows.design.n_columns, rows.Y.shape[1]
    check_saved(
        state,
        parents=Expected((L,), np.integer, -1, L - 1),
        coef=Expected((D, L, 2), np.floating),
        l2=Expected((L, 2), np.floating, low=0.0),
        gains=Expected((L, L), np.floating, low=-np.inf),
    )
    check_forests(state["parents"][None])


def _grow_once(
    rows: TrainingRows, held_out: int, settings: GrowthSettings, rng: np.random.Generator, monitor: Monitor
) -> Growth:
    """Grow a mixture while the log-likelihood of one fold improves, then refit it to all rows."""
    inside, outside = rows.split(held_out)
    mixture: TreeMixture | None = None
    curve: list[dict[str, Any]] = []
    gate_l2, first = settings.gate_l2, None
    while not _is_grown(curve, settings.n_components):
        monitor.task(f"growth {held_out + 1}, tree {len(curve) + 1}")
        tree = next_tree(mixture, inside, settings, rng, monitor, first)
        if mixture is None:
            first = tree if settings.settles else None
            best = mixture = one_tree_mixture(tree, inside)
        else:
            mixture, gate_l2 = _add_tree(mixture, tree, outside, gate_l2, monitor)
            # Without held-out rows the likelihood of the training rows would relax the penalties to zero.
            if settings.relaxes and rows.fold is not None and len(curve) < RELAXED_TREES:
                mixture = _relax_penalties(mixture, outside, monitor)
        curve.append(_summary(mixture, outside))
        if settings.n_components or not _dropped(curve):
            best = mixture
    settles = settings.settles and rows.fold is not None
    if settles:
        best = _settle(best, outside, settings.max_iter, monitor)
    lifts = _lifts(best, inside, outside) if rows.fold is not None else []
    monitor.task(f"all rows, {best.n_trees} trees")
    final = best.copy_to(rows)
    n_iter = min(settings.max_iter, FINISH_ITERATIONS) if settles else settings.max_iter
    return Growth(final, final.run(n_iter, monitor, tol=TOL), curve, lifts)


def _settle(mixture: TreeMixture, outside: TrainingRows, max_iter: int, monitor: Monitor) -> TreeMixture:
    """Run EM on as long as the held-out log-likelihood improves, a few iterations at a time."""
    for _ in range(max_iter // SETTLING_ITERATIONS):
        further = mixture.copy_to(mixture.rows)
        further.run(SETTLING_ITERATIONS, monitor, tol=TOL)
        if further.held_out(outside) <= mixture.held_out(outside):
            break
        mixture = further
    return mixture


def _lifts(mixture: TreeMixture, inside: TrainingRows, outside: TrainingRows) -> list[Lift]:
    """Compute the gain of held-out rows by the seen sets, a block at a time; empty if no training set is complete."""
    sets = distinct_sets(inside.Y)
    if not len(sets):
        return []
    cells = max(len(sets), mixture.experts.coef[:, 0].size)
    parts = (outside.take(np.arange(len(outside))[block]) for block in row_slices(len(outside), cells))
    return [
        lift(mixture.log_probs_of(part, sets), sets, mixture.log_prob(part), part.Y, part.weights)
        for part in parts
    ]


def _summary(mixture: TreeMixture, outside: TrainingRows) -> dict[str, Any]:
    return {
        "components": mixture.n_trees,
        "held_out": mixture.held_out(outside),
        "gate_l2": mixture.gate_l2,
        "penalty_factor": mixture.penalty_factor,
    }


def _dropped(curve: list[dict[str, Any]]) -> bool:
    """Whether the last tree did not improve the held-out log-likelihood."""
    return len(curve) > 1 and curve[-1]["held_out"] <= curve[-2]["held_out"]


def _is_grown(curve: list[dict[str, Any]], n_components: int | None) -> bool:
    if n_components is not None:
        return len(curve) >= n_components
    return len(curve) >= MAX_COMPONENTS or _dropped(curve)


def _add_tree(
    mixture: TreeMixture,
    tree: TreeFit,
    outside: TrainingRows,
    gate_l2: float | Literal["auto"] | None,
    monitor: Monitor,
) -> tuple[TreeMixture, float | None]:
    """Refit the mixture with one more tree; with the second tree, choose the gate's penalty for all later ones."""
    scale = mixture.rows.design.total_variance
    if gate_l2 != "auto":
        candidate = mixture.with_tree(tree, gate_l2)
        candidate.run(GROWTH_ITERATIONS, monitor, tol=TOL)
        return candidate, gate_l2
    tried = [mixture.with_tree(tree, step * scale) for step in GATE_L2_STEPS]
    for candidate in tried:
        candidate.run(TRIAL_ITERATIONS, monitor, tol=TOL)
    best = max(tried, key=lambda candidate: candidate.held_out(outside))
    best.run(GROWTH_ITERATIONS - TRIAL_ITERATIONS, monitor, tol=TOL)
    return best, best.gate_l2


def _relax_penalties(mixture: TreeMixture, outside: TrainingRows, monitor: Monitor) -> TreeMixture:
    """Relax the penalties as long as the held-out log-likelihood improves."""
    while True:
        relaxed = mixture.copy_to(mixture.rows, RELAXATION)
        relaxed.run(RELAXED_ITERATIONS, monitor, tol=TOL)
        if relaxed.held_out(outside) <= mixture.held_out(outside):
            return mixture
        mixture = relaxed
