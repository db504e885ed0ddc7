"""Experts that are classifier chains of logistic regressions, one chain per component."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Floats
from setwise.learning.labels.chain import LinearChain, before_mask
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic, smoothing_loss
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.mixtures.em import MOST_STEPS
from setwise.learning.mixtures.experts import SMOOTHING
from setwise.learning.mixtures.independent_labels import log_bernoulli
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.checkpoint import State
from setwise.learning.progress.saved_arrays import Expected, check_saved


class ChainExperts:
    """K chains over the labels; each label is regressed on the features and the labels before it.

    Parameters
    ----------
    rows : TrainingRows
        All labels are known.
    design : Design
        Of the same rows, with all labels as features.
    orders : ndarray of shape (K, L)
        Order of the labels in each chain.
    coef : ndarray of shape (K, D, L)
        Coefficients of the design's columns.
    l2 : ndarray of shape (L,)
        Penalties, the same in every chain.
    """

    def __init__(self, rows: TrainingRows, design: Design, orders: Array, coef: Floats, l2: Floats) -> None:
        self.rows, self.design, self.orders, self.coef, self.l2 = rows, design, orders, coef, l2

    def log_values(self, rows: TrainingRows | None = None) -> Floats:
        """Compute the log-probability (n, K) of each row's labels in each chain."""
        Y = (self.rows if rows is None else rows).Y
        return np.stack([log_bernoulli(Y, z).sum(axis=1) for z in self._logits(rows)], axis=1)

    def _logits(self, rows: TrainingRows | None) -> list[Floats]:
        if rows is None:
            return [np.asarray(self.design.scores(coef), dtype=np.float64) for coef in self.coef]
        chains = (self.design.to_features(coef) for coef in self.coef)
        return [scores(rows.X) + rows.Y @ scores.labels for scores in chains]

    def update(self, responsibilities: Floats, steps: int = MOST_STEPS) -> int:
        """Do a few solver steps for the regressions of every chain, weighted by its responsibilities."""
        K, D, L = self.coef.shape
        problems = LogisticProblems.of(
            self.rows.Y,
            np.tile(np.arange(L), K),
            responsibilities,
            np.repeat(np.arange(K), L),
            l2=np.tile(self.l2, K),
            columns=np.hstack([before_mask(self.design, order) for order in self.orders]),
            smoothing=SMOOTHING,
        )
        start = self.coef.transpose(1, 0, 2).reshape(D, K * L)
        fit = fit_logistic(self.design, problems, start, tol=1e-9, max_iter=steps)
        self.coef = np.ascontiguousarray(fit.coef.reshape(D, K, L).transpose(1, 0, 2))
        return int(fit.n_iter.max(initial=0))

    def penalty(self) -> float:
        """Compute l2 / 2 times the squared coefficients without the intercepts, plus the intercepts' smoothing."""
        free = np.delete(self.coef, self.design.intercept, axis=1)
        ridge = 0.5 * float((self.l2 * (free**2).sum(axis=1)).sum())
        return ridge + float(smoothing_loss(self.coef[:, self.design.intercept], SMOOTHING).sum())

    def drop(self, keep: Array) -> None:
        """Keep some chains, given as a mask (K,)."""
        self.coef, self.orders = self.coef[keep], self.orders[keep]

    def state(self) -> State:
        """Return the coefficients and the orders."""
        return {"coef": self.coef, "orders": self.orders}

    def restore(self, state: State) -> None:
        """Continue from a state."""
        _, D, L = self.coef.shape
        check_saved(
            state,
            coef=Expected(("K", D, L), self.coef.dtype),
            orders=Expected(("K", L), np.integer, 0, L - 1),
        )
        self.coef, self.orders = state["coef"], state["orders"]

    def chains(self) -> list[LinearChain]:
        """Return the chains as functions of the original features."""
        return [
            LinearChain(self.design.to_features(coef), order, self.l2)
            for coef, order in zip(self.coef, self.orders)
        ]
