"""Regression trees for the Newton steps of boosting, grown on binned columns, the best split first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import check_array, check_between, check_places
from setwise.kernels.reference.trees.scores import N_CODES
from setwise.random_bits import keys

TIE = 1e-12
"""Relative difference that counts as rounding, so that the first of equally good splits wins in any order of rows."""


@dataclass
class Node:
    """A node with its rows (indices into the tree's rows), sums and best split."""

    at: Array
    gradient: float
    hessian: float
    weight: float
    gain: float = 0.0
    feature: int = -1
    bin: int = 0
    left: int = -1
    right: int = -1


def grow_tree(
    codes: Array,
    sizes: Array,
    rows: Array,
    gradient: Floats,
    hessian: Floats,
    weights: Floats,
    seed: int,
    n_draws: int,
    max_leaves: int,
    min_weight: float,
    penalty: float,
) -> tuple[Array, Array, Array, Array, Floats, Floats]:
    """Grow a tree: feature, last bin that goes left, left and right child, sums of gradient and hessian of each node.

    The tree uses ``rows`` (m,) of ``codes`` (d, n), whose feature f has the bins 0 to ``sizes[f]`` - 1. Each row
    counts as ``weights`` (m,) rows, and a leaf has at least ``min_weight``.
    Parents come before their children; a leaf has the feature -1.
    """
    check_array("codes", codes, np.uint8, (None, None))
    check_array("sizes", sizes, np.int32, (len(codes),))
    check_between("sizes", sizes, 1, N_CODES)
    check_array("rows", rows, np.int64, (None,))
    check_places("rows", rows, codes.shape[1])
    for name, array in (("gradient", gradient), ("hessian", hessian), ("weights", weights)):
        check_array(name, array, np.float64, (len(rows),))
    key = keys(np.array([0], np.uint64), seed + 1)
    here, sums = codes[:, rows], (gradient, hessian, weights)

    def node(at: Array) -> Node:
        # Summed one by one as in the compiled code, not pairwise as NumPy does.
        steep, bent, weight = (float(np.bincount(0 * at, a[at], 1)[0]) for a in sums)
        return Node(at, steep, bent, weight)

    def find_split(number: int) -> None:
        found, parted = nodes[number], False
        if found.weight < 2.0 * min_weight:
            return
        for n_drawn, feature in enumerate(_draws(len(codes), keys(key, number))):
            if n_drawn >= n_draws and parted:
                break
            gains = _gains(found, here[feature, found.at], sizes[feature], sums, min_weight, penalty)
            parted = parted or bool(np.isfinite(gains).any())
            top = gains.max(initial=0.0)
            tie = TIE * (top + found.gradient**2 / (found.hessian + penalty))
            if top > found.gain + tie:
                found.gain, found.feature, found.bin = float(top), feature, int((gains >= top - tie).argmax())

    nodes = [node(np.arange(len(rows)))]
    find_split(0)
    for n_leaves in range(2, max_leaves + 1):
        best = max(nodes, key=lambda n: n.gain if n.left < 0 else 0.0)
        if best.left >= 0 or best.gain <= 0.0:
            break
        goes_left = here[best.feature, best.at] <= best.bin
        best.left, best.right = len(nodes), len(nodes) + 1
        nodes += [node(best.at[goes_left]), node(best.at[~goes_left])]
        if n_leaves < max_leaves:
            find_split(best.left)
            find_split(best.right)
    places = [(n.feature, n.bin, n.left, n.right) if n.left >= 0 else (-1, 0, -1, -1) for n in nodes]
    feature, bins, left, right = np.array(places, dtype=np.int32).T.copy()
    return (
        feature,
        bins,
        left,
        right,
        np.array([n.gradient for n in nodes]),
        np.array([n.hessian for n in nodes]),
    )


def _draws(n_features: int, key: Array) -> Iterator[int]:
    """All features in a random order that depends on the key only."""
    order = np.arange(n_features)
    for k in range(n_features):
        high = int(keys(key, k + 1)[0]) >> 32
        other = k + (high * (n_features - k) >> 32)
        order[[k, other]] = order[[other, k]]
        yield int(order[k])


def _gains(
    node: Node, codes: Array, size: int, sums: tuple[Floats, ...], min_weight: float, penalty: float
) -> Floats:
    """Gain of a split after each bin but the last; -inf if a child would have too little weight."""
    G, H, left = (np.cumsum(np.bincount(codes, a[node.at], size))[:-1] for a in sums)
    halves = G * G / (H + penalty) + (node.gradient - G) ** 2 / (node.hessian - H + penalty)
    whole = node.gradient * node.gradient / (node.hessian + penalty)
    return np.where((left >= min_weight) & (node.weight - left >= min_weight), halves - whole, -np.inf)
