"""Where rows end in randomized trees, and the shares of the label sets that they meet there."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import check_array, check_between, check_output, check_places, refuse_entry


def tree_leaves(
    X: Floats,
    root: Array,
    feature: Array,
    threshold: Floats,
    left: Array,
    weight: Floats,
    min_weight: float,
) -> Array:
    """Find the node (n, T) of each tree at which each row of ``X`` (n, d) stays.

    It is the last one on the row's way whose weight is at least ``min_weight``, or the root. A row with x <=
    ``threshold`` goes to the ``left`` child, any other to the one after it.
    """
    check_array("X", X, np.float64, (None, None))
    check_array("feature", feature, np.int32, (None,))
    size = len(feature)
    check_array("root", root, np.int32, (None,))
    check_places("root", root, size)
    check_between("feature", feature, -1, X.shape[1] - 1)
    check_array("threshold", threshold, np.float64, (size,))
    check_array("left", left, np.int32, (size,))
    check_array("weight", weight, np.float64, (size,))
    wrong = (feature >= 0) & ~((np.arange(size) < left) & (left < size - 1))
    refuse_entry("left", left, wrong, f"be after its parent and below {size - 1}")
    stays = [_walk(X, start, feature, threshold, left, weight, min_weight) for start in root]
    return np.array(stays, np.int32).reshape(len(root), len(X)).T.copy()


def _walk(
    X: Floats, root: int, feature: Array, threshold: Floats, left: Array, weight: Floats, min_weight: float
) -> Array:
    rows, node = np.arange(len(X)), np.full(len(X), root)
    while True:
        inside = feature[node] >= 0
        goes_left = X[rows, np.maximum(feature[node], 0)] <= threshold[node]
        child = np.where(inside, left[node] + ~goes_left, node)
        moves = inside & (weight[child] >= min_weight)
        if not moves.any():
            return node
        node = np.where(moves, child, node)


def add_members(
    leaves: Array,
    begin: Array,
    end: Array,
    weight: Floats,
    member: Array,
    member_weight: Floats,
    share: Floats,
    out: Floats,
) -> None:
    """Add to ``out`` (n, M) the weights of the members of each row's ``leaves`` (n, T), each leaf summing to ``share``.

    The members of a node are places ``begin`` to ``end`` of ``member`` and ``member_weight``, which sum to its
    ``weight``; a leaf of -1 is passed over.
    """
    check_array("leaves", leaves, np.int32, (None, None))
    check_array("begin", begin, np.int32, (None,))
    size = len(begin)
    check_between("leaves", leaves, -1, size - 1)
    check_array("member", member, np.int32, (None,))
    check_between("begin", begin, 0, len(member))
    check_array("end", end, np.int32, (size,))
    check_between("end", end, 0, len(member))
    check_array("weight", weight, np.float64, (size,))
    check_output("out", out, np.float64, (None, None))
    check_places("member", member, out.shape[1])
    check_array("member_weight", member_weight, np.float64, (len(member),))
    check_array("share", share, np.float64, (len(leaves),))
    check_output("out", out, np.float64, (len(leaves), None))
    for row, own in enumerate(leaves):
        for leaf in own[own >= 0]:
            held = slice(begin[leaf], end[leaf])
            np.add.at(out[row], member[held], share[row] / weight[leaf] * member_weight[held])
