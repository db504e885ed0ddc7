"""Cascades by naive Bayes: mean inclusion of each label along draws."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.kernels.checks import check_array, check_at_least
from setwise.kernels.generic.cascade_draws import level_inclusions


def cascade_means(
    size_probs: Floats, labels: Floats, sizes: Floats, pairs: Floats, points: Floats, angles: Floats
) -> Floats:
    """Mean inclusion (n, L) along draws that ``points`` (S, L + 1), turned by ``angles`` (n, L + 1), decide."""
    check_array("labels", labels, np.float64, (None, None))
    n, L = labels.shape
    check_array("size_probs", size_probs, np.float64, (n, L + 1))
    check_array("sizes", sizes, np.float64, (L + 1, L))
    check_array("pairs", pairs, np.float64, (L, L))
    check_array("points", points, np.float64, (None, L + 1))
    check_array("angles", angles, np.float64, (n, L + 1))
    check_at_least("the number of draws (axis 0 of points)", len(points), 1)

    def scores(rows: Array, of_size: Array, chosen: Labels) -> Floats:
        return np.asarray(labels[rows] + sizes[of_size] + chosen.astype(np.float64) @ pairs)

    return level_inclusions(scores, size_probs, points, angles)
