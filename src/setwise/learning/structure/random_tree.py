"""Conditional trees with a given or random structure: only the regressions are learned."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.inference.forests.arrays import ROOT
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.penalties import choose_l2
from setwise.learning.mixtures.experts import forest_problems
from setwise.learning.structure.tree import TreeFit


def random_tree(n_labels: int, rng: np.random.Generator) -> Array:
    """Draw a tree: the labels in random order, each after the first with a random earlier one as its parent.

    Parameters
    ----------
    n_labels : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (L,)
        Parent of each label, -1 for the root.

    Examples
    --------
    >>> import numpy as np
    >>> parents = random_tree(5, np.random.default_rng(0))
    >>> int((parents == -1).sum())
    1
    """
    order, parents = rng.permutation(n_labels), np.full(n_labels, ROOT)
    for j in range(1, n_labels):
        parents[order[j]] = order[rng.integers(j)]
    return parents


def fit_given_tree(
    design: Design,
    Y: Labels,
    weights: Floats,
    fold: Array | None,
    parents: Array,
    *,
    l2: float | None = None,
    tol: float = 1e-8,
) -> TreeFit:
    """Fit the regressions of a tree whose structure is given.

    Parameters
    ----------
    design : Design
        Of n rows.
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,)
    fold : ndarray of shape (n,) or None
        Folds by which penalties are chosen.
    parents : ndarray of shape (L,)
    l2 : float, optional
        Penalty of all regressions; chosen by the held-out loss by default.
    tol : float, default=1e-8

    Returns
    -------
    TreeFit
        Without gains: no edge was tried.
    """
    L = len(parents)
    problems = forest_problems(Y, weights, parents, np.ones((L, 2)))
    choice = choose_l2(design, problems, fold, l2)
    coef = fit_logistic(design, problems.with_l2(choice.l2), choice.start, tol=tol).coef.reshape(-1, L, 2)
    root = parents == ROOT
    coef[:, root, 1] = coef[:, root, 0]
    return TreeFit(parents, coef, choice.l2.reshape(L, 2), np.full((L, L), -np.inf))
