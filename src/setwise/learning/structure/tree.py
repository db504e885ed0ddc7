"""Learning a conditional tree: the parent of each label, and the regressions given the parent.

The gain of the edge j -> i is W(j -> i) - W(none -> i) in the notation of Hong, Batal and Hauskrecht (2014), section
5.3.1: the improvement of the held-out log-likelihood of label i if label j is known. The tree is the maximum branching
of the gains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit

from setwise.contract import FREE, Array, Floats, Labels
from setwise.inference.forests.arrays import ROOT
from setwise.learning.linear.coordinates import Coordinates
from setwise.learning.linear.design import Design
from setwise.learning.linear.l2_path import L2Choice
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.penalties import choose_l2
from setwise.learning.structure.branching import maximum_branching

Coupling = Literal["switching", "additive"]

MIN_ROWS = 10
"""Default of the smallest weight of rows with each value of a parent."""


class Edges(NamedTuple):
    """Candidate edges: ``parent`` (E,) and ``child`` (E,)."""

    parent: Array
    child: Array


class TreeFit(NamedTuple):
    """A fitted conditional tree.

    ``parents`` (L,); ``coef`` (D, L, 2) of the design's columns (without labels) for each value of the parent, equal at
    a root; ``l2`` (L, 2); ``gains`` (L, L) in held-out log-likelihood, -inf for edges that were not tried.
    """

    parents: Array
    coef: Floats
    l2: Floats
    gains: Floats


def fit_tree(
    design: Design,
    Y: Labels,
    weights: Floats | None,
    fold: Array | None,
    *,
    coupling: Coupling = "switching",
    candidates: int | Literal["all"] = "all",
    l2: float | None = None,
    tol: float = 1e-8,
    min_rows: float = MIN_ROWS,
) -> TreeFit:
    """Learn a conditional tree.

    Parameters
    ----------
    design : Design
        Of n rows; with ``coupling="additive"`` it has the labels as columns.
    Y : ndarray of shape (n, L)
        Labels, FREE if unknown; a regression uses the rows whose child and parent are known.
    weights : ndarray of shape (n,) or None
    fold : ndarray of shape (n,) or None
        Fold of each row; None, for too few rows, leaves the labels independent.
    coupling : {"switching", "additive"}, default="switching"
        One regression per value of the parent, or one with the parent as a feature.
    candidates : int or "all", default="all"
        Candidate parents per child, the best by a score test.
    l2 : float, optional
        Penalty of all regressions; chosen by the held-out loss by default.
    tol : float, default=1e-8
    min_rows : float, default=10
        Smallest weight of rows with each value of a parent.

    Returns
    -------
    TreeFit
    """
    alone = _alone_problems(design, Y, weights)
    alone_choice = choose_l2(design, alone, fold, l2)
    coef = fit_logistic(design, alone.with_l2(alone_choice.l2), alone_choice.start, tol=tol).coef
    tree = _without_edges(design, coef, alone_choice.l2)
    edges = candidate_edges(Y, expit(design.scores(coef)), weights, candidates, min_rows)
    if not len(edges.child):
        return tree
    problems_of, tables_of = COUPLINGS[coupling]
    problems = problems_of(design, Y, weights, edges)
    choice = choose_l2(design, problems, fold, l2)
    loss = choice.loss.reshape(-1, len(edges.child)).sum(axis=0)
    without = _losses_without(design, Y, weights, edges, fold, l2, alone_choice)
    tree.gains[edges.parent, edges.child] = without - loss
    tree.parents[:] = maximum_branching(tree.gains)
    chosen = np.flatnonzero(tree.parents[edges.child] == edges.parent)
    if len(chosen):
        values = np.arange(len(problems)).reshape(-1, len(edges.child))[:, chosen]
        start = None if choice.start is None else choice.start[:, values.ravel()]
        fit = fit_logistic(design, problems.with_l2(choice.l2).take(values.ravel()), start, tol=tol)
        tree.coef[:, edges.child[chosen]] = tables_of(design, fit.coef, edges.parent[chosen])
        tree.l2[edges.child[chosen]] = choice.l2[values].T
    return tree


def _losses_without(
    design: Design,
    Y: Labels,
    weights: Floats | None,
    edges: Edges,
    fold: Array | None,
    l2: float | None,
    alone: L2Choice,
) -> Floats:
    """Compute the held-out loss (E,) of each edge's child without its parent, on rows where the parent is known."""
    known = Y != FREE
    if known.all():
        return np.asarray(alone.loss[edges.child])
    given = known if weights is None else known * weights[:, None]
    return choose_l2(design, LogisticProblems.of(Y, edges.child, given, edges.parent), fold, l2).loss


def _without_edges(design: Design, coef: Floats, l2: Floats) -> TreeFit:
    L = len(l2)
    both_values = np.repeat(coef[: design.intercept + 1, :, None], 2, axis=2)
    return TreeFit(np.full(L, ROOT), both_values, np.repeat(l2[:, None], 2, axis=1), np.full((L, L), -np.inf))


def candidate_edges(
    Y: Labels,
    P: Floats,
    weights: Floats | None,
    candidates: int | Literal["all"],
    min_rows: float = MIN_ROWS,
) -> Edges:
    """Find the candidate parents of each label by a score test at the models without parents.

    With residuals r = y - p, adding label j to the regression of label i has the score statistic
    (r_i' r_j)^2 / (v_i v_j), v = sum p (1 - p). One matrix product ranks all L (L - 1) edges.

    Parameters
    ----------
    Y, P : ndarray of shape (n, L)
        Labels, and their probabilities without parents; an unknown label has no residual.
    weights : ndarray of shape (n,) or None
    candidates : int or "all"
        Number of candidates per child.
    min_rows : float, default=10
        Labels with fewer rows of some value are not candidates.

    Returns
    -------
    Edges
    """
    w = np.ones(len(Y)) if weights is None else weights
    known = Y != FREE
    residual = np.sqrt(w)[:, None] * (Y - P) * known
    scale = np.sqrt(np.maximum(w @ (P * (1.0 - P) * known), 1e-12))
    score = np.abs(residual.T @ residual) / np.outer(scale, scale)
    np.fill_diagonal(score, -np.inf)
    score[np.minimum(w @ (Y == 0), w @ (Y == 1)) < min_rows] = -np.inf
    kept = len(score) - 1 if candidates == "all" else min(candidates, len(score) - 1)
    parent = np.argsort(-score, axis=0, kind="stable")[:kept]
    usable = np.take_along_axis(score, parent, axis=0) > -np.inf
    child = np.broadcast_to(np.arange(len(score)), parent.shape)
    return Edges(parent[usable], child[usable])


def _alone_problems(design: Design, Y: Labels, weights: Floats | None) -> LogisticProblems:
    columns = None
    if design.n_columns > design.intercept + 1:
        columns = np.zeros((design.n_columns, Y.shape[1]), bool)
        columns[: design.intercept + 1] = True
    return LogisticProblems.of(Y, weights=weights, columns=columns)


def _switching_problems(design: Design, Y: Labels, weights: Floats | None, edges: Edges) -> LogisticProblems:
    """Make problems e and E + e: the child of edge e on the rows whose parent is 0, and on those where it is 1."""
    given = np.hstack([Y == 0, Y == 1]) * (1.0 if weights is None else weights[:, None])
    target = np.concatenate([edges.child, edges.child])
    weight = np.concatenate([edges.parent, edges.parent + Y.shape[1]])
    alone = _alone_problems(design, Y, None)
    columns = None if alone.columns is None else alone.columns[:, target]
    return LogisticProblems.of(alone.targets, target, given, weight, columns=columns)


def _switching_tables(design: Design, coef: Floats, parent: Array) -> Floats:
    rows = design.intercept + 1
    return coef[:rows].reshape(rows, 2, len(parent)).transpose(0, 2, 1)


def _additive_problems(design: Design, Y: Labels, weights: Floats | None, edges: Edges) -> LogisticProblems:
    """Make problem e: the child of edge e with its parent as one more column."""
    if design.n_columns != design.intercept + 1 + Y.shape[1]:
        raise ValueError("additive coupling needs a design with the labels as columns")
    columns = np.zeros((design.n_columns, len(edges.child)), bool)
    columns[: design.intercept + 1] = True
    columns[design.intercept + 1 + edges.parent, np.arange(len(edges.child))] = True
    return LogisticProblems.of(Y, edges.child, weights, columns=columns)


def additive_tables(design: Coordinates, coef: Floats, parent: Array) -> Floats:
    """Make tables (D', E, 2) for each value of the parents (E,) of coefficients (D, E) with them as features."""
    rows = design.intercept + 1
    tables = np.repeat(coef[:rows, :, None], 2, axis=2)
    pull = coef[rows + parent, np.arange(len(parent))] * design.label_scale
    tables[design.intercept] += pull[:, None] * (np.arange(2) - design.label_means[parent][:, None])
    return tables


COUPLINGS: dict[str, tuple[Callable[..., LogisticProblems], Callable[..., Floats]]] = {
    "switching": (_switching_problems, _switching_tables),
    "additive": (_additive_problems, additive_tables),
}
