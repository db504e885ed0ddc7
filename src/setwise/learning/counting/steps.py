"""The steps of NaiBX's cascade from its counts."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Matrix
from setwise.inference.cascades.cascade import NaiveBayesSteps
from setwise.learning.counting.cascade import ClassifierSteps
from setwise.learning.counting.features import FeatureCounts
from setwise.learning.counting.labels import LabelCounts

CascadeSteps = NaiveBayesSteps | ClassifierSteps
"""Steps of a cascade by naive Bayes, or by any classifier."""


def naive_bayes_steps(
    labels: LabelCounts, features: FeatureCounts, X: Matrix, smoothing: float
) -> NaiveBayesSteps:
    """Compute the terms of equation (9) for the rows of ``X``.

    Parameters
    ----------
    labels : LabelCounts
    features : FeatureCounts
    X : array or CSR of shape (n, d)
    smoothing : float
        Added to counts of labels.

    Returns
    -------
    NaiveBayesSteps
    """
    L = len(labels.pairs)
    seen = labels.labels > 0
    scores = np.full((X.shape[0], L), -np.inf)
    likelihood = features.log_likelihood(X, np.append(seen, np.zeros(L + 1, np.bool_)))
    scores[:, seen] = likelihood + labels.log_labels(smoothing)[seen]
    return NaiveBayesSteps(
        scores, labels.log_size_given_label(smoothing), labels.log_label_given_label(smoothing)
    )
