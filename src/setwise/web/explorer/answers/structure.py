"""The dependencies of the labels in one row: the forest of the strongest ones (Chow and Liu)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from setwise.distributions import LabelDistribution

WEAK = 1e-4
"""Mutual information in bits below which two labels count as independent in this row."""
SHOWN = 60
"""Edges that are shown, the strongest first."""


def structure_of(joint: LabelDistribution) -> dict[str, Any]:
    """The forest of strongest dependencies between labels given x, which for a forest model is its own forest.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> both = Table([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], np.log([[0.25, 0.25, 0.25, 0.25]]))
    >>> structure_of(both)["edges"]
    [{'labels': [0, 1], 'correlation': 1.0, 'bits': 1.0}]
    """
    bits = joint.mutual_information()[0] / np.log(2.0)
    correlations = joint.correlations()[0]
    np.fill_diagonal(bits, 0.0)
    strong = np.where(bits > WEAK, bits, 0.0)
    # the smallest sum of negative weights is the largest sum
    tree = minimum_spanning_tree(-np.triu(strong)).tocoo()
    order = np.argsort(tree.data, kind="stable")[:SHOWN]
    edges = [(int(tree.row[e]), int(tree.col[e])) for e in order]
    return {
        "edges": [
            {
                "labels": [i, j],
                "correlation": round(float(correlations[i, j]), 12),
                "bits": round(float(bits[i, j]), 12),
            }
            for i, j in edges
        ],
        "dependent": int((strong.max(axis=1) > 0).sum()),
        "left_out": max(0, tree.nnz - SHOWN),
    }
