"""Decoding of output codes: predicted code words and single labels together make a pairwise field."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.arrays import Floats


class CodeField(NamedTuple):
    """Potentials of the labels, ``unary`` (n, L), and of their pairs, ``coupling`` (L, L) with a zero diagonal."""

    unary: Floats
    coupling: Floats


def code_field(
    codes: Floats, deviations: Floats, predicted: Floats, logits: Floats, decoding: float
) -> CodeField:
    """Expand  -1/2 sum_k ((code_k' y - code_k' m) / deviation_k)^2 + decoding sum_l y_l logit_l  in the labels.

    Parameters
    ----------
    codes : ndarray of shape (L, k)
    deviations : ndarray of shape (k,)
    predicted : ndarray of shape (n, L)
        Predictions m of the labels by regression; those of the code words are ``predicted @ codes``.
    logits : ndarray of shape (n, L)
        Of the single labels.
    decoding : float
        Weight of the single labels.

    Returns
    -------
    CodeField

    Examples
    --------
    >>> import numpy as np
    >>> field = code_field(np.eye(2), np.ones(2), np.array([[0.8, 0.1]]), np.zeros((1, 2)), 1.0)
    >>> field.unary
    array([[ 0.3, -0.4]])
    """
    precision = (codes / deviations**2) @ codes.T
    own = np.diag(precision)
    unary = predicted @ precision - 0.5 * own + decoding * logits
    return CodeField(unary, np.diag(own) - precision)
