"""Sums of many small regression trees over flat node arrays."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats


def tree_scores(
    X: Floats,
    feature: Array,
    threshold: Floats,
    left: Array,
    right: Array,
    value: Floats,
    root: Array,
    ensemble: Array,
    out: Floats,
) -> None:
    """Add to ``out`` (n, E) the value of every tree at every row of ``X`` (n, d)."""
    rows = np.arange(len(X))
    for start, column in zip(root, ensemble):
        node = np.full(len(X), start)
        while (inside := feature[node] >= 0).any():
            goes_left = X[rows, np.maximum(feature[node], 0)] <= threshold[node]
            node = np.where(inside, np.where(goes_left, left[node], right[node]), node)
        out[:, column] += value[node]
