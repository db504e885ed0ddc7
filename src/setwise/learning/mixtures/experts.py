"""Experts: forests of logistic regressions, one forest per component."""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE, Array, Floats, Labels
from setwise.inference.forests.arrays import ROOT, Forests, topological_order
from setwise.inference.forests.messages import log_evidence
from setwise.learning.linear.logistic import fit_logistic, smoothing_loss
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.scores import LinearScores
from setwise.learning.mixtures.completion import Completed, complete
from setwise.learning.mixtures.em import MOST_STEPS
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.saved_arrays import Expected, check_forests, check_saved

NEGLIGIBLE = 1e-5
"""Rows with a smaller responsibility are left out of a component's M-step."""
BATCH_CELLS = 1 << 20
"""Up to this many labels of all rows and components, the components are fitted in one batch: on small data the calls
cost more than the negligible rows."""
SMOOTHING = 0.1
"""Pseudo-rows of each class in every regression: labels are often constant within a component."""


class LogisticExperts:
    """K forests over the labels whose conditionals are logistic regressions.

    Parameters
    ----------
    rows : TrainingRows
    parents : ndarray of shape (K, L)
        Parent of each label in each component, -1 for a root.
    coef : ndarray of shape (K, D, L, V)
        Coefficients for each value of the parent; V = 1 if no component has an edge.
    l2 : ndarray of shape (K, L, V)
        Penalties.
    negligible : float
        Rows with a smaller responsibility are left out of a component's M-step. With 0 every row counts, and the
        bound of EM never drops.
    """

    def __init__(
        self,
        rows: TrainingRows,
        parents: Array,
        coef: Floats,
        l2: Floats,
        *,
        negligible: float = NEGLIGIBLE,
    ) -> None:
        self.rows, self.design, self.negligible = rows, rows.design, negligible
        self.parents, self.coef, self.l2 = np.ascontiguousarray(parents, dtype=np.int32), coef, l2

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log-probability (n, K) of each row's labels in each component, one component at a time."""
        rows = self.rows if rows is None else rows
        K, D, L, V = self.coef.shape
        order = topological_order(self.parents)
        out = np.empty((len(rows), K))
        for k in range(K):
            logits = rows.design.scores(self.coef[k].reshape(D, L * V)).reshape(len(rows), 1, L, V)
            forest = Forests(logits, self.parents[k : k + 1], order[k : k + 1])
            out[:, k] = log_evidence(forest, rows.Y)[:, 0]
        return out

    def forests(self, rows: TrainingRows) -> Forests:
        """Compute the tables of all components for the rows, all at once."""
        K, D, L, V = self.coef.shape
        coef = self.coef.transpose(1, 0, 2, 3).reshape(D, K * L * V)
        logits = rows.design.scores(coef).reshape(len(rows), K, L, V)
        return Forests(logits, self.parents, topological_order(self.parents))

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Do a few solver steps for the regressions of every component; CBM's equation (10), MC's (10).

        Unknown labels without parent and child are left out; in trees they are completed by their posterior under
        the current tree.
        """
        K, D, L, V = self.coef.shape
        Y = self.rows.Y
        if len(Y) * K * L * V > BATCH_CELLS or (V > 1 and (Y == FREE).any()):
            return sum(self._update_one(k, g, steps) for k, g in enumerate(responsibilities.T))
        forests = zip(responsibilities.T, self.parents, self.l2, strict=True)
        problems = LogisticProblems.concatenate([forest_problems(Y, *forest) for forest in forests])
        start = self.coef.transpose(1, 0, 2, 3).reshape(D, K * L * V)
        fit = fit_logistic(self.design, problems, start, tol=1e-9, max_iter=steps)
        self.coef = np.ascontiguousarray(fit.coef.reshape(D, K, L, V).transpose(1, 0, 2, 3))
        return int(fit.n_iter.max(initial=0))

    def _update_one(self, k: int, weights: Floats, steps: int) -> int:
        rows = np.arange(len(weights))
        if self.negligible:
            rows = np.flatnonzero(weights > self.negligible * self.rows.weights)
        if not len(rows):
            return 0
        design = self.design if len(rows) == len(weights) else self.design.take(rows)
        D, L, V = self.coef[k].shape
        start = self.coef[k].reshape(D, L * V)
        Y, completed = self.rows.Y[rows], None
        if V > 1 and (Y == FREE).any():
            completed = complete(design.scores(start).reshape(-1, L, V), self.parents[k], Y)
        problems = forest_problems(Y, weights[rows], self.parents[k], self.l2[k], completed)
        fit = fit_logistic(design, problems, start, tol=1e-9, max_iter=steps)
        self.coef[k] = fit.coef.reshape(D, L, V)
        return int(fit.n_iter.max(initial=0))

    def penalty(self) -> float:
        """Compute l2 / 2 times the squared coefficients without the intercepts, plus the intercepts' smoothing."""
        free = np.delete(self.coef, self.design.intercept, axis=1)
        ridge = 0.5 * float((self.l2 * (free**2).sum(axis=1)).sum())
        return ridge + float(smoothing_loss(self.coef[:, self.design.intercept], SMOOTHING).sum())

    def drop(self, keep: Array) -> None:
        """Keep some components, given as a mask (K,)."""
        self.coef, self.parents, self.l2 = self.coef[keep], self.parents[keep], self.l2[keep]

    def state(self) -> State:
        """Return coefficients, structures and penalties."""
        return {"coef": self.coef, "parents": self.parents, "l2": self.l2}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        _, D, L, V = self.coef.shape
        check_saved(
            state,
            coef=Expected(("K", D, L, V), self.coef.dtype),
            parents=Expected(("K", L), np.int32, -1, L - 1 if V > 1 else -1),
            l2=Expected(("K", L, V), self.l2.dtype, low=0.0),
        )
        check_forests(state["parents"])
        self.coef, self.parents, self.l2 = state["coef"], state["parents"], state["l2"]

    def scores(self) -> LinearScores:
        """Return the logits as functions of the original features, flat in (K, L, V)."""
        K, D, L, V = self.coef.shape
        return self.design.to_features(self.coef.transpose(1, 0, 2, 3).reshape(D, K * L * V))


def forest_problems(
    Y: Labels, weights: Floats, parents: Array, l2: Floats, completed: Completed | None = None
) -> LogisticProblems:
    """Make the regressions of one weighted forest, flat in (L, V).

    A label with a parent has one regression on the rows whose parent is 0 and one on those whose parent is 1; the
    second problem of a root has no rows.

    Parameters
    ----------
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)
    parents : ndarray of shape (L,)
    l2 : ndarray of shape (L, V)
    completed : Completed, optional
        Soft targets and shares of a row in place of unknown labels.

    Returns
    -------
    LogisticProblems
    """
    L, V = l2.shape
    target = np.repeat(np.arange(L), V)
    if V == 1:
        return LogisticProblems.of(Y, target, weights[:, None], l2=l2.ravel(), smoothing=SMOOTHING)
    targets: Array = Y
    on: Array = Y
    if completed is not None:
        targets, target, on = completed.targets.reshape(-1, L * V), np.arange(L * V), completed.on
    above = np.where(parents == ROOT, 0, parents)
    # Weight columns: all rows, rows where label j is 0, rows where it is 1, no row.
    given = np.hstack([np.ones((len(Y), 1)), 1 - on, on, np.zeros((len(Y), 1))]) * weights[:, None]
    root = parents == ROOT
    weight = np.stack([np.where(root, 0, 1 + above), np.where(root, 2 * L + 1, 1 + L + above)], axis=1)
    return LogisticProblems.of(targets, target, given, weight.ravel(), l2=l2.ravel(), smoothing=SMOOTHING)
