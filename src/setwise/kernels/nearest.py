"""Nearest rows by brute force, in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from setwise.arrays import Array, Floats, Matrix
from setwise.blocks import row_slices
from setwise.kernels.matrices import dense_blocks, row_products, squared_lengths, to_dense, unit_rows

EUCLIDEAN = ("minkowski", "euclidean", "l2", "sqeuclidean")
"""Names of the Euclidean distance, which depends on the lengths of rows; all of them rank rows the same."""
BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
"""Distances that only depend on which values are zero."""
_CDIST = {
    **dict.fromkeys(("cityblock", "l1", "manhattan"), "cityblock"),
    **{name: name for name in ("braycurtis", "canberra", "chebyshev", "correlation", "hamming", *BOOLEAN)},
}
METRICS = (*EUCLIDEAN, "cosine", *_CDIST)
"""All distances with a name."""
FEW_COLUMNS = 15
"""Up to this many columns, differences are summed, which is exact; with more, products are many times faster."""
SAMPLE = 1024
"""Number of rows from which a first bound on the nearest distances is computed."""


def nearest_rows(
    X: Matrix, rows: Matrix, k: int, metric: str | Callable[..., Any] = "euclidean", *, others: bool = False
) -> Array:
    """Find the ``k`` nearest of some rows.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    rows : array or CSR of shape (m, d)
        The rows to search, at least ``k`` of them.
    k : int
    metric : str or callable
        One of ``METRICS``, or a function of two rows.
    others : bool
        Whether ``X`` is ``rows``, so that a row is not its own neighbour.

    Returns
    -------
    ndarray of shape (n, k)
        Indices of the rows, the nearest first; of equally near rows the first.

    Examples
    --------
    >>> import numpy as np
    >>> nearest_rows(np.array([[0.9]]), np.array([[0.0], [1.0], [3.0]]), 2)
    array([[1, 0]])
    """
    distances, exact = _distances(X, rows, metric)
    found = np.empty((X.shape[0], k), dtype=np.intp)
    for block in row_slices(X.shape[0], rows.shape[0]):
        distance = distances(block)
        if others:
            distance[np.arange(len(distance)), np.arange(block.start, block.stop)] = np.inf
        found[block] = _smallest(distance, k, None if exact is None else exact(block))
    return found


def check_metric(metric: Any) -> None:
    """Raise a ValueError unless a metric is known, or is a function."""
    if not callable(metric) and metric not in METRICS:
        raise ValueError(
            f"metric is {metric!r}; expected one of {', '.join(METRICS)}, or a function of two rows"
        )


class _Refinement(NamedTuple):
    """Error bound (b, 1) of the distances of a block, and a function that computes those of some pairs exactly."""

    error: Floats
    of_pairs: Callable[[Array, Array], Floats]


def _smallest(distance: Floats, k: int, refinement: _Refinement | None) -> Array:
    """Find the columns (n, k) of the smallest entries of each row, in increasing order.

    The k-th smallest of some columns bounds the k-th smallest of all, so that few entries need sorting.
    """
    n, m = distance.shape
    if np.isnan(distance.sum()):  # products of huge numbers overflow
        distance = np.where(np.isnan(distance), np.inf, distance)
    sample = distance[:, : max(SAMPLE, 16 * k)]
    bound = np.partition(sample, k - 1, axis=1)[:, k - 1 : k] if k < sample.shape[1] else np.inf
    at = np.flatnonzero(distance <= (bound if refinement is None else bound + refinement.error))
    row, column = np.divmod(at, m)
    value = distance.ravel()[at]
    if refinement is not None:
        value = np.where(value < np.inf, refinement.of_pairs(row, column), np.inf)
    order = np.lexsort((value, row))  # stable: equal entries stay in column order
    first = np.searchsorted(row, np.arange(n))
    return np.asarray(column[order[first[:, None] + np.arange(k)]])


Distances = Callable[[slice], Floats]
"""A function from a block of rows to their distances (b, m), up to an increasing transformation per row."""


def _distances(
    X: Matrix, rows: Matrix, metric: Any
) -> tuple[Distances, Callable[[slice], _Refinement] | None]:
    """The distances of a block, and a way to make them exact if they are not."""
    if metric == "cosine":
        return _by_products(unit_rows(X), unit_rows(rows), np.zeros(rows.shape[0])), None
    if isinstance(metric, str) and metric in EUCLIDEAN:
        half = squared_lengths(rows) / 2.0
        few = X.shape[1] <= FEW_COLUMNS
        return _by_products(X, rows, half), _summed_differences(X, rows, half) if few else None
    return _by_differences(X, rows, _CDIST[metric] if isinstance(metric, str) else metric), None


def _by_products(X: Matrix, rows: Matrix, half: Floats) -> Distances:
    """Compute |y|^2 / 2 - x y, which ranks the rows y like |x - y|."""

    def distances(block: slice) -> Floats:
        products = row_products(X[block], rows)
        return np.subtract(half, products, out=products)

    return distances


def _summed_differences(X: Matrix, rows: Matrix, half: Floats) -> Callable[[slice], _Refinement]:
    """Compute the squared distances of a few pairs without the rounding of products."""
    dense = to_dense(rows)
    longest = 2.0 * half.max(initial=0.0)

    def refine(block: slice) -> _Refinement:
        asked = to_dense(X[block])
        size = np.sqrt(squared_lengths(asked) * longest) + longest
        error = 4.0 * (X.shape[1] + 2) * np.finfo(np.float64).eps * size
        return _Refinement(error[:, None], lambda row, column: squared_lengths(asked[row] - dense[column]))

    return refine


def _by_differences(X: Matrix, rows: Matrix, metric: Any) -> Distances:
    form = np.bool_ if metric in BOOLEAN else np.float64

    def distances(block: slice) -> Floats:
        asked: Array = to_dense(X[block]).astype(form)
        parts = [cdist(asked, part.astype(form), metric) for _, part in dense_blocks(rows)]
        return np.hstack(parts)

    return distances
