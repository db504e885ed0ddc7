"""RAkEL: label powersets of small random groups of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture, LabelDistribution, Product, Table
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.backoff import Backoff
from setwise.estimators.base.kinds.linear import LearnerClassifier
from setwise.learning.labels.classifiers import check_learner, logit
from setwise.learning.labels.independent import Learner
from setwise.learning.labels.powerset import (
    ClassifierSets,
    LinearSets,
    SetCounts,
    fit_classifier_sets,
    fit_linear_sets,
)
from setwise.learning.linear.design import Design
from setwise.learning.progress.monitor import current_monitor
from setwise.printable import plain_repr


class RAkEL(Backoff, LearnerClassifier):
    """Random k-labelsets: a label powerset for each of several small groups of labels [1]_.

    Disjoint groups make a joint distribution, the product of those of the groups. Overlapping groups average their
    probabilities of each label; the labels are then independent.

    Parameters
    ----------
    learner : "logistic" or classifier, default="logistic"
        As in :class:`LabelPowerset`.
    kind : {"overlapping", "disjoint"}, default="overlapping"
        Whether a label can be in several groups.
    group_size : int, default=3
        Number of labels in a group.
    n_models : int, optional
        Number of overlapping groups, twice the number of labels by default; all groups, if there are fewer.
    groups : list of arrays, optional
        The groups themselves, instead of random ones.
    {backoff}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of the logistic learner, on standardized features. ``"auto"`` chooses by
        cross-validated log-loss, on the first group for all.
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    groups_ : list of ndarrays
        Labels of each group.
    {backoff_}
    l2_ : float
        Penalty of the logistic learner.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    .. [1] G. Tsoumakas, I. Katakis and I. Vlahavas, "Random k-labelsets for multilabel classification", IEEE
       Transactions on Knowledge and Data Engineering 23, 2011; as in section 3 of L. Mossina and E. Rachelson, "Naive
       Bayes classification for subset selection", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import RAkEL
    >>> X = np.arange(12.0)[:, None]
    >>> Y = np.column_stack([X[:, 0] > 5, X[:, 0] <= 5, X[:, 0] > 5]).astype(int)
    >>> RAkEL(kind="disjoint", group_size=2, l2=1.0, random_state=0).fit(X, Y).predict([[0.0], [11.0]])
    array([[0, 1, 0],
           [1, 0, 1]])
    """

    about = About(
        short="rakel",
        suits="many labels that come in small groups",
        joint="independent groups, or labels",
        cost=5,
    )

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        kind: Literal["overlapping", "disjoint"] = "overlapping",
        group_size: int = 3,
        n_models: int | None = None,
        groups: Any = None,
        backoff: float | Literal["auto"] = "auto",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.kind = kind
        self.group_size = group_size
        self.n_models = n_models
        self.groups = groups
        self.backoff = backoff
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self.models_: list[LinearSets | ClassifierSets]
        self.groups_ = self._draw_groups(Y.shape[1])
        counts = [SetCounts.of(Y[:, group], weights) for group in self.groups_]
        self.sets_ = [count.sets for count in counts]
        w = np.ones(len(Y)) if weights is None else weights
        self.shares_ = (w @ Y + 0.5) / (w.sum() + 1.0)
        learner = self._learner() if hasattr(self.learner, "predict_proba") else "logistic"
        independent = Learner(learner, self.l2, self.standardize, self.tol)
        self._fit_backoff(independent, X, Y, weights, counts)
        if not check_learner(self.learner):
            learner, groups = self._learner(), current_monitor().steps("groups", counts)
            self.models_ = [fit_classifier_sets(learner, X, count, weights) for count in groups]
            return
        design = Design(X, weights=weights, standardize=self.standardize)
        models = fit_linear_sets(design, X, counts, weights, self.l2, self.tol)
        self.models_, self.l2_ = [*models], models[0].l2

    def _draw_groups(self, n_labels: int) -> list[Array]:
        if self.groups is not None:
            return _given_groups(self.groups, n_labels, self.kind == "disjoint")
        rng = check_random_state(self.random_state)
        if self.kind == "disjoint":
            labels = rng.permutation(n_labels)
            return [
                np.sort(labels[first : first + self.group_size])
                for first in range(0, n_labels, self.group_size)
            ]
        return _distinct_groups(n_labels, min(self.group_size, n_labels), self.n_models or 2 * n_labels, rng)

    def _distribution(self, X: Matrix) -> LabelDistribution:
        tables = [Table(sets, model.log_probs(X)) for sets, model in zip(self.sets_, self.models_)]
        if self.kind == "disjoint":
            return self._backed_off(Product(self.groups_, tables), X)
        total, votes = np.zeros((X.shape[0], self.n_labels_)), np.zeros(self.n_labels_)
        for group, table in zip(self.groups_, tables):
            total[:, group] += table.marginals()
            votes[group] += 1
        mean = np.where(votes > 0, total / np.maximum(votes, 1), self.shares_)
        return self._backed_off(ForestMixture.independent(logit(np.clip(mean, 0.0, 1.0))), X)

    def _cells_per_row(self) -> int:
        return sum(map(len, self.sets_)) + self.n_labels_


def _given_groups(groups: Any, n_labels: int, disjoint: bool) -> list[Array]:
    """Convert the user's groups to arrays of labels; an error names the wrong group."""
    known = set(range(n_labels))
    if not isinstance(groups, Iterable) or len(groups := list(groups)) == 0:
        raise ValueError(
            f"groups is {plain_repr(groups)}; expected lists of labels of 0..{n_labels - 1}, at least one"
        )
    for number, group in enumerate(groups):
        labels = list(group)
        if not labels or not set(labels) <= known or len(set(labels)) < len(labels):
            raise ValueError(
                f"groups[{number}] is {plain_repr(labels)}; expected different labels of 0..{n_labels - 1}"
            )
    given = [np.array(list(group), dtype=np.int64) for group in groups]
    if disjoint and sorted(np.concatenate(given)) != list(range(n_labels)):
        raise ValueError(
            f"the groups are {[g.tolist() for g in given]}; kind='disjoint' needs each label once"
        )
    return given


def _distinct_groups(n_labels: int, k: int, n_models: int, rng: np.random.RandomState) -> list[Array]:
    """Draw distinct random groups of ``group_size`` labels. The first split a permutation, so each label is in one."""
    wanted = min(n_models, math.comb(n_labels, k))
    found: dict[tuple[int, ...], None] = {}
    labels = rng.permutation(n_labels)
    for first in range(0, n_labels, k):
        start = min(first, n_labels - k)
        found.setdefault(tuple(np.sort(labels[start : start + k]).tolist()))
    while len(found) < wanted:
        found.setdefault(tuple(np.sort(rng.choice(n_labels, k, replace=False)).tolist()))
    return [np.array(group) for group in list(found)[:wanted]]
