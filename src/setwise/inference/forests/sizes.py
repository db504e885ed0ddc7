"""How many labels are on: the distribution of |y|.

The number of labels on in a subtree, given the value of its top label, is a sum of independent numbers of
its children's subtrees: their distributions are convolved from the leaves to the roots, O(L^2) in all.
"""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats
from setwise.inference.forests.arrays import Forests
from setwise.kernels import implementation


def size_probs(gate: Floats, forests: Forests) -> Floats:
    """P(|y| = s) for s = 0..L, (n, L + 1), of the mixture with weights ``gate`` (n, K).

    Examples
    --------
    >>> import numpy as np
    >>> size_probs(np.ones((1, 1)), Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]]))
    array([[0.25, 0.5 , 0.25]])
    """
    return np.asarray(implementation.forest_sizes(gate, *forests))
