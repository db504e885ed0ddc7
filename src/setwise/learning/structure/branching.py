"""Maximum branching: the forest of directed edges with the largest total gain (Chu-Liu, Edmonds)."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.inference.forests.arrays import ROOT


def maximum_branching(gains: Floats) -> Array:
    """Find the branching of largest total gain.

    Parameters
    ----------
    gains : ndarray of shape (L, L)
        ``gains[j, i]`` is the gain of the edge j -> i over leaving i a root; -inf forbids it. Only edges with a
        positive gain are used. The diagonal is ignored.

    Returns
    -------
    ndarray of shape (L,)
        Parent of each node, -1 for a root.

    Examples
    --------
    Each of the first two labels gains most as the child of the other; only one can be.

    >>> import numpy as np
    >>> maximum_branching(np.array([[0.0, 5.0, 1.0], [4.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    array([-1,  0,  1])
    """
    n = len(gains)
    # Node n is an artificial root whose edges gain nothing: choosing it means having no parent.
    weight = np.full((n + 1, n + 1), -np.inf)
    weight[:n, :n] = np.where(gains > 0, gains, -np.inf)
    weight[n, :n] = 0.0
    np.fill_diagonal(weight, -np.inf)
    parent = _arborescence(weight, n)[:n]
    return np.where(parent == n, ROOT, parent)


def _arborescence(weight: Floats, root: int) -> Array:
    """Find the best parent of every node but the root; contracts one cycle and recurses."""
    best = weight.argmax(axis=0)
    best[root] = root
    cycle = _find_cycle(best, root)
    if cycle is None:
        return np.asarray(best)
    others = np.setdiff1d(np.arange(len(weight)), cycle)
    # Entering the cycle at c gives up c's edge inside it; leaving it takes the best exit.
    entering = weight[np.ix_(others, cycle)] - weight[best[cycle], cycle]
    leaving = weight[np.ix_(cycle, others)]
    m = len(others)
    small = np.full((m + 1, m + 1), -np.inf)
    small[:m, :m] = weight[np.ix_(others, others)]
    small[:m, m], small[m, :m] = entering.max(axis=1), leaving.max(axis=0)
    contracted = _arborescence(small, int(np.searchsorted(others, root)))
    return _expand(best, others, cycle, contracted, entering, leaving)


def _expand(
    best: Array, others: Array, cycle: Array, contracted: Array, entering: Floats, leaving: Floats
) -> Array:
    """Find the parents in the graph before the cycle was contracted."""
    m = len(others)
    parent = best.copy()
    for at, node in enumerate(others):
        above = contracted[at]
        parent[node] = cycle[leaving[:, at].argmax()] if above == m else others[above]
    above = contracted[m]
    parent[cycle[entering[above].argmax()]] = others[above]
    return parent


def _find_cycle(parent: Array, root: int) -> Array | None:
    seen = np.full(len(parent), -1)
    seen[root] = len(parent)
    for start in range(len(parent)):
        node = start
        while seen[node] == -1:
            seen[node] = start
            node = parent[node]
        if seen[node] == start:
            members = [node]
            while parent[members[-1]] != node:
                members.append(parent[members[-1]])
            return np.sort(members)
    return None
