"""The steps of NaiBX's cascade from its counts."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Floats, Matrix
from setwise.inference.cascades.cascade import NaiveBayesSteps
from setwise.learning.counting.cascade import ClassifierSteps
from setwise.learning.counting.features import FeatureCounts
from setwise.learning.counting.labels import LabelCounts

CascadeSteps = NaiveBayesSteps | ClassifierSteps
"""Steps of a cascade by naive Bayes, or by any classifier."""


def label_terms(
    labels: LabelCounts, features: FeatureCounts, X: Matrix, smoothing: float
) -> tuple[Floats, Floats]:
    """Compute log P(y) (L,), -inf for labels never seen, and log p(x | y) (n, L) up to a constant per row."""
    L, seen = len(labels.pairs), labels.labels > 0
    likelihood = np.zeros((X.shape[0], L))
    likelihood[:, seen] = features.log_likelihood(X, np.append(seen, np.zeros(L + 1, np.bool_)))
    return labels.log_labels(smoothing), likelihood


def size_terms(
    labels: LabelCounts, features: FeatureCounts, X: Matrix, smoothing: float
) -> tuple[Floats, Floats]:
    """Compute log P(M = m) (L + 1,) and log p(x | M = m) (n, L + 1) up to a constant per row.

    An unseen size has no feature statistics. With those of the nearest size it is possible, but never likelier.
    """
    L = len(labels.pairs)
    seen = np.append(np.zeros(L, np.bool_), labels.sizes > 0)
    likelihood = features.log_likelihood(X, seen)
    nearest = np.searchsorted(np.flatnonzero(seen[L:]), labels.nearest_sizes())
    return labels.log_sizes(smoothing), likelihood[:, nearest]


def naive_bayes_steps(
    labels: LabelCounts, features: FeatureCounts, X: Matrix, smoothing: float, temper: float = 1.0
) -> NaiveBayesSteps:
    """Compute the terms of equation (9) for the rows of ``X``.

    Parameters
    ----------
    labels : LabelCounts
    features : FeatureCounts
    X : array or CSR of shape (n, d)
    smoothing : float
        Added to counts of labels.
    temper : float, default=1.0
        Power of p(x | y).

    Returns
    -------
    NaiveBayesSteps
    """
    base, likelihood = label_terms(labels, features, X, smoothing)
    return NaiveBayesSteps(
        temper * likelihood + base,
        labels.log_size_given_label(smoothing),
        labels.log_label_given_label(smoothing),
    )
