"""Newton directions of many logistic regressions on sparse rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, cg

from setwise.contract import Array, Floats
from setwise.kernels.checks import FLOATS, check_array, check_at_least, check_between, check_places

KEPT = 0.99
"""Least share of the curvature in the rows that are kept."""
FAINT = 0.1
"""Curvature along a row, beside the penalty, with which it is kept in any case."""


def newton_directions(
    data: Array,
    indices: Array,
    indptr: Array,
    extra: Array,
    curvature: Array,
    gradient: Floats,
    mean: Floats,
    l2: Floats,
    own: Floats,
    value: Floats,
    allowed: Array,
    max_iter: int,
) -> Floats:
    """Solve for the Newton directions (D, B) of B problems by conjugate gradients on the rows of most curvature.

    The design has the columns of a CSR matrix (n, f) minus their ``mean`` (f,), and ``extra`` ones (n, m), ones first.
    ``curvature`` (n, B) are the second derivatives of the losses, ``own`` (B,) those of penalties on the intercepts. A
    direction is the more exact, the smaller the decrease it promises is beside the ``value`` (B,) of the objective. A
    problem only moves in the columns that are ``allowed`` (D, B); without rows, in all.
    """
    check_array("data", data, FLOATS, (None,))
    check_array("indptr", indptr, (np.int32, np.int64), (None,))
    check_array("extra", extra, data.dtype, (None, None))
    check_array("curvature", curvature, np.float32, (None, None))
    check_array("mean", mean, np.float64, (None,))
    check_at_least("the number of extra columns (axis 1)", extra.shape[1], 1)
    (n, B), f, D = curvature.shape, len(mean), len(mean) + extra.shape[1]
    check_array("extra", extra, data.dtype, (n, extra.shape[1]))
    check_array("indptr", indptr, indptr.dtype, (n + 1,))
    check_array("indices", indices, indptr.dtype, (len(data),))
    check_between("indptr", indptr, 0, len(data))
    if (np.diff(indptr) < 0).any():
        raise ValueError("indptr must rise")
    check_places("indices", indices, f)
    check_array("gradient", gradient, np.float64, (D, B))
    for name, array in (("l2", l2), ("own", own), ("value", value)):
        check_array(name, array, np.float64, (B,))
    check_array("allowed", allowed, np.uint8, (D if len(allowed) else 0, B))
    features = sp.csr_array((data, indices, indptr), shape=(n, f)).astype(np.float64)
    rows = sp.csr_array(sp.hstack([features, sp.csr_array(extra[:, 1:].astype(np.float64))]))
    centre = np.concatenate([mean, np.zeros(extra.shape[1] - 1)])
    free = allowed.astype(bool) if len(allowed) else np.ones((D, B), bool)
    square = max(1e-30, float(features.data @ features.data) / max(n, 1))
    others, ridge = np.arange(D) != f, np.maximum(l2, 1e-12)
    out = np.empty((D, B))
    for b in range(B):
        k, at_intercept = np.ascontiguousarray(curvature[:, b]), gradient[f, b]
        plain = np.where(free[others, b], gradient[others, b] + centre * at_intercept, 0.0)
        kept = _kept(k, FAINT * l2[b] / square)
        system = _System(
            rows[kept],
            k[kept].astype(np.float64),
            free[others, b],
            ridge[b],
            max(1e-12, k.sum(dtype=np.float64) + own[b]),
        )
        step = system.solve(plain, at_intercept, value[b], max_iter)
        out[others, b] = step
        out[f, b] = centre @ step - (at_intercept + system.a @ step) / system.q
    return out


def _kept(curvature: Array, faint: float) -> Array:
    """Find the rows of the largest curvatures, in whole halves of octaves."""
    bins = (curvature.view(np.uint32) & 0x7FFFFFFF) >> 22
    sums = np.bincount(bins, curvature.astype(np.float64), 512)[::-1]
    lowest = 511 - np.flatnonzero(np.cumsum(sums) >= KEPT * sums.sum())[0]
    faintest = int(np.float32(faint).view(np.uint32) & 0x7FFFFFFF) >> 22
    return np.flatnonzero(bins >= max(min(lowest, faintest), 1))


class _System:
    """The Hessian of some rows, from which the intercept of curvature ``q`` is eliminated."""

    def __init__(self, rows: sp.csr_array, curvature: Floats, free: Array, l2: float, q: float) -> None:
        self.rows, self.curvature, self.free, self.l2, self.q = rows, curvature, free, l2, q
        self.a = rows.T @ curvature
        self.scale = np.where(free, 1.0 / (l2 + rows.multiply(rows).T @ curvature), 0.0)

    def multiply(self, v: Floats) -> Floats:
        """Multiply the Hessian of the free columns by a vector."""
        v = np.where(self.free, v, 0.0)
        curved = self.rows.T @ (self.curvature * (self.rows @ v)) - self.a * (self.a @ v) / self.q
        return np.where(self.free, self.l2 * v + curved, 0.0)

    def solve(self, gradient: Floats, at_intercept: float, value: float, max_iter: int) -> Floats:
        """Find the step of the free columns."""
        right = np.where(self.free, self.a * at_intercept / self.q - gradient, 0.0)
        size, shape = float(right @ (self.scale * right)), (len(right), len(right))
        enough = np.sqrt(min(0.03, max(1e-8, size / max(value, 1e-6))))
        hessian = LinearOperator(shape, matvec=self.multiply, dtype=np.float64)
        divide = LinearOperator(shape, matvec=lambda v: self.scale * v, dtype=np.float64)
        return np.asarray(cg(hessian, right, rtol=float(enough), maxiter=max_iter, M=divide)[0])
