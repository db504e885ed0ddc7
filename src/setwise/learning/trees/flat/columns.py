"""Columns that turn every split into a comparison: missing values that go left, and categories.

The kernel sends a row left if x <= threshold. NaN is never at most a threshold, so it goes right. A split that sends
NaN left compares -x instead and swaps its children: x <= t is the same as not -x < -t. A split by categories compares
a column that is 0 for the categories that go left and 1 for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats


class CategorySplit(NamedTuple):
    """A split by the categories of a feature: some go ``left``, some ``right``, and all other values left or right."""

    feature: int
    left: tuple[float, ...]
    right: tuple[float, ...]
    others_left: bool


@dataclass(frozen=True)
class SplitColumns:
    """The columns that the trees compare: the features, the ``negated`` ones, and one for each split by categories.

    Split c is about the feature ``category_feature[c]``. Its listed values ``category_value[a:b]``, from
    ``category_start[c]`` to that of the next split, have the sides ``category_side[a:b]``, 0 for left; all others, and
    NaN, have ``other_side[c]``.
    """

    negated: Array
    category_feature: Array
    category_start: Array
    category_value: Floats
    category_side: Array
    other_side: Array

    @classmethod
    def of(cls, negated: Sequence[int], splits: Sequence[CategorySplit]) -> SplitColumns:
        """Lay the splits out flat."""
        sizes = [len(split.left) + len(split.right) for split in splits]
        values = [value for split in splits for value in (*split.left, *split.right)]
        sides = [side for split in splits for side in [0] * len(split.left) + [1] * len(split.right)]
        return cls(
            np.asarray(negated, dtype=np.int32),
            np.array([split.feature for split in splits], dtype=np.int32),
            np.cumsum([0, *sizes]).astype(np.int32),
            np.array(values, dtype=np.float64),
            np.array(sides, dtype=np.int32),
            np.array([not split.others_left for split in splits], dtype=np.int32),
        )

    @property
    def n_added(self) -> int:
        """Number of columns beside the features."""
        return len(self.negated) + len(self.category_feature)

    def added_to(self, X: Floats) -> Floats:
        """Append the columns to dense rows X (n, d).

        Examples
        --------
        >>> import numpy as np
        >>> columns = SplitColumns.of([0], [CategorySplit(1, (2.0,), (3.0,), others_left=False)])
        >>> columns.added_to(np.array([[5.0, 2.0], [6.0, 3.0], [7.0, 9.0]]))
        array([[ 5.,  2., -5.,  0.],
               [ 6.,  3., -6.,  1.],
               [ 7.,  9., -7.,  1.]])
        """
        if not self.n_added:
            return X
        sides = [self._sides(number, X[:, j]) for number, j in enumerate(self.category_feature)]
        return np.column_stack([X, -X[:, self.negated], *sides])

    def _sides(self, number: int, column: Floats) -> Floats:
        """The side (n,) to which each value of a column goes."""
        listed = slice(self.category_start[number], self.category_start[number + 1])
        values, sides = self.category_value[listed], self.category_side[listed]
        order = np.argsort(values)
        if not len(order):
            return np.full(len(column), float(self.other_side[number]))
        place = order[np.minimum(np.searchsorted(values[order], column), len(order) - 1)]
        return np.where(values[place] == column, sides[place], self.other_side[number]).astype(np.float64)
