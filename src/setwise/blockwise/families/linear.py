"""One logistic regression per label: binary relevance, chains and dependency networks."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from setwise.blockwise.rows import BlockRows
from setwise.contract import Floats, Labels
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.classifier_chain import ClassifierChain
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.estimators.conditional_dependency_network import ConditionalDependencyNetwork
from setwise.learning.labels.chain import LinearChain, before_mask
from setwise.learning.labels.independent import LinearLabels
from setwise.learning.labels.label_weights import LabelWeights, label_problems
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.scores import LinearScores

TOL = 1e-8
"""Tolerance of estimators without the parameter ``tol``."""


def refit_labels(model: BinaryRelevance, rows: BlockRows) -> None:
    """Fit binary relevance to all rows, with the penalties of the model."""
    assert isinstance(model.model_, LinearLabels)
    design = rows.design(standardize=model.standardize)
    scores = _fit(model, rows, design, model.model_.scores)
    model.model_ = LinearLabels(scores, model.l2_)


def refit_chain(model: ClassifierChain, rows: BlockRows) -> None:
    """Fit a chain to all rows, with the order and the penalties of the model."""
    design = rows.design(standardize=model.standardize, labels=True)
    scores = _fit(model, rows, design, model.chain_.scores, before_mask(design, model.order_))
    model.chain_ = LinearChain(scores, model.order_, model.l2_)
    model.coupling_ = scores.labels


def refit_network(model: ConditionalDependencyNetwork, rows: BlockRows) -> None:
    """Fit a dependency network to all rows, with the penalties of the model."""
    design = rows.design(
        standardize=model.standardize, labels=True, signed=True, label_scale=model.label_scale
    )
    columns = np.ones((design.n_columns, model.n_labels_), np.bool_)
    own = np.arange(model.n_labels_)
    columns[design.intercept + 1 + own, own] = False
    model.scores_ = _fit(model, rows, design, model.scores_, columns)
    model.coupling_ = model.scores_.labels


def _fit(model: Any, rows: BlockRows, design: Any, start: LinearScores, columns: Any = None) -> LinearScores:
    weights = _label_weights(model, rows)
    problems = rows.problems(design, partial(_problems, label_weights=weights), model.l2_, columns)
    fit = fit_logistic(design, problems, design.from_features(start), tol=getattr(model, "tol", TOL))
    return design.to_features(fit.coef)


def refit_single(model: ConditionalBernoulliMixture, rows: BlockRows) -> None:
    """Fit a mixture of one component to all rows: independent labels."""
    scores = _fit(model, rows, rows.design(standardize=model.standardize), model.experts_)
    model._keep_independent(LinearLabels(scores, np.asarray(model.l2_)))


def _problems(weights: Floats | None, Y: Labels, label_weights: LabelWeights | None) -> LogisticProblems:
    return label_problems(Y, weights, label_weights)


def _label_weights(model: Any, rows: BlockRows) -> LabelWeights | None:
    """The weights of the labels' values, from the counts of all rows."""
    chosen = getattr(model, "class_weight", None)
    if chosen is None:
        return None
    if isinstance(chosen, str):
        found = LabelWeights.of_counts(rows.known - rows.on, rows.on)
    else:
        found = LabelWeights.given(chosen, model.label_names_)
    model.weight_shift_ = found.shift
    return found
