"""Base classes of estimators with penalized linear models, or with any classifier instead."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.base import BaseEstimator
from sklearn.utils import Tags, get_tags

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.estimators.base.kinds.unit_rows import UnitRows
from setwise.explanations.chains import ChainScores
from setwise.explanations.forests import ForestScores
from setwise.explanations.scored import Scored
from setwise.learning.linear.row_normalization import unit_rows_help
from setwise.learning.linear.scores import LinearScores


class LinearClassifier(UnitRows):
    """An estimator of linear models with an L2 penalty on standardized features.

    Rows are normalized only if the penalty is chosen on held-out rows too: the two depend on each other.
    """

    l2: float | Literal["auto"]
    standardize: bool

    def _independent_scored(self, model: Any) -> Scored | None:
        """Independent labels as functions of scores, if they are linear."""
        source = self._source(getattr(model, "scores", None))
        return None if source is None else ForestScores.independent(source, self.n_labels_)

    def _tunes_penalty(self) -> bool:
        """Whether ``fit`` chooses the penalty of its linear models."""
        return self.l2 == "auto"

    def _prefers_unit_rows(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        return self._tunes_penalty() and unit_rows_help(X, Y, weights, self.standardize)


class LearnerClassifier(LinearClassifier):
    """An estimator with the parameter ``learner``: logistic regression by default, or any classifier."""

    learner: str | BaseEstimator

    def _learner(self) -> Any:
        """The learner to fit, seeded if it is a classifier."""
        return self.learner if isinstance(self.learner, str) else self._seeded(self.learner)

    def _tunes_penalty(self) -> bool:
        return isinstance(self.learner, str) and self.learner == "logistic" and super()._tunes_penalty()

    def _passes_rows_on(self) -> bool:
        """Whether features are only used by the classifiers of ``learner``, and unscaled."""
        return not isinstance(self.learner, str) and self.unit_rows in ("auto", False)

    def _takes_nan(self) -> bool:
        announced = self._passes_rows_on() and hasattr(self.learner, "__sklearn_tags__")
        return announced and bool(get_tags(self.learner).input_tags.allow_nan)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self._passes_rows_on() and hasattr(self.learner, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(self.learner).input_tags.sparse
        return tags

    def _chain_scored(self, chain: Any, order: Array) -> ChainScores | None:
        """A chain of logistic regressions as a function of scores."""
        source = self._source(chain.scores)
        return None if source is None else ChainScores(source, chain.scores.labels, order)


class LinearInFeatures:
    """An estimator with a linear function of the features for each label."""

    def _label_scores(self) -> LinearScores:
        """The linear function of each label; an AttributeError if the learner is not linear."""
        raise NotImplementedError

    @property
    def coef_(self) -> Floats:
        """Coefficients of the features for each label, of shape (n_labels, n_features)."""
        return self._label_scores().coef.T

    @property
    def intercept_(self) -> Floats:
        """Intercept of each label, of shape (n_labels,)."""
        return self._label_scores().intercept
