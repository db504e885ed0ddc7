"""How many labels are on, and which labels go with which number.

The number of labels on in a subtree, given the value of its top label, is a sum of independent numbers of its
children's subtrees: their distributions are convolved from the leaves to the roots, O(L^2) in all.

E[y_l t^|y|] is the generating function of P(y_l = 1, |y| = s) over s. One sum-product pass with labels weighted by t
computes it at a point t for every label at once; at the roots of unity a discrete Fourier transform recovers the
probabilities.
"""

from __future__ import annotations

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import Floats
from setwise.inference.forests.arrays import Forests
from setwise.kernels import implementation
from setwise.kernels.generic.size_moments import forest_size_moments

COMPLEX = 16
"""Bytes of a complex number."""


def size_probs(gate: Floats, forests: Forests) -> Floats:
    """Compute the distribution of the number of labels.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests

    Returns
    -------
    ndarray of shape (n, L + 1)
        P(|y| = s) for s = 0..L.

    Examples
    --------
    >>> import numpy as np
    >>> size_probs(np.ones((1, 1)), Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]]))
    array([[0.25, 0.5 , 0.25]])
    """
    return np.asarray(implementation.forest_sizes(gate, *forests))


def size_moments(gate: Floats, forests: Forests, points: Floats) -> Floats:
    """Compute E[y_l t^|y|] at given points t.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests
    points : ndarray of shape (Q,)

    Returns
    -------
    ndarray of shape (n, L, Q)

    Examples
    --------
    >>> import numpy as np
    >>> fair = Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]])
    >>> size_moments(np.ones((1, 1)), fair, np.array([1.0, 0.5]))
    array([[[0.5   , 0.1875],
            [0.5   , 0.1875]]])
    """
    return np.asarray(implementation.forest_size_moments(gate, *forests, points))


def joint_sizes(gate: Floats, forests: Forests) -> Floats:
    """Compute the joint distribution of each label and the number of labels.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests

    Returns
    -------
    ndarray of shape (n, L, L + 1)
        P(y_l = 1, |y| = s) for s = 0..L.

    Examples
    --------
    >>> import numpy as np
    >>> joint_sizes(np.ones((1, 1)), Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]])).round(3) + 0.0
    array([[[0.  , 0.25, 0.25],
            [0.  , 0.25, 0.25]]])
    """
    n, _, L, _ = forests.logits.shape
    roots = np.exp(-2j * np.pi * np.arange(L + 1) / (L + 1))
    parts = []
    for rows in row_slices(n, L * (L + 1), cell_bytes=COMPLEX):
        values = forest_size_moments(gate[rows], *forests.take(rows), roots)
        parts.append(np.maximum(np.fft.ifft(values, axis=2).real, 0.0))
    return np.concatenate(parts)
