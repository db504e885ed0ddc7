"""Estimators that answer by another estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from setwise.contract import Floats, Matrix
from setwise.decisions import Rule
from setwise.distributions import LabelDistribution
from setwise.estimators.base.checks.validation import is_default
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.explanations.scored import Scored
from setwise.printable import plain_repr


class WrappedClassifier(SetClassifier):
    """An estimator whose joint distribution and label probabilities are those of ``estimator_``, fitted inside.

    ``_fit`` of a subclass sets ``estimator_``.
    """

    estimator_: Any

    def _distribution(self, X: Matrix) -> LabelDistribution:
        joint: LabelDistribution = self.estimator_._joint_of(X)
        return joint

    def _scored(self) -> Scored | None:
        scored: Scored | None = self.estimator_._scored()
        return scored

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        probs: Floats = self.estimator_._label_probs(joint)
        return probs

    def _own_decisions(self) -> dict[str, Rule]:
        inner = getattr(self, "estimator_", getattr(self, "estimator", None))
        return inner._own_decisions() if isinstance(inner, SetClassifier) else {}

    def _cells_per_row(self) -> int:
        return int(self.estimator_._cells_per_row())

    def _takes_nan(self) -> bool:
        inner = getattr(self, "estimator_", None)
        return inner is not None and bool(inner._takes_nan())


class EstimatorWrapper(WrappedClassifier):
    """An estimator with the parameter ``estimator``: one to fit, or a fitted one in a ``FrozenEstimator``."""

    estimator: Any

    def _check_parameters(self) -> None:
        super()._check_parameters()
        inner = self._inner()
        if isinstance(inner, SetClassifier):
            if self._is_frozen():
                check_is_fitted(inner)
            return
        hint = ""
        if isinstance(inner, Pipeline):
            hint = f". Put {type(self).__name__} into the pipeline, around its last step"
        elif isinstance(inner, type) and issubclass(inner, SetClassifier):
            hint = f": {inner.__name__}(), an instance of the class"
        elif isinstance(inner, str):
            hint = ", an instance and not a name"
        raise ValueError(f"estimator is {plain_repr(inner)}; expected an estimator of setwise{hint}")

    def _takes_nan(self) -> bool:
        """Whether NaN is passed on to an estimator that takes it, or fills it as in its own training."""
        inner = self._inner()
        return isinstance(inner, SetClassifier) and (inner._takes_nan() or hasattr(inner, "fill_"))

    def _is_frozen(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator)

    def _inner(self) -> Any:
        """The estimator itself, out of its ``FrozenEstimator``."""
        return self.estimator.estimator if self._is_frozen() else self.estimator

    def _frozen(self) -> Any:
        """The frozen estimator, after a check that it was fitted to the same columns as this one."""
        inner = self._inner()
        if inner.n_features_in_ != self.n_features_in_ or inner.n_labels_ != self.n_labels_:
            raise ValueError(
                f"the frozen estimator has {inner.n_features_in_} features and {inner.n_labels_} labels; X has "
                f"{self.n_features_in_} and y {self.n_labels_}. Pass the columns that it was fitted to"
            )
        for what, name in (("features", "feature_names_in_"), ("labels", "label_names_")):
            theirs, ours = (getattr(model, name, None) for model in (inner, self))
            if theirs is None or ours is None or is_default(theirs) or is_default(ours):
                continue  # columns of bare arrays have no names to compare
            if not np.array_equal(theirs, ours):
                at = int(np.argmax(np.asarray(theirs) != np.asarray(ours)))
                raise ValueError(
                    f"the frozen estimator was fitted to other {what}: number {at} is {theirs[at]!r}, here it is "
                    f"{ours[at]!r}. Pass the same columns in the same order"
                )
        return inner

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = self._inner()
        if isinstance(inner, SetClassifier):
            tags.input_tags.sparse = get_tags(inner).input_tags.sparse
        return tags
