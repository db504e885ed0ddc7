"""Estimators that answer by another one."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags, get_tags

from setwise.contract import Floats, Matrix
from setwise.decisions import Rule
from setwise.distributions import LabelDistribution
from setwise.estimators.base.set_classifier import SetClassifier


class WrappedClassifier(SetClassifier):
    """An estimator whose joint and labels' probabilities are those of ``estimator_``, fitted inside.

    A subclass's ``_fit`` sets ``estimator_``, and changes of its answers what it is for.
    """

    estimator_: Any

    def _check_inner(self) -> None:
        """A ValueError unless ``estimator`` is one of setwise."""
        if not isinstance(self.estimator, SetClassifier):
            raise ValueError(
                f"estimator is {type(self.estimator).__name__}; expected an estimator of setwise. Around one at the "
                f"end of a pipeline put {type(self).__name__} there in its place"
            )

    def _distribution(self, X: Matrix) -> LabelDistribution:
        joint: LabelDistribution = self.estimator_._joint_of(X)
        return joint

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        probs: Floats = self.estimator_._label_probs(joint)
        return probs

    def _own_decisions(self) -> dict[str, Rule]:
        inner = getattr(self, "estimator_", getattr(self, "estimator", None))
        return inner._own_decisions() if isinstance(inner, SetClassifier) else {}

    def _cells_per_row(self) -> int:
        return int(self.estimator_._cells_per_row())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if "estimator" in self.get_params(deep=False):
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags
