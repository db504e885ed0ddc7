"""Hamming loss: every label counts by itself."""

from __future__ import annotations

import numpy as np

from setwise.contract import LabelDistribution, Labels


def hamming(distribution: LabelDistribution, *, min_labels: int = 0) -> Labels:
    """The likelier value of each label (n, L), the marginal mode.

    Where it has fewer than ``min_labels`` labels the most probable ones are added: each costs the least
    expected loss of those left.
    """
    marginals = distribution.marginals()
    labels = (marginals > 0.5).astype(np.int8)
    if min_labels > 0:
        best = np.argsort(-marginals, axis=1, kind="stable")[:, :min_labels]
        np.put_along_axis(labels, best, 1, axis=1)
    return labels
