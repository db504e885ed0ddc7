"""Brute force over all 2^L label sets: exact for any joint with ``log_probs_of``, and the oracle of the tests."""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats, Joint, Labels
from setwise.limits import LISTED_LABELS


def label_sets(n_labels: int) -> Labels:
    """List all label sets, counting up with the first label as the highest bit.

    Parameters
    ----------
    n_labels : int
        At most :data:`setwise.limits.LISTED_LABELS`; more raise a ValueError.

    Returns
    -------
    ndarray of int8 of shape (2^L, L)

    Examples
    --------
    >>> label_sets(2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]], dtype=int8)
    """
    if n_labels > LISTED_LABELS:
        raise ValueError(
            f"all 2^{n_labels} label sets are out of reach; at most {LISTED_LABELS} labels can be enumerated"
        )
    numbers = np.arange(2**n_labels)[:, None]
    return ((numbers >> np.arange(n_labels)[::-1]) & 1).astype(np.int8)


def all_log_probs(distribution: Joint) -> Floats:
    """Compute the log-probability of every label set.

    Parameters
    ----------
    distribution : Joint
        Of n rows and L labels.

    Returns
    -------
    ndarray of shape (n, 2^L)
        In the order of :func:`label_sets`.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> np.exp(all_log_probs(ForestMixture.independent(np.zeros((1, 2)))))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    return distribution.log_probs_of(label_sets(distribution.n_labels))
