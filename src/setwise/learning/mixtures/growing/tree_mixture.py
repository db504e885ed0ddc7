"""Mixtures of conditional trees that can take one more tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from setwise.arrays import FREE, Floats, Labels
from setwise.inference.forests.arrays import ROOT
from setwise.inference.forests.messages import log_probs_of
from setwise.learning.mixtures.experts import LogisticExperts
from setwise.learning.mixtures.fitted_mixture import FittedMixture, copy_state
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.structure.tree import TreeFit

REFIT_ITERATIONS = 50


@dataclass
class TreeMixture(FittedMixture):
    """Trees with their gate.

    Parameters
    ----------
    rows : TrainingRows
    gate : SoftmaxGate or ConstantGate
    experts : LogisticExperts
    gate_l2 : float or None
        Penalty of the gate; None for constant weights.
    penalty_factor : float
        Factor of the penalties of a new tree.
    """

    experts: LogisticExperts
    gate_l2: float | None
    penalty_factor: float

    @classmethod
    def of_trees(
        cls,
        rows: TrainingRows,
        trees: list[TreeFit],
        gate_l2: float | None = None,
        penalty_factor: float = 1.0,
    ) -> Self:
        """Put trees under a gate with equal weights."""
        K = len(trees)
        parents, coef, l2 = (np.stack(part) for part in zip(*((t.parents, t.coef, t.l2) for t in trees)))
        gate: SoftmaxGate | ConstantGate = ConstantGate(rows, np.full(K, -np.log(K)))
        if gate_l2 is not None:
            gate = SoftmaxGate(rows, np.zeros((rows.design.n_columns, K)), gate_l2)
        return cls(rows, gate, LogisticExperts(rows, parents, coef, l2), gate_l2, penalty_factor)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.experts.coef)

    def trees(self, factor: float = 1.0) -> list[TreeFit]:
        """Copy the trees, with their penalties multiplied by ``factor``."""
        experts = self.experts
        gains = np.full((self.rows.Y.shape[1],) * 2, -np.inf)
        parts = zip(experts.parents, experts.coef.copy(), factor * experts.l2)
        return [TreeFit(parents, coef, l2, gains) for parents, coef, l2 in parts]

    def with_tree(self, tree: TreeFit, gate_l2: float | None) -> Self:
        """Add a tree; the others keep their parameters, the gate starts again from equal weights."""
        tree = tree._replace(l2=self.penalty_factor * tree.l2)
        return self.of_trees(self.rows, [*self.trees(), tree], gate_l2, self.penalty_factor)

    def copy_to(self, rows: TrainingRows, factor: float = 1.0) -> Self:
        """Copy the parameters to a mixture on other rows, with the penalties multiplied by ``factor``."""
        mixture = self.of_trees(rows, self.trees(factor), self.gate_l2, factor * self.penalty_factor)
        mixture.gate.restore(copy_state(self.gate.state()))
        return mixture

    def log_probs_of(self, rows: TrainingRows, sets: Labels) -> Floats:
        """Compute the log-probability (n, m) of each of the same ``sets`` (m, L) for other rows."""
        return log_probs_of(self.gate.log_values(rows), self.experts.forests(rows), sets)


def refit_tree(tree: TreeFit, rows: TrainingRows) -> TreeFit:
    """Refit the parameters of a tree by EM, which sums over unknown labels; the structure stays."""
    mixture = TreeMixture.of_trees(rows, [tree])
    mixture.run(REFIT_ITERATIONS, tol=1e-6)
    coef, root = mixture.experts.coef[0], tree.parents == ROOT
    coef[:, root, 1] = coef[:, root, 0]
    return tree._replace(coef=coef)


def one_tree_mixture(tree: TreeFit, rows: TrainingRows) -> TreeMixture:
    """Make a mixture of one tree at its optimum.

    Held-out rows compare numbers of trees fairly only if every mixture is at its optimum. A tree is fitted to known
    labels, so with unknown labels EM refits it.
    """
    unknown = bool((rows.Y == FREE).any())
    return TreeMixture.of_trees(rows, [refit_tree(tree, rows) if unknown else tree])
