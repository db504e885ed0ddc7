"""Conditional trees: the regressions of each label given its parent, on rows in blocks."""

from __future__ import annotations

from functools import partial

import numpy as np

from setwise.blockwise.rows import BlockRows
from setwise.contract import Array, Floats, Labels
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.structure.tree import additive_tables


def refit_tree(model: ConditionalTree, rows: BlockRows) -> None:
    """Fit a conditional tree to all rows, with the structure and the penalties of the model."""
    if rows.is_partial:
        raise ValueError(
            "y is missing (-1 or NaN) in some rows; on rows in blocks ConditionalTree needs every label. Leave such "
            "rows out, or use BinaryRelevance"
        )
    (_refit_additive if model.coupling == "additive" else _refit_switching)(model, rows)


def _refit_switching(model: ConditionalTree, rows: BlockRows) -> None:
    label, value = regressions(model.parents_)
    design = rows.design(standardize=model.standardize)
    rows_of = partial(switching_problems, parents=model.parents_)
    problems = rows.problems(design, rows_of, model.l2_[label, value])
    start = design.from_features(model.scores_).reshape(design.n_columns, -1, 2)
    fit = fit_logistic(design, problems, start[:, label, value], tol=model.tol)
    tables = np.empty(start.shape)
    tables[:, label, value] = fit.coef
    roots = model.parents_ < 0
    tables[:, roots, 1] = tables[:, roots, 0]
    model.scores_ = design.to_features(tables.reshape(len(tables), -1))


def regressions(parents: Array) -> tuple[Array, Array]:
    """List the regressions of a tree by label and value of the parent; a root has one.

    Examples
    --------
    >>> regressions(np.array([-1, 0]))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    n_values = np.where(parents < 0, 1, 2)
    label = np.repeat(np.arange(len(parents)), n_values)
    value = np.arange(len(label)) - np.repeat(np.cumsum(n_values) - n_values, n_values)
    return label, value


def switching_problems(weights: Floats | None, Y: Labels, parents: Array) -> LogisticProblems:
    """Make the regressions of a tree for the rows of a block, in the order of :func:`regressions`."""
    label, value = regressions(parents)
    L, w = len(parents), np.ones(len(Y)) if weights is None else weights
    given = np.hstack([np.ones((len(Y), 1)), Y == 0, Y == 1]) * w[:, None]
    weight = np.where(parents[label] < 0, 0, 1 + parents[label] + value * L)
    return LogisticProblems.of(Y, label, given, weight)


def _refit_additive(model: ConditionalTree, rows: BlockRows) -> None:
    parents, L = model.parents_, model.n_labels_
    design = rows.design(standardize=model.standardize, labels=True)
    child = np.flatnonzero(parents >= 0)
    columns = np.zeros((design.n_columns, L), bool)
    columns[: design.intercept + 1] = True
    columns[design.intercept + 1 + parents[child], child] = True
    problems = rows.problems(design, _own_problems, model.l2_[:, 0], columns)
    fit = fit_logistic(design, problems, tol=model.tol)
    tables = np.repeat(fit.coef[: design.intercept + 1, :, None], 2, axis=2)
    tables[:, child] = additive_tables(design, fit.coef[:, child], parents[child])
    model.scores_ = design.to_features(tables.reshape(len(tables), -1))


def _own_problems(weights: Floats | None, Y: Labels) -> LogisticProblems:
    return LogisticProblems.of(Y, weights=weights)
