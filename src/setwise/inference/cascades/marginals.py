"""Marginals of a cascade, estimated from draws whose last label is summed out."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.inference.cascades.cascade import NaiveBayesSteps, Steps
from setwise.inference.sets.replicates import Means, estimate_means
from setwise.kernels import implementation
from setwise.kernels.generic.cascade_draws import level_inclusions
from setwise.random_bits import uniforms


def estimate_marginals(steps: Steps, log_sizes: Floats, streams: Array) -> Means:
    """Estimate P(y_l = 1) of each row and label, to a standard error of .01.

    Parameters
    ----------
    steps : Steps
    log_sizes : ndarray of shape (n, L + 1)
    streams : ndarray of uint64 of shape (n,)
        Keys of the rows' random numbers.

    Returns
    -------
    Means

    Examples
    --------
    >>> steps = NaiveBayesSteps(np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), np.zeros((3, 3)))
    >>> sizes = np.log([[0.1, 0.2, 0.4, 0.3]])
    >>> estimate_marginals(steps, sizes, np.array([1], np.uint64)).means.round(1)
    array([[0.7, 0.6, 0.5]])
    """
    angles = uniforms(streams, steps.n_labels + 1)
    size_probs = np.exp(log_sizes)

    def group_means(rows: Array, points: Floats) -> Floats:
        part, shared = steps.take(rows), (points, angles[rows])
        if isinstance(part, NaiveBayesSteps):
            tables = np.ascontiguousarray(part.labels), part.sizes, part.pairs
            return np.asarray(implementation.cascade_means(size_probs[rows], *tables, *shared))
        return level_inclusions(part.scores, size_probs[rows], *shared)

    return estimate_means(group_means, (steps.n_rows, steps.n_labels), steps.n_labels + 1)
