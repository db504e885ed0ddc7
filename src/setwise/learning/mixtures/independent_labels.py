"""What experts with independent labels share, whatever their learner."""

from __future__ import annotations

import numpy as np

from setwise.arrays import FREE, Array, Floats
from setwise.inference.forests.arrays import ROOT


def log_bernoulli(y: Array, logits: Floats) -> Floats:
    """Compute the log-probability of labels from their logits; zero for unknown labels.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log_bernoulli(np.array([1, 0, -1]), np.log([3.0, 3.0, 3.0])))
    array([0.75, 0.25, 1.  ])
    """
    signed = np.where(y == 1, logits, -logits)
    return np.where(y == FREE, 0.0, np.minimum(signed, 0.0) - np.log1p(np.exp(-np.abs(signed))))


def no_parents(n_components: int, n_labels: int) -> Array:
    """Make the parents (K, L) of labels that are independent in each component."""
    return np.full((n_components, n_labels), ROOT, dtype=np.int32)
