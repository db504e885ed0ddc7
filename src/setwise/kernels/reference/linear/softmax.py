"""The element-wise half of softmax regressions with soft targets."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats
from setwise.kernels.checks import check_array, check_output, check_parts, check_places


def softmax_step(
    z: Floats,
    d: Floats,
    t: Floats,
    targets: Floats,
    first: Array,
    which: Array,
    z_out: Floats,
    residual: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Losses (B,), curvature (C,) and slopes along ``d`` (B,) of B problems at the scores ``z + t d`` (n, C).

    Problem b has the columns ``first[b]`` to ``first[b + 1]`` and the step ``t[b]``; only the problems ``which``
    are evaluated, the others are zero. ``targets`` (n, C) are not negative; their row sums in a problem
    are its row weights. Writes the scores to ``z_out`` and w p - targets to ``residual``.
    """
    check_array("z", z, np.float64, (None, None))
    shape = z.shape
    check_array("d", d, np.float64, shape)
    check_array("t", t, np.float64, (None,))
    check_array("targets", targets, np.float64, shape)
    check_array("first", first, np.int32, (len(t) + 1,))
    check_parts("first", first, shape[1])
    check_array("which", which, np.int32, (None,))
    check_places("which", which, len(t))
    check_output("z_out", z_out, np.float64, shape)
    check_output("residual", residual, np.float64, shape)
    loss, curvature, slope = np.zeros(len(t)), np.zeros(z.shape[1]), np.zeros(len(t))
    for b in which:
        columns = slice(first[b], first[b + 1])
        s, h = z[:, columns] + t[b] * d[:, columns], targets[:, columns]
        weight = h.sum(axis=1, keepdims=True)
        log_p = s - logsumexp(s, axis=1, keepdims=True)
        p = np.exp(log_p)
        z_out[:, columns], residual[:, columns] = s, weight * p - h
        loss[b], curvature[columns] = -(h * log_p).sum(), (weight * p * (1.0 - p)).sum(axis=0)
        slope[b] = (residual[:, columns] * d[:, columns]).sum()
    return loss, curvature, slope
