"""The distribution of a sum of independent counts without one of them."""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats


def totals_without(counts: Floats) -> Floats:
    """Distribution of the sum of all other counts, for each of several independent counts.

    The Fourier transform of a sum is the product of the transforms. Products without one factor come from the products
    of all factors before and after it, so nothing is divided by zero.

    Parameters
    ----------
    counts : ndarray of shape (..., m, s)
        Probabilities that each of the m counts is 0..s - 1.

    Returns
    -------
    ndarray of shape (..., m, (m - 1) (s - 1) + 1)

    Examples
    --------
    >>> import numpy as np
    >>> totals_without(np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])).round(6)
    array([[0.  , 0.5 , 0.5 ],
           [0.  , 0.5 , 0.5 ],
           [0.25, 0.5 , 0.25]])
    """
    m, s = counts.shape[-2:]
    length = (m - 1) * (s - 1) + 1
    parts = np.fft.rfft(counts, max(length, s), axis=-1)
    ones = np.ones_like(parts[..., :1, :])
    before = np.cumprod(np.concatenate([ones, parts[..., :-1, :]], axis=-2), axis=-2)
    after = np.cumprod(np.concatenate([ones, parts[..., :0:-1, :]], axis=-2), axis=-2)[..., ::-1, :]
    totals = np.fft.irfft(before * after, max(length, s), axis=-1)[..., :length]
    return np.asarray(np.maximum(totals, 0.0))
