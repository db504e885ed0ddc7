"""Weights of the two values of each label, so that a rare label counts as much as a common one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from setwise.contract import Array, Bools, Floats, Labels
from setwise.errors import quote_some
from setwise.learning.linear.logistic_problems import LogisticProblems


class LabelWeights(NamedTuple):
    """Weights of rows without and with each label, (L,) each."""

    off: Floats
    on: Floats

    @classmethod
    def balanced(cls, Y: Labels, weights: Floats | None) -> Self:
        """Give both values of each label half of the weight of its known rows; a constant label keeps its weights.

        Examples
        --------
        >>> import numpy as np
        >>> LabelWeights.balanced(np.array([[1], [0], [0], [0]]), None).on
        array([2.])
        """
        w = np.ones(len(Y)) if weights is None else weights
        return cls.of_counts(w @ (Y == 0), w @ (Y == 1))

    @classmethod
    def of_counts(cls, off: Floats, on: Floats) -> Self:
        """Balance the weights of rows without and with each label, (L,) each."""
        both = (on > 0) & (off > 0)
        half = (on + off) / 2
        return cls(*(np.divide(half, count, out=np.ones(len(count)), where=both) for count in (off, on)))

    @classmethod
    def given(cls, chosen: Mapping[Any, Any], names: Array) -> Self:
        """Weights that a user gave for some labels, by name or number; the others weigh 1.

        With a single label, the keys 0 and 1 are its values, as in scikit-learn.

        Examples
        --------
        >>> import numpy as np
        >>> LabelWeights.given({"fog": {0: 1, 1: 5}}, np.array(["rain", "fog"])).on
        array([1., 5.])
        """
        place = {name: label for label, name in enumerate(np.asarray(names).tolist())}
        found = np.ones((2, len(place)))
        if len(place) == 1 and 1 in chosen and 1 not in place and not isinstance(chosen[1], Mapping):
            chosen = {0: chosen}
        for name, values in chosen.items():
            label = place.get(name, name)
            if (
                isinstance(label, bool)
                or not isinstance(label, (int, np.integer))
                or not 0 <= label < len(place)
            ):
                raise ValueError(f"class_weight names {name!r}; the labels are {quote_some(list(place))}")
            for value, weight in _values(values).items():
                found[value, label] = weight
        return cls(*found)

    def cells(self, Y: Labels, weights: Floats | None) -> Floats:
        """The weight (n, L) of each label in each row, times that of the row."""
        cells = np.where(Y == 1, self.on, self.off)
        return cells if weights is None else cells * weights[:, None]

    @property
    def shift(self) -> Floats:
        """What the weights add to the log-odds (L,) of each label."""
        return np.log(self.on) - np.log(self.off)


def label_problems(
    Y: Labels, weights: Floats | None, label_weights: LabelWeights | None, columns: Bools | None = None
) -> LogisticProblems:
    """One logistic regression per label, with the weights of rows (n,) and of the labels' values."""
    if label_weights is None:
        return LogisticProblems.of(Y, weights=weights, columns=columns)
    cells = label_weights.cells(Y, weights)
    return LogisticProblems.of(Y, weights=cells, weight=np.arange(Y.shape[1]), columns=columns)


def are_label_weights(value: Any) -> bool:
    """Whether a parameter maps labels to positive weights: of rows with the label, or of each value."""
    return isinstance(value, Mapping) and all(
        set(_values(v)) <= {0, 1} and all(_is_positive(w) for w in _values(v).values())
        for v in value.values()
    )


def _values(weights: Any) -> Mapping[Any, Any]:
    return weights if isinstance(weights, Mapping) else {1: weights}


def _is_positive(weight: Any) -> bool:
    is_number = isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool)
    return is_number and bool(0 < weight < np.inf)
