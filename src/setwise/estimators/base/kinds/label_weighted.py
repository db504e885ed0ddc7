"""Estimators that can weigh the values of each label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from setwise.contract import Array, Floats, Labels
from setwise.learning.labels.label_weights import LabelWeights


class LabelWeighted:
    """An estimator of one logistic regression per label, with the parameter ``class_weight``.

    Weights add a constant to the log-odds of a label, ``weight_shift_``, which is known and can be taken off again.
    """

    class_weight: Literal["balanced"] | Mapping[Any, Any] | None
    learner: Any
    label_names_: Array
    weight_shift_: Floats

    def _unweighted(self) -> Self:
        """A copy whose probabilities are those of the rows as they are."""
        if self.class_weight is None:
            return self
        model = self._without_shift(self.weight_shift_)
        model.weight_shift_ = np.zeros_like(self.weight_shift_)
        return model

    def _without_shift(self, shift: Floats) -> Self:
        """A copy whose log-odds are less by a constant (L,) for each label."""
        raise NotImplementedError

    def _label_weights(self, Y: Labels, weights: Floats | None) -> LabelWeights | None:
        """The weights of this fit, and what they add to the log-odds."""
        vars(self).pop("weight_shift_", None)
        if self.class_weight is None:
            return None
        if not isinstance(self.learner, str):
            raise ValueError(
                "class_weight needs learner='logistic'; pass class_weight to the classifier instead"
            )
        found = (
            LabelWeights.balanced(Y, weights)
            if isinstance(self.class_weight, str)
            else LabelWeights.given(self.class_weight, self.label_names_)
        )
        self.weight_shift_ = found.shift
        return found
