"""Choices of NaiBX on held-out rows: how far to trust the features, and what predicts the size.

Naive Bayes multiplies the likelihoods of features as if they were independent, and is far too sure of itself. A power
below one takes that back: log P(class) + temper * log p(x | class).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from setwise.arrays import Array, Floats, Matrix
from setwise.contract import Labels
from setwise.learning.by_content.folds import row_folds
from setwise.learning.counting.counts import count
from setwise.learning.counting.sizes import best_classifier, score
from setwise.learning.counting.smoothing import Smoothing
from setwise.learning.counting.steps import label_terms, size_terms

TEMPERS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.0)
"""Powers of the features' likelihood that are tried. At 0 the features do not count."""


class Choices(NamedTuple):
    """Powers for the size and for the labels, and the penalty of a regression of sizes, if it beats naive Bayes."""

    sizes: float = 1.0
    labels: float = 1.0
    penalty: float | None = None


def best_temper(
    base: Floats, likelihood: Floats, share: Floats, tempers: Sequence[float] = TEMPERS
) -> tuple[float, float]:
    """Choose the power of the features' likelihood for the classes of held-out rows.

    Parameters
    ----------
    base : ndarray of shape (c,) or (n, c)
        log P(class).
    likelihood : ndarray of shape (n, c)
        log p(x | class).
    share : ndarray of shape (n, c)
        Weight of each true class of a row.
    tempers : sequence of float
        The powers to try.

    Returns
    -------
    temper : float
    total : float
        Sum of ``share`` times the log-probabilities.

    Examples
    --------
    Twice the same feature counts once:

    >>> once = np.log([[0.8, 0.2]] * 10)
    >>> share = np.array([[1.0, 0.0]] * 8 + [[0.0, 1.0]] * 2)
    >>> best_temper(np.zeros((10, 2)), 2 * once, share)[0]
    0.5
    """
    totals = [score(np.asarray(log_softmax(base + t * likelihood, axis=1)), share) for t in tempers]
    best = int(np.argmax(totals))
    return tempers[best], totals[best]


def choose(
    X: Matrix,
    Y: Labels,
    weights: Floats | None,
    families: Array,
    smoothing: Smoothing,
    alpha: float,
    tempers: Sequence[float] = TEMPERS,
    *,
    classify: bool = True,
) -> Choices:
    """Count two thirds of the rows, by their content, and choose by the probabilities of the others.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    Y : ndarray of shape (n, L)
    weights : ndarray of shape (n,) or None
    families : ndarray of shape (d,)
        Name of each column's distribution.
    smoothing : Smoothing
        Of the features.
    alpha : float
        Added to counts of labels and sizes.
    tempers : sequence of float
        The powers to try.
    classify : bool
        Whether a logistic regression may predict the size.

    Returns
    -------
    Choices
        The first power and naive Bayes if there are too few rows to hold some out.
    """
    fold = row_folds(X)
    if fold is None:
        return Choices(tempers[0], tempers[0])
    train, held = fold != 0, fold == 0
    unit = np.ones(len(Y)) if weights is None else weights
    counts = count(X[train], Y[train], unit[train], families, smoothing)
    of_sizes = size_terms(counts.labels, counts.features, X[held], alpha)
    log_y, of_labels = label_terms(counts.labels, counts.features, X[held], alpha)
    sizes = Y.sum(axis=1, dtype=np.intp)
    true_size = unit[held, None] * (sizes[held, None] == np.arange(Y.shape[1] + 1))
    true_label = unit[held, None] * Y[held] / np.maximum(sizes[held, None], 1)
    for_sizes, total = best_temper(*of_sizes, true_size, tempers)
    for_labels, _ = best_temper(
        log_y + counts.labels.log_size_given_label(alpha)[sizes[held]], of_labels, true_label, tempers
    )
    penalty = best_classifier(X, sizes, unit, train, true_size, total) if classify else None
    return Choices(for_sizes, for_labels, penalty)
