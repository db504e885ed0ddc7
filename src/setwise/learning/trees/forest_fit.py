"""Fitting a decision forest: trees until the out-of-bag loss stops falling, then what is chosen by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from setwise.arrays import FREE, Floats, Labels, Matrix
from setwise.kernels.set_trees import SetTrees
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.progress.monitor import current_monitor
from setwise.learning.trees.completed_sets import CompletedSets, complete_sets
from setwise.learning.trees.decision_forest import DecisionTrees, Shares, with_sets
from setwise.learning.trees.forest_rows import ForestRows
from setwise.learning.trees.out_of_bag import LEAF_SIZES, Choice, OutOfBag, only_own_sets

FIRST_TREES, MAX_TREES = 50, 400
"""The number of trees is doubled from the first to the second number."""
SMALL_GAIN = 0.005
"""Doubling the trees must lower the out-of-bag loss by this share, of one nat at least, or growth stops."""
FIRST_LEAF_SIZE = 3
MAX_JUDGED, MAX_CELLS = 1000, 1 << 23
"""Rows that are judged out of bag, and their number times that of the seen sets."""


@dataclass(frozen=True)
class ForestSettings:
    """How to fit a decision forest; "auto" is chosen by the out-of-bag loss."""

    n_trees: int | Literal["auto"]
    max_features: int | Literal["auto", "sqrt"]
    leaf_size: float | Literal["auto"]
    backoff: float | Literal["auto"]


class Grown(NamedTuple):
    """Trees with numbers of rows, the sets of these rows, and what was chosen."""

    trees: SetTrees
    completed: CompletedSets
    n_draws: int
    choice: Choice


def fit_decision_forest(
    X: Matrix, Y: Labels, weights: Floats | None, settings: ForestSettings, seed: int
) -> tuple[DecisionTrees, Choice, int]:
    """Fit a decision forest.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
        Labels, FREE if unknown.
    weights : ndarray of shape (n,) or None
    settings : ForestSettings
    seed : int

    Returns
    -------
    forest : DecisionTrees
    choice : Choice
    n_draws : int
        Number of features that each split considered.
    """
    rows = ForestRows.of(X, Y, weights, seed)
    numbers = _numbers_of_draws(settings, X.shape[1])
    n_first = FIRST_TREES if settings.n_trees == "auto" else settings.n_trees
    if len(numbers) > 1:
        n_first = min(n_first, FIRST_TREES)
    trials = [_grow_first(rows, settings, n_first, n_draws) for n_draws in numbers]
    grown = _grow_on(rows, settings, min(trials, key=lambda trial: trial.choice.loss))
    trees, completed, n_draws, choice = grown
    forest = with_sets(trees, completed.of_rows).pruned(choice.leaf_weight)
    unknown = (Y == FREE).all(axis=0)
    shares = Shares(0.0, 0.0, 1.0) if unknown.any() else choice.shares
    fitted = DecisionTrees(forest, completed.sets, rows.prior, choice.shrinkage, shares, unknown)
    return fitted, choice, n_draws


def _numbers_of_draws(settings: ForestSettings, n_features: int) -> list[int]:
    root, third = max(1, math.isqrt(n_features)), max(1, n_features // 3)
    if settings.max_features == "auto":
        return sorted({root, third} if third < 4 * root else {root})
    return [root if settings.max_features == "sqrt" else int(settings.max_features)]


def _grow_first(rows: ForestRows, settings: ForestSettings, n_trees: int, n_draws: int) -> Grown:
    trees = rows.grow(0, n_trees, n_draws)
    completed = complete_sets(rows, trees)
    choice = _choose(rows, settings, trees, completed, FIRST_LEAF_SIZE * rows.one_row)
    return Grown(trees, completed, n_draws, choice)


def _grow_on(rows: ForestRows, settings: ForestSettings, grown: Grown) -> Grown:
    """Double the trees up to the number that is wanted, or while the out-of-bag loss falls."""
    wanted = MAX_TREES if settings.n_trees == "auto" else settings.n_trees
    monitor = current_monitor()
    monitor.task("trees")
    while (done := len(grown.trees.root)) < wanted:
        monitor.report(done, wanted)
        n_more = done if settings.n_trees == "auto" else wanted - done
        more = rows.grow(done, n_more, grown.n_draws)
        trees = SetTrees.joined([grown.trees, more])
        choice = _choose(rows, settings, trees, grown.completed, grown.choice.leaf_weight)
        fell = grown.choice.loss - choice.loss > SMALL_GAIN * max(1.0, grown.choice.loss)
        grown = grown._replace(trees=trees, choice=choice)
        if settings.n_trees == "auto" and not fell:
            break
    monitor.report(wanted, wanted)
    return grown


def _choose(
    rows: ForestRows, settings: ForestSettings, trees: SetTrees, completed: CompletedSets, start: float
) -> Choice:
    n_sets = len(completed.sets)
    judged = sample_rows(rows.X, max(200, min(MAX_JUDGED, MAX_CELLS // n_sets)))
    out_of_bag = OutOfBag(
        rows.X[judged],
        rows.Y[judged],
        rows.weights[judged],
        rows.in_bag(judged, len(trees.root)),
        only_own_sets(completed.of_rows, rows.keys, judged, n_sets),
    )
    sizes = LEAF_SIZES if settings.leaf_size == "auto" else (settings.leaf_size,)
    return out_of_bag.choose(
        with_sets(trees, completed.of_rows),
        completed.sets,
        rows.prior,
        [size * rows.one_row for size in sizes],
        start,
        None if settings.backoff == "auto" else settings.backoff,
    )
