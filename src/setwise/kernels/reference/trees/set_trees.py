"""Randomized trees grown once for all labels, on binned columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import check_array, check_between, check_places, refuse_entry
from setwise.random_bits import GOLDEN, keys, mixed

TIE = 1e-9
"""Only a split that is clearly better replaces another, however the order of the rows rounds their sums."""
HALF = np.uint64(32)


class Rows(NamedTuple):
    """Codes (n, d), targets (n, Q), classes (n,) and weights (n,) of all rows."""

    codes: Array
    targets: Floats
    classes: Array
    weights: Floats


@dataclass
class Node:
    """A node with its rows, in order, and its split."""

    rows: Array
    begin: int
    feature: int = -1
    bin: int = 0
    left: int = -1


def grow_set_trees(
    codes: Array,
    columns: Array,
    bounds: Array,
    absent: Array,
    target_bounds: Array,
    targets: Array,
    values: Floats,
    n_targets: int,
    classes: Array,
    weights: Floats,
    in_bag: Array,
    seeds: Array,
    n_draws: int,
) -> tuple[Array, Array, Array, Array, Array, Array, Floats, Array]:
    """Root of each tree; feature, last bin that goes left, left child, begin, end and weight of each node; members.

    A tree grows on the rows of ``in_bag`` (T, n). Row i lists the ``columns`` from ``bounds[i]`` to
    ``bounds[i + 1]`` with their ``codes``; the others have the code ``absent`` (d,). If nothing is listed, ``codes``
    may be those of all rows, column by column. The targets of row i are those from ``target_bounds[i]`` on. The right
    child comes after the left one; a leaf has the feature -1.
    """
    check_array("codes", codes, np.uint8, (None,))
    check_array("classes", classes, np.int32, (None,))
    check_array("absent", absent, np.uint8, (None,))
    n, d = len(classes), len(absent)
    check_array("columns", columns, np.int32, (None,))
    _check_bounds("bounds", bounds, n, len(columns))
    full = len(columns) == 0 and len(codes) == n * d
    if not full:
        check_array("codes", codes, np.uint8, (len(columns),))
        check_places("columns", columns, d)
        _check_rising("columns", columns, bounds)
    check_array("targets", targets, np.int32, (None,))
    _check_bounds("target_bounds", target_bounds, n, len(targets))
    check_places("targets", targets, n_targets)
    check_array("values", values, np.float64, (len(targets),))
    check_array("weights", weights, np.float64, (n,))
    check_array("seeds", seeds, np.uint64, (None,))
    check_array("in_bag", in_bag, np.uint8, (len(seeds), n))
    check_between("in_bag", in_bag, 0, 1)
    dense = codes.reshape(d, n).T if full else _filled(codes, columns, bounds, absent)
    outputs = np.zeros((n, n_targets))
    np.add.at(outputs, (np.repeat(np.arange(n), np.diff(target_bounds)), targets), values)
    rows = Rows(dense, outputs, classes, weights)
    trees = [_grow(rows, np.flatnonzero(bag), seed, n_draws) for bag, seed in zip(in_bag, seeds)]
    return _as_arrays(trees, weights)


def _check_bounds(name: str, bounds: Array, n_rows: int, size: int) -> None:
    check_array(name, bounds, np.int64, (n_rows + 1,))
    if bounds[0] != 0 or bounds[-1] != size or (np.diff(bounds) < 0).any():
        raise ValueError(f"{name} must not fall, from 0 to {size}")


def _check_rising(name: str, places: Array, bounds: Array) -> None:
    starts = np.zeros(len(places), np.bool_)
    starts[bounds[:-1][np.diff(bounds) > 0]] = True
    refuse_entry(name, places, (np.diff(places, prepend=-1) <= 0) & ~starts, "rise within a row")


def _filled(codes: Array, columns: Array, bounds: Array, absent: Array) -> Array:
    dense = np.tile(absent, (len(bounds) - 1, 1))
    dense[np.repeat(np.arange(len(dense)), np.diff(bounds)), columns] = codes
    return dense


def _grow(rows: Rows, members: Array, seed: int, n_draws: int) -> list[Node]:
    with np.errstate(over="ignore"):
        key = keys(np.zeros(1, np.uint64), int(seed) + 1)
    nodes = [Node(members, 0)]
    number = 0
    while number < len(nodes):
        node = nodes[number]
        found = _find_split(rows, node.rows, keys(key, number), n_draws)
        if found is not None:
            node.feature, node.bin = found
            goes_left = rows.codes[node.rows, node.feature] <= node.bin
            node.left = len(nodes)
            n_left = int(goes_left.sum())
            nodes += [
                Node(node.rows[goes_left], node.begin),
                Node(node.rows[~goes_left], node.begin + n_left),
            ]
        number += 1
    return nodes


def _find_split(rows: Rows, members: Array, key: Array, n_draws: int) -> tuple[int, int] | None:
    if len(np.unique(rows.classes[members])) < 2:
        return None
    codes = rows.codes[members]
    features = np.flatnonzero((codes != codes[0]).any(axis=0))
    with np.errstate(over="ignore"):
        hashes = np.array([keys(key, int(feature) + 1)[0] for feature in features], np.uint64)
        bits = mixed(hashes + GOLDEN) >> HALF
    best, found = -np.inf, None
    for at in np.lexsort((features, hashes))[:n_draws]:
        column = codes[:, features[at]]
        least, most = int(column.min()), int(column.max())
        bin = least + (int(bits[at]) * (most - least) >> 32)
        gain = _gain(rows.targets[members], rows.weights[members], column <= bin)
        if gain > best + TIE * max(1.0, abs(gain)):
            best, found = gain, (int(features[at]), bin)
    return found


def _gain(targets: Floats, weights: Floats, left: Array) -> float:
    def squared_mean(rows: Array) -> float:
        sums = weights[rows] @ targets[rows]
        return float(sums @ sums / weights[rows].sum())

    everywhere = np.ones(len(left), np.bool_)
    return squared_mean(left) + squared_mean(~left) - squared_mean(everywhere)


def _as_arrays(
    trees: list[list[Node]], weights: Floats
) -> tuple[Array, Array, Array, Array, Array, Array, Floats, Array]:
    root, places, weight, members = [], [], [], []
    n_nodes, n_members = 0, 0
    for nodes in trees:
        root.append(n_nodes)
        order = np.empty(len(nodes[0].rows), np.int32)
        for node in nodes:
            left = node.left + n_nodes if node.left >= 0 else -1
            begin = node.begin + n_members
            places.append((node.feature, node.bin, left, begin, begin + len(node.rows)))
            weight.append(float(np.cumsum(weights[node.rows])[-1]) if len(node.rows) else 0.0)
            if node.left < 0:
                order[node.begin : node.begin + len(node.rows)] = node.rows
        members.append(order)
        n_nodes += len(nodes)
        n_members += len(order)
    columns = np.array(places, np.int32).reshape(-1, 5).T.copy()
    together = np.concatenate([np.empty(0, np.int32), *members])
    feature, bins, children, begins, ends = columns
    weighed = np.array(weight, np.float64)
    return np.array(root, np.int32), feature, bins, children, begins, ends, weighed, together
