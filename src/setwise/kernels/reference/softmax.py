"""The element-wise half of a softmax regression with soft targets."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Floats


def softmax_step(
    z: Floats, d: Floats, t: float, targets: Floats, z_out: Floats, residual: Floats
) -> tuple[float, Floats]:
    """Loss and curvature (K,) at the scores ``z + t d`` (n, K).

    ``targets`` (n, K) are not negative; their row sums are the row weights. Writes the scores to ``z_out``
    and w p - targets to ``residual``.
    """
    s = z + t * d
    weight = targets.sum(axis=1, keepdims=True)
    log_p = s - logsumexp(s, axis=1, keepdims=True)
    p = np.exp(log_p)
    z_out[...], residual[...] = s, weight * p - targets
    return float(-(targets * log_p).sum()), (weight * p * (1.0 - p)).sum(axis=0)
