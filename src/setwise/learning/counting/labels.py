"""Counts of labels for NaiBX: sums over rows, so that blocks, days or machines add up exactly.

Table 2 of Mossina and Rachelson, "Naive Bayes classification for subset selection", with N_ym, which their
Algorithm 2 reads and their Algorithm 1 forgets to count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from setwise.contract import Array, Floats, Labels

IMPOSSIBLE = -700.0
"""Log-probability of an unseen event without smoothing: finite, so that labels keep their order."""


class Members(NamedTuple):
    """The classes that each row counts for: ``weights`` (n, c) and the numbers ``classes`` (c,) of their columns.

    The classes are the L labels and then the L + 1 sizes; sizes without rows have no column.
    """

    weights: Floats
    classes: Array
    n_classes: int

    @classmethod
    def of(cls, Y: Labels, weights: Floats | None) -> Self:
        """Find the classes of label sets ``Y`` (n, L) with row weights (n,)."""
        L = Y.shape[1]
        sizes, column = np.unique(Y.sum(axis=1, dtype=np.intp), return_inverse=True)
        members = np.zeros((len(Y), L + len(sizes)))
        members[:, :L] = Y
        members[np.arange(len(Y)), L + column] = 1.0
        if weights is not None:
            members *= weights[:, None]
        return cls(members, np.concatenate([np.arange(L), L + sizes]), 2 * L + 1)

    def spread(self, sums: Floats) -> Floats:
        """Expand sums (c, ...) of the present classes to all classes (C, ...), with zeros."""
        full = np.zeros((self.n_classes, *sums.shape[1:]))
        full[self.classes] = sums
        return full


@dataclass(frozen=True)
class LabelCounts:
    """Counts of labels, sizes, and of labels that occur together.

    Parameters
    ----------
    classes : ndarray of shape (2 L + 1,)
        N_y of the labels, then N_m of the sizes 0..L.
    pairs : ndarray of shape (L, L)
        N_yy': rows that have both labels; the diagonal is zero.
    label_sizes : ndarray of shape (L, L + 1)
        N_ym: rows that have label y and m labels in all.

    Examples
    --------
    >>> import numpy as np
    >>> counts = LabelCounts.of(np.array([[1, 1, 0], [1, 0, 0]], np.int8))
    >>> counts.labels, counts.sizes
    (array([2., 1., 0.]), array([0., 1., 1., 0.]))
    >>> (counts + counts).pairs[0]
    array([0., 2., 0.])
    """

    classes: Floats
    pairs: Floats
    label_sizes: Floats

    @classmethod
    def of(cls, Y: Labels, weights: Floats | None = None, members: Members | None = None) -> Self:
        """Count the rows of ``Y`` (n, L)."""
        members = Members.of(Y, weights) if members is None else members
        L = Y.shape[1]
        totals = members.weights.sum(axis=0)
        together = Y.T.astype(np.float64) @ members.weights
        pairs = together[:, :L].copy()
        np.fill_diagonal(pairs, 0.0)
        label_sizes = np.zeros((L, L + 1))
        label_sizes[:, members.classes[L:] - L] = together[:, L:]
        return cls(members.spread(totals), pairs, label_sizes)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.classes + other.classes, self.pairs + other.pairs, self.label_sizes + other.label_sizes
        )

    @property
    def labels(self) -> Floats:
        """N_y (L,)."""
        return self.classes[: len(self.pairs)]

    @property
    def sizes(self) -> Floats:
        """N_m (L + 1,)."""
        return self.classes[len(self.pairs) :]

    @property
    def n_rows(self) -> float:
        """N, the weight of all rows."""
        return float(self.sizes.sum())

    def log_sizes(self, smoothing: float) -> Floats:
        """Estimate log P(M = m) (L + 1,) by equation (10); -inf for sizes that need more labels than were seen."""
        log_p = _log_ratio(self.sizes + smoothing, self.n_rows + smoothing * len(self.sizes))
        largest = np.count_nonzero(self.labels)
        possible = (self.sizes + smoothing > 0) & (np.arange(len(self.sizes)) <= largest)
        return np.where(possible, log_p, -np.inf)

    def nearest_sizes(self) -> Array:
        """Find the nearest seen size for each size (L + 1,), the smaller of two."""
        seen = np.flatnonzero(self.sizes)
        distance = np.abs(np.arange(len(self.sizes))[:, None] - seen)
        return np.asarray(seen[distance.argmin(axis=1)])

    def log_labels(self, smoothing: float) -> Floats:
        """Estimate log P(y in Y) (L,) by equation (10); -inf for labels never seen."""
        log_p = _log_ratio(self.labels + smoothing, self.n_rows + smoothing * len(self.labels))
        return np.where(self.labels > 0, log_p, -np.inf)

    def log_size_given_label(self, smoothing: float) -> Floats:
        """Estimate log P(M = m | y in Y) (L + 1, L) by equation (10)."""
        total = self.labels + smoothing * len(self.sizes)
        return _log_ratio(self.label_sizes.T + smoothing, total)

    def log_label_given_label(self, smoothing: float) -> Floats:
        """Estimate log P(j in Y | y in Y) as (j, y), by equation (11)."""
        total = self.labels + smoothing * (len(self.labels) - 1)
        log_p = _log_ratio(self.pairs + smoothing, total)
        np.fill_diagonal(log_p, 0.0)
        return log_p


def _log_ratio(part: Floats, total: Floats | float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.fmax(np.log(part) - np.log(total), IMPOSSIBLE))
