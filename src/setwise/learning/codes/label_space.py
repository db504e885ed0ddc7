"""Linear label spaces: a few directions of the label vectors that keep most of what the features can predict.

With centred labels Y and ridge regressions of all labels on the features, whose fitted values are F = H Y, PLST takes
the directions of most variance, the eigenvectors of Y' Y (Tai and Lin, 2012). CPLST also asks that they be predictable
and takes those of Y' F (Chen and Lin, 2012). Ridge regression is linear in its target, so regressing the codes Y V and
decoding by V' projects the scores of all labels: F V V'.
"""

from __future__ import annotations

import numpy as np

from setwise.arrays import Floats


def directions(Y: Floats, fitted: Floats, weights: Floats, *, conditional: bool) -> Floats:
    """Find all directions (L, L) of the label space, the most important first, one per column.

    Parameters
    ----------
    Y : ndarray of shape (n, L)
        Centred labels.
    fitted : ndarray of shape (n, L)
        Centred fitted values of the labels.
    weights : ndarray of shape (n,)
    conditional : bool
        CPLST instead of PLST.

    Returns
    -------
    ndarray of shape (L, L)

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[1.0, 1.0, 0.1], [-1.0, -1.0, -0.1]])
    >>> abs(directions(Y, Y, np.ones(2), conditional=False)[:, 0]).round(2)
    array([0.71, 0.71, 0.07])
    """
    product = Y.T @ (weights[:, None] * (fitted if conditional else Y))
    values, vectors = np.linalg.eigh(0.5 * (product + product.T))
    return np.ascontiguousarray(vectors[:, np.argsort(-values, kind="stable")])


def projection_errors(Y: Floats, scores: Floats, vectors: Floats, weights: Floats) -> Floats:
    """Compute the squared error (L,) of the scores projected to the first 1..L directions.

    Parameters
    ----------
    Y : ndarray of shape (n, L)
        Centred labels.
    scores : ndarray of shape (n, L)
        Centred scores of rows that the regressions have not seen.
    vectors : ndarray of shape (L, L)
    weights : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (L,)
    """
    codes, predicted = Y @ vectors, scores @ vectors
    # Each direction that is kept replaces the variance of its code by the error of its prediction.
    gain = weights @ ((codes - predicted) ** 2 - codes**2)
    return float(weights @ (Y**2).sum(axis=1)) + np.cumsum(gain)
