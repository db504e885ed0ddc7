"""The element-wise half of many weighted logistic regressions."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats
from setwise.kernels.checks import FLOATS, check_array, check_at_least, check_output, check_places


def logistic_step(
    z: Array,
    d: Array,
    t: Floats,
    targets: Array,
    target: Array,
    weights: Array,
    weight: Array,
    z_out: Array,
    residual: Array,
) -> Floats:
    """Loss, curvature and slope along ``d`` (3, B) of every problem at the scores ``z + t d`` (n, B).

    Problem b has the targets ``targets[:, target[b]]`` and the weights ``weights[:, weight[b]]``, all one if
    ``weights`` has no column. A row with an unknown target (below zero) has weight 0. The scores are written to
    ``z_out``, w (p - y) to ``residual``.
    """
    check_array("z", z, FLOATS, (None, None))
    (n, B), kind = z.shape, z.dtype
    check_at_least("the number of problems (axis 1 of z)", B, 1)
    check_array("d", d, kind, (n, B))
    check_array("t", t, np.float64, (B,))
    check_array("targets", targets, kind, (n, None))
    check_array("weights", weights, kind, (n, None))
    _check_columns("target", target, targets, B)
    if weights.shape[1]:
        _check_columns("weight", weight, weights, B)
    check_output("z_out", z_out, kind, (n, B))
    check_output("residual", residual, kind, (n, B))
    s = z.astype(np.float64) + t * d
    y = targets[:, target]
    w = weights[:, weight] if weights.shape[1] else np.ones((len(z), 1))
    w = np.where(y < 0, 0.0, w)
    e = np.exp(-np.abs(s))
    inverse = 1.0 / (1.0 + e)
    z_out[...] = s
    residual[...] = w * (np.where(s < 0, e * inverse, inverse) - y)
    loss = w * (np.log1p(e) + np.maximum(s, 0.0) - y * s)
    return np.stack(
        [part.sum(axis=0) for part in (loss, w * e * inverse**2, residual.astype(np.float64) * d)]
    )


def _check_columns(name: str, index: Array, values: Array, n_problems: int) -> None:
    check_array(name, index, np.int32, (n_problems,))
    check_places(name, index, values.shape[1])
