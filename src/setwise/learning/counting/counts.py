"""Everything NaiBX counts, in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from setwise.blocks import ArrayBlocks, merge
from setwise.contract import Array, Floats, Labels, Matrix
from setwise.learning.counting.features import FeatureCounts, check_families
from setwise.learning.counting.labels import LabelCounts, Members
from setwise.learning.counting.smoothing import Smoothing

MIN_ROWS = 8
"""Smallest number of rows of a block per class: merging takes about as long as counting one row per class."""


@dataclass(frozen=True)
class Counts:
    """What a block of rows adds to the model: counts of its labels, and of its features within them."""

    labels: LabelCounts
    features: FeatureCounts

    @classmethod
    def of(cls, X: Matrix, Y: Labels, weights: Floats | None, families: Array, smoothing: Smoothing) -> Self:
        """Count the rows of one block."""
        members = Members.of(Y, weights)
        return cls(LabelCounts.of(Y, weights, members), FeatureCounts.of(X, members, families, smoothing))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.labels + other.labels, self.features + other.features)


def count(X: Matrix, Y: Labels, weights: Floats | None, families: Array, smoothing: Smoothing) -> Counts:
    """Count rows in blocks and merge the counts.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    families : ndarray of shape (d,)
        Name of each column's distribution, of ``FAMILIES``.
    smoothing : Smoothing

    Returns
    -------
    Counts

    Examples
    --------
    >>> import numpy as np
    >>> X, Y = np.array([[1.0], [3.0]]), np.array([[1, 0], [1, 1]], np.int8)
    >>> count(X, Y, None, np.array(["gaussian"]), Smoothing()).labels.labels
    array([2., 1.])
    """
    check_families(X, families)
    n_classes = 2 * Y.shape[1] + 1
    blocks = ArrayBlocks((X, Y, weights), len(Y), X.shape[1] + n_classes, MIN_ROWS * n_classes)
    return merge(blocks.map(lambda X, Y, w: Counts.of(X, Y, w, families, smoothing)))
