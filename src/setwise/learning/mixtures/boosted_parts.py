"""Boosted gates and experts: every M-step of EM adds trees, so the mixture is boosted while it is fitted.

The M-step is generalized: instead of maximizing the expected log-likelihood it takes steps on it, each a small tree
fitted to the gradient. The learning rate and early stopping regularize; the bound has no penalty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_softmax, softmax

from setwise.arrays import FREE, Array, Floats
from setwise.kernels.tree_scores import TreeScores
from setwise.learning.mixtures.em import MOST_STEPS
from setwise.learning.mixtures.independent_labels import log_bernoulli, no_parents
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.saved_arrays import ADVICE
from setwise.learning.trees.boosting import BoostedScores
from setwise.learning.trees.growers import TreeGrower
from setwise.learning.trees.tree_steps import NEWTON, TreeSteps

TREES_PER_STEP = 3


class BoostedPart:
    """A gate or experts whose scores are ``boosted`` sums of trees."""

    boosted: BoostedScores

    def penalty(self) -> float:
        """Return zero: boosting is regularized by its learning rate and by stopping early."""
        return 0.0

    def state(self) -> State:
        """Return the trees as arrays."""
        return self.boosted.state()

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self.boosted.restore(state)

    def scores(self) -> TreeScores:
        """Return the scores as sums of trees: logits flat in (K, L), or those of the gate before its softmax."""
        return self.boosted.scores()


class BoostedExperts(BoostedPart):
    """K components of L independent labels whose logits are sums of trees.

    Parameters
    ----------
    rows : TrainingRows
    logits : ndarray of shape (K, L)
        Constants to start from.
    grower : TreeGrower
    negligible : float
        Rows with a smaller responsibility are left out of a component's trees.
    steps : TreeSteps
    """

    def __init__(
        self,
        rows: TrainingRows,
        logits: Floats,
        grower: TreeGrower,
        negligible: float,
        steps: TreeSteps = NEWTON,
    ) -> None:
        self.rows, self.negligible, self.n_labels, self.steps = rows, negligible, logits.shape[1], steps
        self.boosted = BoostedScores(rows.X, logits.ravel(), grower)

    @property
    def parents(self) -> Array:
        """Parents (K, L) of the labels: none."""
        return no_parents(len(self.boosted.intercept) // self.n_labels, self.n_labels)

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log-probability (n, K) of each row's labels in each component."""
        labels = np.ascontiguousarray((self.rows if rows is None else rows).Y.T)
        logits = self.boosted.of_rows(None if rows is None else rows.X).reshape(-1, *labels.shape)
        out = np.zeros((len(logits), labels.shape[1]))
        for y, of_label in zip(labels, logits.swapaxes(0, 1)):
            for total, z in zip(out, of_label):
                total += log_bernoulli(y, z)
        return out.T

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Add a few trees for every label of every component; both values of the label need more than one row."""
        before = len(self.boosted.trees)
        for k, weights in enumerate(responsibilities.T):
            rows = np.flatnonzero(weights > self.negligible * self.rows.weights)
            Y, w = self.rows.Y[rows], weights[rows]
            for label in np.flatnonzero(np.minimum(w @ (Y == 0), w @ (Y == 1)) > one_row(self.rows)):
                known = Y[:, label] != FREE
                for _ in range(TREES_PER_STEP):
                    self._grow(k * self.n_labels + label, rows[known], Y[known, label], w[known])
        return len(self.boosted.trees) - before

    def _grow(self, score: int, rows: Array, y: Array, weights: Floats) -> None:
        p = expit(self.boosted.values[score, rows])
        self.boosted.add_tree(score, rows, weights * (p - y), self.steps.curvature(weights, p))

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        self.boosted.keep(np.repeat(keep, self.n_labels))

    def restore(self, state: State) -> None:
        """Continue from a state."""
        if state["intercept"].size % self.n_labels:
            raise ValueError(f"the checkpoint has trees of other labels; {ADVICE}")
        super().restore(state)


class BoostedGate(BoostedPart):
    """A gate whose scores are sums of trees, boosted towards the responsibilities as soft targets.

    Parameters
    ----------
    rows : TrainingRows
    log_weights : ndarray of shape (K,)
        Constants to start from.
    grower : TreeGrower
    steps : TreeSteps
    """

    def __init__(
        self, rows: TrainingRows, log_weights: Floats, grower: TreeGrower, steps: TreeSteps = NEWTON
    ) -> None:
        self.steps = steps
        self.boosted = BoostedScores(rows.X, log_weights, grower)

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log weights (n, K)."""
        scores = self.boosted.of_rows(None if rows is None else rows.X)
        return np.asarray(log_softmax(scores, axis=0)).T

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Add a few trees for every component, on the gradient of CBM's equation (9)."""
        rows = np.arange(len(responsibilities))
        weights = responsibilities.sum(axis=1)
        for _ in range(TREES_PER_STEP if responsibilities.shape[1] > 1 else 0):
            for k, p in enumerate(softmax(self.boosted.values, axis=0)):
                gradient = weights * p - responsibilities[:, k]
                self.boosted.add_tree(k, rows, gradient, self.steps.curvature(weights, p))
        return TREES_PER_STEP

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        self.boosted.keep(np.asarray(keep))


def one_row(rows: TrainingRows) -> float:
    """Compute the weight that counts as one row: one, or the mean weight if weights are shares that sum to less."""
    return float(min(1.0, rows.weights.mean()))


def boosted_parts(
    rows: TrainingRows, start: Any, negligible: float, make_grower: Any, steps: TreeSteps = NEWTON
) -> tuple[BoostedGate, BoostedExperts]:
    """Make a gate and experts that start at the constants of a Bernoulli mixture.

    Parameters
    ----------
    rows : TrainingRows
    start : BernoulliMixture
    negligible : float
        Rows with a smaller responsibility are left out of a component's trees.
    make_grower : callable
        ``make_grower(X, weights, steps)`` returns a TreeGrower.
    steps : TreeSteps

    Returns
    -------
    tuple of (BoostedGate, BoostedExperts)
    """
    grower = make_grower(rows.X, rows.weights / one_row(rows), steps)
    return (
        BoostedGate(rows, start.log_weights, grower, steps),
        BoostedExperts(rows, start.logits, grower, negligible, steps),
    )
