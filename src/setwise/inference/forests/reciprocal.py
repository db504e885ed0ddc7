"""E[y_l / (c |y| + r)] on mixtures of forests by quadrature, without the joint distribution of labels and sizes.

With c = p / q for small whole numbers, 1 / (c s + r) = q times the integral over [0, 1] of t^(p s + q r - 1). The
expectation is therefore the integral of q t^(q r - 1) E[y_l t^(p |y|)]. This is a polynomial in t, for which
Gauss-Legendre quadrature with half as many nodes as its degree is exact. Each node costs one sum-product pass. The
degree grows with the size of the sets; the largest sizes, if all of them together have a negligible probability, need
not be integrated exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import Array, Floats
from setwise.inference.forests.arrays import Forests
from setwise.inference.forests.sizes import joint_sizes, size_moments

NEGLIGIBLE = 1e-13
"""Probability of the sizes that may be integrated inexactly."""
CHERNOFF = np.array([1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0])
"""Points t at which the bound on the sizes is computed; the best of them counts."""
LARGEST_TERM = 16
"""Other weights than fractions of whole numbers up to this one use the joint distribution of sizes."""
LANES = 8
"""Numbers of nodes are multiples of this, the width of the vector instructions."""


def size_bound(gate: Floats, forests: Forests) -> Array:
    """Bound the size of the sets, up to a probability of 1e-13.

    By Chernoff's bound, P(|y| > S) (S + 1) t^(S + 1) is at most E[|y| t^|y|], which one pass at t > 1 computes.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests

    Returns
    -------
    int array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> rare = Forests.of(np.full((1, 1, 500, 1), -7.0), np.full((1, 500), -1))
    >>> size_bound(np.ones((1, 1)), rare)
    array([14])
    """
    L = forests.logits.shape[2]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        grown = size_moments(gate, forests, CHERNOFF).sum(axis=1)
        above = (np.log(grown) - np.log(NEGLIGIBLE)) / np.log(CHERNOFF)
    above = np.where(np.isfinite(above), np.maximum(above, 0.0), L)
    return np.minimum(np.ceil(above.min(axis=1, initial=L)), L).astype(np.int64)


def reciprocal_moments(
    gate: Floats, forests: Forests, weight: float, offsets: Floats, largest: Array
) -> Floats:
    """Compute E[y_l / (weight |y| + offset)] for several offsets.

    Parameters
    ----------
    gate : ndarray of shape (n, K)
        Weights of the components.
    forests : Forests
    weight : float
    offsets : ndarray of shape (R,)
        Not negative.
    largest : ndarray of shape (n,)
        Size that no set exceeds.

    Returns
    -------
    ndarray of shape (n, L, R)

    Examples
    --------
    >>> import numpy as np
    >>> fair = Forests.of(np.zeros((1, 1, 2, 1)), [[-1, -1]])
    >>> reciprocal_moments(np.ones((1, 1)), fair, 1.0, np.array([0.0, 1.0]), np.array([2]))
    array([[[0.375     , 0.20833333],
            [0.375     , 0.20833333]]])
    """
    n, _, L, _ = forests.logits.shape
    ratio = _small_fraction(weight)
    if ratio is None or (offsets != np.floor(offsets)).any():
        sizes = np.arange(1, L + 1)[:, None]
        return np.asarray(joint_sizes(gate, forests)[:, :, 1:] @ (1.0 / (weight * sizes + offsets)))
    result = np.empty((n, L, len(offsets)))
    for rows, n_nodes in _blocks(ratio, offsets, largest, L):
        nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
        t = (nodes + 1.0) / 2.0
        values = size_moments(
            np.ascontiguousarray(gate[rows]), forests.take(rows), t ** float(ratio.numerator)
        )
        powers = (
            t[:, None] ** (ratio.denominator * offsets - 1.0) * (weights * ratio.denominator / 2.0)[:, None]
        )
        result[rows] = values @ powers
    return result


def _small_fraction(weight: float) -> Fraction | None:
    ratio = Fraction(weight).limit_denominator(LARGEST_TERM)
    return ratio if float(ratio) == weight and ratio.numerator <= LARGEST_TERM else None


def _blocks(ratio: Fraction, offsets: Floats, largest: Array, L: int) -> Iterator[tuple[Array, int]]:
    """Group rows that need about equally many nodes, in blocks that bound memory."""
    degree = ratio.numerator * largest + ratio.denominator * int(offsets.max(initial=0.0))
    n_nodes = (-(-(degree // 2 + 1) // LANES)) * LANES
    for count in np.unique(n_nodes):
        rows = np.flatnonzero(n_nodes == count)
        for block in row_slices(len(rows), int(count) * L):
            yield rows[block], int(count)
