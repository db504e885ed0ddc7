"""Sums of many small regression trees over flat node arrays."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import (
    check_array,
    check_at_least,
    check_between,
    check_output,
    check_places,
    check_tree,
)

N_CODES = 256
"""Number of values of a byte: of codes, and of nodes of a tree on binned columns."""


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
    check_array("X", X, np.float64, (None, None))
    size = check_tree(feature, left, right, value, X.shape[1])
    check_array("threshold", threshold, np.float64, (size,))
    check_array("root", root, np.int32, (None,))
    check_places("root", root, size)
    check_output("out", out, np.float64, (len(X), None))
    check_array("ensemble", ensemble, np.int32, (len(root),))
    check_places("ensemble", ensemble, out.shape[1])
    for start, column in zip(root, ensemble):
        out[:, column] += value[_leaves(X, feature, threshold, left, right, start)]


def add_tree(
    codes: Array, feature: Array, bin: Array, left: Array, right: Array, value: Floats, out: Floats
) -> None:
    """Add to ``out`` (n,) the value of a tree's leaf at every row of ``codes`` (d, n)."""
    check_array("codes", codes, np.uint8, (None, None))
    d, n = codes.shape
    size = check_tree(feature, left, right, value, d)
    check_at_least("the number of nodes (length of feature)", size, 1)
    if size > N_CODES:
        raise ValueError(f"feature must have at most {N_CODES} nodes, got {size}")
    check_array("bin", bin, np.int32, (size,))
    check_between("bin", bin, 0, N_CODES - 1)
    check_output("out", out, np.float64, (n,))
    out += value[_leaves(codes.T, feature, bin, left, right, 0)]


def _leaves(X: Array, feature: Array, threshold: Array, left: Array, right: Array, root: int) -> Array:
    """Find the leaf (n,) of a tree for each row of ``X`` (n, d)."""
    rows = np.arange(len(X))
    node = np.full(len(X), root)
    while (inside := feature[node] >= 0).any():
        goes_left = X[rows, np.maximum(feature[node], 0)] <= threshold[node]
        node = np.where(inside, np.where(goes_left, left[node], right[node]), node)
    return node
