"""Fitting chains: every label is regressed on the features and the true labels before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from setwise.contract import Array, Bools, Floats, Labels, Matrix
from setwise.inference.chains.conditionals import Linear
from setwise.kernels.matrices import append_columns
from setwise.learning.by_content.folds import row_folds
from setwise.learning.labels.classifiers import LabelClassifier
from setwise.learning.labels.label_weights import LabelWeights, label_problems
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.penalties import fit_tuned
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor
from setwise.learning.structure.tree import fit_tree


class LinearChain(NamedTuple):
    """Logistic regressions along a chain, in label order: ``scores`` of the features, ``coupling`` (L, L)."""

    scores: LinearScores
    order: Array
    l2: Floats

    def conditionals(self, X: Matrix) -> Linear:
        """Compute the chain of each row of ``X``."""
        offsets = np.ascontiguousarray(self.scores(X)[:, self.order], dtype=np.float64)
        return Linear(offsets, np.ascontiguousarray(self.scores.labels[np.ix_(self.order, self.order)]))


def fit_linear_chain(
    design: Design,
    X: Matrix,
    Y: Labels,
    weights: Floats | None,
    order: Array,
    *,
    l2: float | str | Floats,
    tol: float,
    label_weights: LabelWeights | None = None,
) -> LinearChain:
    """Fit all labels of a chain as one batch of problems.

    A triangular mask lets each label use the labels before it.

    Parameters
    ----------
    design : Design
        Of X, with all labels as features.
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    order : ndarray of shape (L,)
    l2 : float, "auto" or ndarray of shape (L,)
        One penalty for all labels or one each; "auto" chooses one each by the held-out loss.
    tol : float
    label_weights : LabelWeights, optional

    Returns
    -------
    LinearChain
    """
    coef, penalties = fit_linear_chain_coef(
        design, X, Y, weights, order, l2=l2, tol=tol, label_weights=label_weights
    )
    return LinearChain(design.to_features(coef), order, penalties)


def fit_linear_chain_coef(
    design: Design,
    X: Matrix,
    Y: Labels,
    weights: Floats | None,
    order: Array,
    *,
    l2: float | str | Floats,
    tol: float,
    label_weights: LabelWeights | None = None,
) -> tuple[Floats, Floats]:
    """Fit a chain as :func:`fit_linear_chain` does; return coefficients (D, L) of the design, and penalties (L,)."""
    problems = label_problems(Y, weights, label_weights, before_mask(design, order))
    if isinstance(l2, np.ndarray):
        return fit_logistic(design, problems.with_l2(l2), tol=tol).coef, l2
    fit, penalties = fit_tuned(design, problems, X, l2=l2, tol=tol)
    return fit.coef, penalties


def before_mask(design: Design, order: Array) -> Bools:
    """Mark the columns (D, L) that each label may use: the features, and the labels before it."""
    columns = np.ones((design.n_columns, len(order)), dtype=np.bool_)
    position = np.argsort(order)
    columns[design.intercept + 1 :] = position[:, None] < position
    return columns


@dataclass(frozen=True)
class LearnedConditionals:
    """Conditionals by fitted classifiers of [features, earlier labels]; one call per level for all rows.

    ``names`` are those of the labels along the chain.
    """

    X: Matrix
    classifiers: list[LabelClassifier]
    names: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and labels, (n, L)."""
        return self.X.shape[0], len(self.classifiers)

    def logits(self, position: int, rows: Array, prefix: Labels) -> Floats:
        """Compute the logits (m,) of ``position`` in the ``rows`` (m,) after the labels ``prefix`` (m, position)."""
        if not len(rows):
            return np.empty(0)
        logits = self.classifiers[position].logits(append_columns(self.X[rows], prefix))
        if np.isnan(logits).any():
            learner = type(self.classifiers[position].classifier).__name__
            raise ValueError(
                f"{learner} gives the label {self.names[position]!r} the probability NaN; features without spread "
                "are a common cause. Drop them, or use another learner"
            )
        return logits

    def take(self, rows: Array | slice) -> Self:
        """Select rows."""
        return type(self)(self.X[rows], self.classifiers, self.names)


def fit_classifier_chain(
    learner: Any, X: Matrix, Y: Labels, weights: Floats | None, order: Array
) -> list[LabelClassifier]:
    """Fit a clone of ``learner`` for each position of the chain, on the features and the true labels before it."""
    return [
        LabelClassifier.fit(learner, append_columns(X, Y[:, order[:j]]), Y[:, label], weights)
        for j, label in enumerate(current_monitor().steps("labels", order))
    ]


def learned_order(X: Matrix, Y: Labels, weights: Floats | None, standardize: bool = True) -> Array:
    """Order the labels so that each comes after its parent in the conditional tree.

    The tree connects the labels that depend most on each other given the features, so that these labels use each other
    in the chain.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    standardize : bool, default=True

    Returns
    -------
    ndarray of shape (L,)
    """
    design = Design(X, weights=weights, standardize=standardize)
    parents = fit_tree(design, Y, weights, row_folds(X)).parents
    depth = np.zeros(len(parents), dtype=np.int64)
    for label in range(len(parents)):
        at = label
        while parents[at] >= 0:
            at, depth[label] = parents[at], depth[label] + 1
    return np.argsort(depth, kind="stable")
