"""Label sets of training rows: their own, or draws of what is unknown, given the leaves that a row falls into."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.distributions import BackedOff, ForestMixture, LabelDistribution, Table
from setwise.kernels.set_trees import SKIPPED, SetTrees
from setwise.learning.labels.classifiers import logit
from setwise.learning.labels.powerset import SetCounts
from setwise.learning.trees.decision_forest import label_logits, with_sets
from setwise.learning.trees.forest_rows import ForestRows
from setwise.random_bits import RowNumbers

N_COMPLETIONS = 8
"""Draws of the unknown labels of a row; the trees take turns with them."""
ROUNDS = 3
"""Rounds of draws: each sees the sets of the one before."""
LEAF_ROWS = 5
SHARE = 0.3
"""Share of independent labels, and weight of a leaf in rows, before anything was chosen."""


class CompletedSets(NamedTuple):
    """The distinct sets (m, L), and the numbers (n, S) of the sets of each row: one if all its labels are known."""

    sets: Labels
    of_rows: Array


def complete_sets(rows: ForestRows, trees: SetTrees) -> CompletedSets:
    """List the label sets of training rows; unknown labels are drawn from their distribution out of bag.

    Parameters
    ----------
    rows : ForestRows
    trees : SetTrees
        Their members are numbers of rows.

    Returns
    -------
    CompletedSets
    """
    partial = np.flatnonzero((rows.Y == FREE).any(axis=1))
    if not len(partial):
        counts = SetCounts.of(rows.Y, rows.weights)
        return CompletedSets(counts.sets, counts.which[:, None])
    leaves = trees.leaves(rows.X[partial], LEAF_ROWS * rows.one_row)
    leaves[rows.in_bag(partial, len(trees.root))] = SKIPPED
    joint = _joint_of_all(rows, partial)
    for number in range(ROUNDS):
        draws = joint.condition(rows.Y[partial]).sample(N_COMPLETIONS, RowNumbers(rows.keys[partial], number))
        found = _with_draws(rows.Y, partial, draws)
        weights = with_sets(trees, found.of_rows).shares(leaves, len(found.sets))
        joint = _joint_of_leaves(weights, found.sets, rows.prior)
    return found


def _joint_of_all(rows: ForestRows, partial: Array) -> LabelDistribution:
    """The sets of the complete rows by their frequency, and independent labels."""
    logits = np.tile(logit(rows.prior), (len(partial), 1))
    independent = ForestMixture.independent(logits)
    complete = (rows.Y != FREE).all(axis=1)
    if not complete.any():
        return independent
    counts = SetCounts.of(rows.Y[complete], rows.weights[complete])
    frequency = np.log(counts.counts / counts.counts.sum())
    return BackedOff.of(Table(counts.sets, np.tile(frequency, (len(partial), 1))), independent, SHARE)


def _joint_of_leaves(weights: Floats, sets: Labels, prior: Floats) -> LabelDistribution:
    # Without a tree that has not seen a row, all its weights are zero: any set will do.
    weights = weights + (weights.sum(axis=1, keepdims=True) == 0)
    weights /= weights.sum(axis=1, keepdims=True)
    logits = label_logits(weights, sets, prior, SHARE / 10)
    with np.errstate(divide="ignore"):
        return BackedOff.of(Table(sets, np.log(weights)), ForestMixture.independent(logits), SHARE)


def _with_draws(Y: Labels, partial: Array, draws: Labels) -> CompletedSets:
    complete = np.repeat(Y[:, None], draws.shape[1], axis=1)
    complete[partial] = draws
    counts = SetCounts.of(complete.reshape(-1, Y.shape[1]), None)
    return CompletedSets(counts.sets, counts.which.reshape(len(Y), -1))
