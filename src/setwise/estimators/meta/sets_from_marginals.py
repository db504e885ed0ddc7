"""A joint on top of any per-label classifier."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import BackedOff, ForestMixture, LabelDistribution, Table
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.meta.held_out import held_out_folds
from setwise.learning.labels.independent import Learner
from setwise.learning.labels.marginal_models import AllLabels, GivenScores, takes_label_matrix
from setwise.learning.labels.set_dependence import fit_set_dependence
from setwise.learning.progress.monitor import current_monitor

SCORES = ("logits", "probabilities")
LARGEST_LOGIT = 30.0
"""Logits that another estimator gets as features: finite, even where a probability is 0 or 1."""


class SetsFromMarginals(SetClassifier):
    """Learn the dependence of labels on top of a classifier that predicts them one by one.

    The classifier may be any of scikit-learn, one that was fitted before, or none at all: ``X`` is then the matrix of
    its logits or probabilities, from a neural network or a language model. The joint is learnt from predictions of rows
    that the classifier has not seen: for each seen set, how far the sum of its labels' logits counts (a temperature)
    and how far its frequency does, beyond what its labels explain; and the share of independent labels, which makes
    every set possible.

    Parameters
    ----------
    classifier : "logistic", classifier, FrozenEstimator, "logits" or "probabilities", default="logistic"
        ``"logistic"`` and classifiers of scikit-learn are fitted to the labels, once for every fold and once more to
        all rows. A classifier that takes a label matrix is fitted to all labels at once, any other to each. A frozen
        classifier is not fitted again: the rows passed to ``fit`` must be new to it. ``"logits"`` and
        ``"probabilities"`` say what the columns of ``X`` are, one for each label, in their order.
    joint : "seen_sets" or estimator, default="seen_sets"
        ``"seen_sets"`` learns four numbers. An estimator of setwise is fitted to the logits as features.
    cv : int or splitter, default=5
        Folds whose rows are predicted by a classifier fitted to the others. Not used for frozen classifiers and scores.
    backoff : "auto" or float, default="auto"
        Share of independent labels with ``joint="seen_sets"``. ``"auto"`` learns it; 0 makes unseen sets impossible.
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    classifier_ : object with ``logits``
        The model of the single labels.
    joint_ : SetClassifier
        The estimator fitted to logits, if ``joint`` is one.
    temperatures_ : tuple of two floats
        Divisors of the logits, for the seen sets and for independent labels, with ``joint="seen_sets"``.
    backoff_ : float
        Share of independent labels, with ``joint="seen_sets"``.
    {label_attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import SetsFromMarginals
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.random(400) < 0.5
    >>> Y = np.column_stack([rain, rain]).astype(int)
    >>> scores = np.clip(np.where(Y, 0.6, 0.4) + 0.1 * rng.normal(size=Y.shape), 0.01, 0.99)
    >>> model = SetsFromMarginals("probabilities").fit(scores, Y)
    >>> model.predict([[0.8, 0.4]])
    array([[1, 1]])
    """

    def __init__(
        self,
        classifier: Literal["logistic", "logits", "probabilities"] | BaseEstimator = "logistic",
        joint: Literal["seen_sets"] | SetClassifier = "seen_sets",
        *,
        cv: Any = 5,
        backoff: float | Literal["auto"] = "auto",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.classifier = classifier
        self.joint = joint
        self.cv = cv
        self.backoff = backoff
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.classifier, str):
            if self.classifier not in ("logistic", *SCORES):
                raise ValueError(
                    f"classifier is {self.classifier!r}; expected 'logistic', 'logits', 'probabilities' or a classifier"
                )
        elif not any(hasattr(self.classifier, name) for name in ("predict_proba", "decision_function")):
            raise ValueError(
                f"classifier is {self.classifier!r}; expected one with predict_proba or decision_function"
            )
        if not isinstance(self.joint, SetClassifier) and self.joint != "seen_sets":
            raise ValueError(f"joint is {self.joint!r}; expected 'seen_sets' or an estimator of setwise")

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        if self.classifier in SCORES and X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} columns and y {Y.shape[1]} labels; expected a score of each label in each row"
            )
        logits = self._held_out_logits(X, Y, weights)
        if isinstance(self.joint, SetClassifier):
            self.joint_ = self._seeded(self.joint).fit(_finite(logits), Y, sample_weight=weights)
        else:
            backoff = None if self.backoff == "auto" else float(self.backoff)
            self.dependence_ = fit_set_dependence(X, logits, Y, weights, backoff)
        self.classifier_ = self._fit_marginals(X, Y, weights)

    def _held_out_logits(self, X: Matrix, Y: Labels, weights: Floats | None) -> Floats:
        """Logits (n, L) of rows by classifiers that have not seen them; without folds, by one that has."""
        folds = [*held_out_folds(self.cv, X, Y)] if self._is_fitted_here() else []
        if not folds:
            return np.asarray(self._fit_marginals(X, Y, weights).logits(X))
        logits = np.zeros(Y.shape)
        for train, test in current_monitor().steps("folds", folds):
            model = self._fit_marginals(X[train], Y[train], None if weights is None else weights[train])
            logits[test] = model.logits(X[test])
        return logits

    def _is_fitted_here(self) -> bool:
        return self.classifier not in SCORES and not isinstance(self.classifier, FrozenEstimator)

    def _fit_marginals(self, X: Matrix, Y: Labels, weights: Floats | None) -> Any:
        if self.classifier == "logistic":
            return Learner().fit(X, Y, weights)
        if self.classifier == "logits" or self.classifier == "probabilities":
            return GivenScores(self.classifier)
        if isinstance(self.classifier, FrozenEstimator):
            return AllLabels(self.classifier.estimator, Y.shape[1])
        template = self._seeded(self.classifier)
        if takes_label_matrix(template):
            return AllLabels.fit(template, X, Y, weights)
        return Learner(template).fit(X, Y, weights)

    @property
    def temperatures_(self) -> tuple[float, float]:
        """Divisors of the logits, for the seen sets and for independent labels."""
        return 1.0 / self.dependence_.slope, 1.0 / self.dependence_.free_slope

    @property
    def backoff_(self) -> float:
        """Share of independent labels."""
        return self.dependence_.backoff

    def _distribution(self, X: Matrix) -> LabelDistribution:
        logits = self.classifier_.logits(X)
        if isinstance(self.joint, SetClassifier):
            joint: LabelDistribution = self.joint_._joint_of(_finite(logits))
            return joint
        table = Table(self.dependence_.sets, self.dependence_.log_probs(logits))
        free = ForestMixture.independent(self.dependence_.free_logits(logits))
        return BackedOff.of(table, free, self.dependence_.backoff)

    def _cells_per_row(self) -> int:
        if isinstance(self.joint, SetClassifier):
            return int(self.joint_._cells_per_row())
        return 3 * len(self.dependence_.sets)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if not isinstance(self.classifier, str):
            tags.input_tags.sparse = get_tags(self.classifier).input_tags.sparse
        return tags

    def _takes_nan(self) -> bool:
        return not isinstance(self.classifier, str) and bool(get_tags(self.classifier).input_tags.allow_nan)


def _finite(logits: Floats) -> Floats:
    return np.clip(logits, -LARGEST_LOGIT, LARGEST_LOGIT)
