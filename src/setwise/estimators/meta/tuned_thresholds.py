"""Thresholds tuned on held-out rows: a label is answered if its probability is above its own threshold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Costs, Decision, Rule
from setwise.estimators.base.kinds.wrapped import EstimatorWrapper
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.estimators.meta.held_out import held_out_folds
from setwise.learning.by_content.folds import row_folds
from setwise.learning.labels.thresholds import jackknife, shrunken_thresholds
from setwise.learning.progress.monitor import current_monitor

PARTS = 5
"""Parts of the rows of a frozen estimator that are left out in turn for the spread."""


class TunedThresholds(EstimatorWrapper):
    """Choose thresholds of the label probabilities that maximize an F-measure of held-out rows.

    ``decision="macro_f1"`` trusts the probabilities of a model and needs all rows at once. Tuned thresholds use the
    labels of rows that the model has not seen, so they also correct probabilities that are too high or too low, and
    they decide each row by itself. Those of rare labels are uncertain: they are drawn towards the thresholds that the
    probabilities alone suggest, and ``spread_`` says how uncertain they still are.

    Parameters
    ----------
    estimator : setwise estimator, or FrozenEstimator around a fitted one
        Cloned and fitted for every fold, and once more to all rows. A frozen estimator is not fitted again: all rows
        passed to ``fit`` are held-out rows, which it must not have seen.
    measure : "macro_f1" or "micro_f1", default="macro_f1"
        Macro F1 has a threshold per label, micro F1 the same one for all.
    shrinkage : float, default=10.0
        Weight of the thresholds that the probabilities suggest, in rows that have the label. 0 uses the best
        thresholds of the held-out rows as they are.
    cv : int or splitter, default=5
        Folds whose rows are predicted by models of the other folds. Not used for a frozen estimator.
    decision : "tuned", other names, rule or callable, default="tuned"
        ``"tuned"`` answers the labels whose probability is above the threshold.
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    estimator_ : SetClassifier
        The estimator fitted to all rows, or the frozen one.
    thresholds_ : ndarray of shape (n_labels,)
        One half if no rows could be held out.
    spread_ : ndarray of shape (n_labels,)
        Standard errors of the thresholds, by leaving out one fold at a time (jackknife).
    {label_attributes}

    References
    ----------
    R.-E. Fan and C.-J. Lin, "A study on threshold selection for multi-label classification", 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance, TunedThresholds
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> Y = (X + rng.normal(size=(400, 2)) > [0.0, 2.0]).astype(int)
    >>> model = TunedThresholds(BinaryRelevance(l2=1.0)).fit(X, Y)
    >>> bool(model.thresholds_[1] < model.thresholds_[0] < 0.5)
    True
    """

    def __init__(
        self,
        estimator: SetClassifier | FrozenEstimator,
        *,
        measure: Literal["macro_f1", "micro_f1"] = "macro_f1",
        shrinkage: float = 10.0,
        cv: Any = 5,
        decision: Decision = "tuned",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.measure = measure
        self.shrinkage = shrinkage
        self.cv = cv
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        parts = [*self._held_out(X, Y, weights)]
        self.thresholds_, self.spread_ = np.full(Y.shape[1], 0.5), np.zeros(Y.shape[1])
        if parts:
            w = np.ones(len(Y)) if weights is None else weights
            self.thresholds_ = self._tuned(parts, Y, w)
            if len(parts) > 1:
                others = [self._tuned(parts[:i] + parts[i + 1 :], Y, w) for i in range(len(parts))]
                self.spread_ = jackknife(np.array(others))
        self.estimator_ = (
            self._frozen() if self._is_frozen() else self._seeded(self.estimator).fit(X, Y, weights)
        )

    def _held_out(self, X: Matrix, Y: Labels, weights: Floats | None) -> Iterator[tuple[Array, Floats]]:
        """Rows, and the probabilities of their labels by a model that has not seen them, in parts."""
        if self._is_frozen():
            p, fold = self._frozen().predict_proba(X)[:, -Y.shape[1] :], row_folds(X, PARTS)
            parts = [fold == part for part in range(PARTS)] if fold is not None else [np.full(len(Y), True)]
            yield from ((np.flatnonzero(rows), p[rows]) for rows in parts)
            return
        template = self._seeded(self.estimator)
        folds = [*held_out_folds(self.cv, X, Y)]
        if not folds:
            warnings.warn(
                f"the {X.shape[0]} rows have too few distinct ones to hold some out; no threshold was tuned",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        for train, test in current_monitor().steps("folds", folds):
            own = None if weights is None else weights[train]
            yield test, clone(template).fit(X[train], Y[train], own).predict_proba(X[test])

    def _tuned(self, parts: list[tuple[Array, Floats]], Y: Labels, w: Floats) -> Floats:
        rows, p = (np.concatenate(column) for column in zip(*parts))
        true, weight, L = Y[rows], w[rows], Y.shape[1]
        if self.measure == "macro_f1":
            return shrunken_thresholds(p, true, weight, self.shrinkage)
        pooled = (p.reshape(-1, 1), true.reshape(-1, 1), np.repeat(weight, L))
        return np.repeat(shrunken_thresholds(*pooled, self.shrinkage), L)

    def _own_decisions(self) -> dict[str, Rule]:
        tuned = Costs.at_thresholds(self.thresholds_) if hasattr(self, "thresholds_") else Costs()
        return super()._own_decisions() | {"tuned": tuned}
