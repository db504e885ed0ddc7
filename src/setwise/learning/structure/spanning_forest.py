"""Maximum spanning forests of weighted pairs of labels."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from setwise.arrays import Array, Floats
from setwise.inference.forests.arrays import ROOT


def spanning_forest(pairs: Array, strength: Floats, n_labels: int) -> Array:
    """Find the forest of the strongest pairs.

    Parameters
    ----------
    pairs : ndarray of shape (P, 2)
        Different pairs of labels.
    strength : ndarray of shape (P,)
        Not negative.
    n_labels : int

    Returns
    -------
    ndarray of shape (n_labels,)
        Parent of each label, -1 for a root.

    Examples
    --------
    >>> import numpy as np
    >>> spanning_forest(np.array([[0, 1], [0, 2], [1, 2]]), np.array([1.0, 3.0, 2.0]), 4)
    array([-1,  2,  0, -1])
    """
    parents = np.full(n_labels, ROOT)
    if not len(pairs):
        return parents
    cost = np.zeros((n_labels, n_labels))
    # A cost of zero means no edge, so costs count down from above the strongest pair.
    cost[pairs[:, 0], pairs[:, 1]] = strength.max() + 1.0 - strength
    tree = minimum_spanning_tree(cost)
    reached = np.zeros(n_labels, dtype=np.bool_)
    for root in range(n_labels):
        if not reached[root]:
            order, before = breadth_first_order(tree, root, directed=False)
            reached[order] = True
            parents[order[1:]] = before[order[1:]]
    return parents
