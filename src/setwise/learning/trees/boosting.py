"""Boosted gates and experts: every M-step of EM adds trees, so the mixture is boosted while it is fitted.

The M-step is generalised: it takes Newton steps on the expected log-likelihood, each a small tree fitted to the
gradient, instead of maximising it. The penalty is the small learning rate and the stop; the bound has none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_softmax, softmax

from setwise.contract import FREE, Array, Floats
from setwise.kernels.tree_scores import Tree, TreeScores
from setwise.learning.mixtures.rows import Rows
from setwise.learning.progress.checkpoint import State
from setwise.learning.trees.growers import TreeGrower

TREES_PER_STEP = 3
MIN_HESSIAN = 1e-6


class Elsewhere(NamedTuple):
    """Sums of the first ``n_trees`` trees on other rows than they grow on; ``values`` (n, B)."""

    rows: Rows
    n_trees: int
    values: Floats


class BoostedScores:
    """B scores that are sums of trees; their ``values`` (B, n) are known on the rows they grow on.

    Parameters
    ----------
    rows : Rows
    intercept : ndarray of shape (B,)
    grower : TreeGrower
    """

    def __init__(self, rows: Rows, intercept: Floats, grower: TreeGrower) -> None:
        self.rows, self.grower = rows, grower
        self.intercept, self.trees, self.owner = intercept, list[Tree](), list[int]()
        self.values = np.repeat(intercept[:, None], len(rows), axis=1)
        self._elsewhere: Elsewhere | None = None

    def add_tree(self, score: int, rows: Array, gradient: Floats, hessian: Floats) -> None:
        """Grow a tree for one score and add it; the seed is the number of trees so far."""
        hessian = np.maximum(hessian, MIN_HESSIAN)
        tree = self.grower.grow(rows, gradient, hessian, len(self.trees), self.values[score])
        if tree is not None:
            self.trees.append(tree)
            self.owner.append(score)

    def scores(self) -> TreeScores:
        """All trees, laid out flat."""
        return TreeScores.of(self.intercept, self.trees, self.owner)

    def of_rows(self, rows: Rows | None) -> Floats:
        """The scores (B, n) of the rows they grow on, or of others.

        Held-out rows are asked for after every iteration: what earlier trees say of them is not summed again.
        """
        if rows is None:
            return self.values
        seen = self._elsewhere
        if seen is None or seen.rows is not rows:
            seen = Elsewhere(rows, 0, np.tile(self.intercept, (len(rows), 1)))
        new = TreeScores.of(self.intercept, self.trees[seen.n_trees :], self.owner[seen.n_trees :])
        new.add_to(seen.values, rows.X)
        self._elsewhere = seen._replace(n_trees=len(self.trees))
        return seen.values.T

    def keep(self, columns: Array) -> None:
        """Keep some scores (a mask)."""
        number = np.cumsum(columns) - 1
        kept = [(t, int(number[o])) for t, o in zip(self.trees, self.owner) if columns[o]]
        self.trees, self.owner = [t for t, _ in kept], [o for _, o in kept]
        self.intercept, self.values = self.intercept[columns], self.values[columns]
        self._elsewhere = None

    def state(self) -> State:
        """The flat trees; the values on the rows come back by adding them up again."""
        return {name: np.asarray(array) for name, array in self.scores()._asdict().items()}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        f = TreeScores(**state)
        if not f.is_sound(self.rows.X.shape[1]):
            raise ValueError(
                "the checkpoint holds no trees of these features; delete its folder to start again"
            )
        self.intercept, self.trees, self.owner = f.intercept, f.trees(), f.score.tolist()
        self.values = np.ascontiguousarray(f(self.rows.X).T)
        self._elsewhere = None


class BoostedExperts:
    """K components of L independent labels whose logits are sums of trees.

    Parameters
    ----------
    rows : Rows
    logits : ndarray of shape (K, L)
        The constants to start from.
    grower : TreeGrower
    negligible : float
        Rows of a smaller responsibility do not enter a component's trees.
    """

    def __init__(self, rows: Rows, logits: Floats, grower: TreeGrower, negligible: float) -> None:
        self.rows, self.negligible, self.n_labels = rows, negligible, logits.shape[1]
        self.boosted = BoostedScores(rows, logits.ravel(), grower)

    @property
    def parents(self) -> Array:
        """No label has a parent, (K, L)."""
        return np.full((len(self.boosted.intercept) // self.n_labels, self.n_labels), -1, dtype=np.int32)

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log-probability (n, K) of each row's labels in each component."""
        labels = np.ascontiguousarray((self.rows if rows is None else rows).Y.T)
        logits = self.boosted.of_rows(rows).reshape(-1, *labels.shape)
        out = np.zeros((len(logits), labels.shape[1]))
        for y, of_label in zip(labels, logits.swapaxes(0, 1)):
            for total, z in zip(out, of_label):
                total += _log_bernoulli(y, z)
        return out.T

    def update(self, responsibilities: Floats) -> int:
        """A few trees for every label of every component whose both values more than one row has."""
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
        self.boosted.add_tree(score, rows, weights * (p - y), weights * p * (1.0 - p))

    def penalty(self) -> float:
        """None: boosting is held back by its learning rate and its stop."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components."""
        self.boosted.keep(np.repeat(keep, self.n_labels))

    def state(self) -> State:
        """The trees."""
        return self.boosted.state()

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self.boosted.restore(state)

    def scores(self) -> TreeScores:
        """Logits, flat in (K, L)."""
        return self.boosted.scores()


class BoostedGate:
    """Gate scores that are sums of trees, boosted towards the responsibilities as soft targets.

    Parameters
    ----------
    rows : Rows
    log_weights : ndarray of shape (K,)
        The constants to start from.
    grower : TreeGrower
    """

    def __init__(self, rows: Rows, log_weights: Floats, grower: TreeGrower) -> None:
        self.boosted = BoostedScores(rows, log_weights, grower)

    def log_values(self, rows: Rows | None = None) -> Floats:
        """Log weights (n, K)."""
        return np.asarray(log_softmax(self.boosted.of_rows(rows), axis=0)).T

    def update(self, responsibilities: Floats) -> int:
        """A few trees for every component, on the gradient of CBM's equation (9)."""
        rows = np.arange(len(responsibilities))
        weights = responsibilities.sum(axis=1)
        for _ in range(TREES_PER_STEP if responsibilities.shape[1] > 1 else 0):
            for k, p in enumerate(softmax(self.boosted.values, axis=0)):
                gradient = weights * p - responsibilities[:, k]
                self.boosted.add_tree(k, rows, gradient, weights * p * (1.0 - p))
        return TREES_PER_STEP

    def penalty(self) -> float:
        """None."""
        return 0.0

    def drop(self, keep: Array) -> None:
        """Keep some components."""
        self.boosted.keep(np.asarray(keep))

    def state(self) -> State:
        """The trees."""
        return self.boosted.state()

    def restore(self, state: State) -> None:
        """Continue from a state."""
        self.boosted.restore(state)

    def scores(self) -> TreeScores:
        """Scores of the components; their softmax is the gate."""
        return self.boosted.scores()


def _log_bernoulli(y: Array, logits: Floats) -> Floats:
    """Log-probability (n,) of a label; zero where it is not known."""
    signed = np.where(y == 1, logits, -logits)
    return np.where(y == FREE, 0.0, np.minimum(signed, 0.0) - np.log1p(np.exp(-np.abs(signed))))


def one_row(rows: Rows) -> float:
    """The weight that counts as a row: one, or the mean where weights are shares that sum to less than the rows."""
    return float(min(1.0, rows.weights.mean()))


def boosted_parts(
    rows: Rows, start: Any, negligible: float, make_grower: Any
) -> tuple[BoostedGate, BoostedExperts]:
    """A gate and experts that start at the constants of a Bernoulli mixture."""
    grower = make_grower(rows.X, rows.weights / one_row(rows))
    return (
        BoostedGate(rows, start.log_weights, grower),
        BoostedExperts(rows, start.logits, grower, negligible),
    )
