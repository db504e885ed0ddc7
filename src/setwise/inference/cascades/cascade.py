"""Cascades: the size of a label set is drawn first, then its labels one by one without replacement.

    P(set | x) = P(M = m | x) * sum over orders of prod_i p(y_i | x, m, y_1 .. y_{i-1})

Mossina and Rachelson, "Naive Bayes classification for subset selection", section 3.4. The next label
depends on which labels were chosen but not on their order, so a state is a set, and orders that reach the same set are
merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import log_softmax

from setwise.contract import FREE, Array, Bools, Floats, Labels
from setwise.random_bits import keys, uniforms


class Steps(Protocol):
    """Scores of the next label of a cascade, for n rows and L labels."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def scores(self, rows: Array, sizes: Array, chosen: Labels) -> Floats:
        """Compute log-scores of the next label, up to a constant per row.

        Parameters
        ----------
        rows : ndarray of shape (r,)
        sizes : ndarray of shape (r,)
            Number of labels of each row's set.
        chosen : ndarray of shape (r, L)
            Labels that are already drawn.

        Returns
        -------
        ndarray of shape (r, L)
            -inf for labels that are never drawn; scores of chosen labels are ignored.
        """

    def possible(self) -> Bools:
        """Mark the labels (L,) that can be drawn."""

    def take(self, rows: Any) -> Self:
        """Select rows."""


@dataclass(frozen=True)
class NaiveBayesSteps:
    """Steps by naive Bayes, equation (9): the size and every chosen label are features of the next label.

    Parameters
    ----------
    labels : ndarray of shape (n, L)
        log P(y) + log p(x | y), -inf for labels never seen.
    sizes : ndarray of shape (L + 1, L)
        log P(M = m | y).
    pairs : ndarray of shape (L, L)
        ``pairs[j, y]``: log P(j in Y | y in Y).
    """

    labels: Floats
    sizes: Floats
    pairs: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.labels.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.labels.shape[1])

    def scores(self, rows: Array, sizes: Array, chosen: Labels) -> Floats:
        """Compute the log of the numerator of equation (9)."""
        scores = chosen.astype(np.float64) @ self.pairs
        scores += self.labels[rows]
        scores += self.sizes[sizes]
        return np.asarray(scores)

    def possible(self) -> Bools:
        """Mark the labels (L,) seen in training."""
        return np.asarray((self.labels > -np.inf).any(axis=0))

    def take(self, rows: Any) -> Self:
        """Select rows."""
        return type(self)(self.labels[rows], self.sizes, self.pairs)


def next_log_probs(steps: Steps, rows: Array, sizes: Array, chosen: Labels) -> Floats:
    """Compute log p(y | x, m, chosen) (r, L); -inf for labels already chosen."""
    scores = np.where(chosen == 1, -np.inf, steps.scores(rows, sizes, chosen))
    with np.errstate(invalid="ignore"):
        log_p = np.asarray(log_softmax(scores, axis=1))
    log_p[np.isneginf(scores)] = -np.inf  # NaN if no label is left
    return log_p


def allowed_labels(sizes: Array, chosen: Labels, evidence: Labels) -> Bools:
    """Mark the labels (r, L) that may come next so that the finished set agrees with ``evidence``.

    Labels known to be on are forced once as many of them are missing as there are places left.
    """
    missing = (evidence == 1) & (chosen == 0)
    forced = missing.sum(axis=1) >= sizes - chosen.sum(axis=1)
    return np.where(forced[:, None], missing, (evidence != 0) & (chosen == 0))


def log_sizes_given(steps: Steps, log_sizes: Floats, evidence: Labels, min_labels: int) -> Floats:
    """Set ``log_sizes`` (n, L + 1) to -inf for sizes that no set has that agrees with ``evidence``."""
    size = np.arange(log_sizes.shape[1])
    least = np.maximum((evidence == 1).sum(axis=1), min_labels)[:, None]
    most = ((evidence != 0) & steps.possible()).sum(axis=1)[:, None]
    impossible = ((evidence == 1) & ~steps.possible()).any(axis=1)[:, None]
    return np.where((least <= size) & (size <= most) & ~impossible, log_sizes, -np.inf)


def greedy(steps: Steps, sizes: Array, evidence: Labels | None = None) -> Labels:
    """Choose the likeliest next label until a set has its size (Algorithm 2).

    Parameters
    ----------
    steps : Steps
    sizes : ndarray of shape (n,)
    evidence : ndarray of shape (n, L), optional
        Labels that are 0 or 1 are kept.

    Returns
    -------
    ndarray of shape (n, L)

    Examples
    --------
    Labels 0 and 1 almost never occur together, so the second label is 2:

    >>> import numpy as np
    >>> pairs = np.log([[1.0, 0.01, 0.5], [0.01, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> steps = NaiveBayesSteps(np.log([[0.4, 0.4, 0.2]]), np.zeros((4, 3)), pairs)
    >>> greedy(steps, np.array([2]))
    array([[1, 0, 1]], dtype=int8)
    """
    chosen = np.zeros((steps.n_rows, steps.n_labels), np.int8)
    for step in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > step)
        scores = steps.scores(rows, sizes[rows], chosen[rows])
        known = np.full((len(rows), 1), FREE, np.int8) if evidence is None else evidence[rows]
        scores[~allowed_labels(sizes[rows], chosen[rows], known)] = -np.inf
        chosen[rows, scores.argmax(axis=1)] = 1
    return chosen


def draw(steps: Steps, sizes: Array, rows: Array, streams: Array) -> Labels:
    """Draw sets label by label.

    Parameters
    ----------
    steps : Steps
    sizes : ndarray of shape (r,)
        Number of labels of each draw.
    rows : ndarray of shape (r,)
        Row of each draw.
    streams : ndarray of uint64 of shape (r,)
        Keys of the draws' random numbers.

    Returns
    -------
    ndarray of shape (r, L)
    """
    chosen = np.zeros((len(rows), steps.n_labels), np.int8)
    for step in range(int(sizes.max(initial=0))):
        open_ = np.flatnonzero(sizes > step)
        log_p = next_log_probs(steps, rows[open_], sizes[open_], chosen[open_])
        ends = np.exp(log_p).cumsum(axis=1)
        points = uniforms(keys(streams[open_], step), 1) * ends[:, -1:]
        chosen[open_, (ends > points).argmax(axis=1)] = 1
    return chosen
