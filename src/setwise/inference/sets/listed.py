"""Distributions over a list of sets: which sets agree with evidence, and its probability."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.arrays import Bools, Floats, Labels


def agreement(sets: Labels, evidence: Labels) -> Bools:
    """Check which sets agree with which evidence.

    Parameters
    ----------
    sets : ndarray of shape (m, L)
        Complete label sets.
    evidence : ndarray of shape (n, L)
        0, 1, or :data:`FREE`, which agrees with both.

    Returns
    -------
    bool array of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> agreement(np.array([[0, 1], [1, 1]]), np.array([[1, -1], [-1, -1]]))
    array([[False,  True],
           [ True,  True]])
    """
    on = sets.T.astype(np.float32)
    conflicts = (evidence == 1).astype(np.float32) @ (1 - on) + (evidence == 0).astype(np.float32) @ on
    return np.asarray(conflicts == 0)


def log_evidence(log_probs: Floats, sets: Labels, evidence: Labels) -> Floats:
    """Compute the log-probability (n,) of evidence (n, L) from those (n, m) of listed ``sets`` (m, L).

    Examples
    --------
    >>> import numpy as np
    >>> sets, evidence = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[-1, 1]])
    >>> np.exp(log_evidence(np.log([[0.2, 0.3, 0.5]]), sets, evidence))
    array([0.5])
    """
    given = np.where(agreement(sets, evidence), log_probs, -np.inf)
    return np.asarray(logsumexp(given, axis=1))
