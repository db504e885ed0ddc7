"""Shapley values of any model: features move from the baseline to the row one after another, in random orders."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import Array, Floats, Matrix
from setwise.kernels.matrices import from_cells, to_dense

PREDICTIONS = 4000
"""Rows that are predicted for an entry, roughly."""
MOST_ORDERS = 32

LogOdds = Callable[[Matrix, int], Floats]
"""Log-odds (m,) of the event of an entry in rows (m, d)."""


class SampledShapley(NamedTuple):
    """Contributions (m, d), and the log-odds (m,) of the baseline and of the rows."""

    contributions: Matrix
    base: Floats
    here: Floats
    error: Floats


def sampled_shapley(
    X: Matrix, baseline: Floats, log_odds: LogOdds, cells: int, predictions: int = PREDICTIONS
) -> SampledShapley:
    """Estimate the Shapley values of the features of each row of ``X`` (m, d).

    Each order of the features gives contributions that add up to the difference from the baseline. Orders come in
    pairs, one the reverse of the other, which cancels much of the noise. With at most four features all orders are
    used.

    Parameters
    ----------
    X : array or CSR of shape (m, d)
    baseline : array of shape (d,)
    log_odds : callable
        ``log_odds(rows, entry)`` computes the log-odds of the event of an entry in rows.
    cells : int
        Array entries that a row needs.
    predictions : int, default=4000
        Rows that are predicted for an entry, roughly: more of them lower the error.

    Returns
    -------
    SampledShapley
        ``error`` (m,) is the largest standard error of a contribution.
    """
    rng = np.random.default_rng(0)
    found, base, here, error = [], [], [], []
    for entry in range(X.shape[0]):
        row = to_dense(X[[entry]])[0]
        # A missing value differs from any other.
        moved = np.flatnonzero(~((row == baseline) | (np.isnan(row) & np.isnan(baseline))))
        orders = _orders(len(moved), predictions, rng)
        gains = np.zeros((len(orders), len(moved)))
        for place, order in enumerate(orders):
            values = _on_the_way(X, row, baseline, moved[order], log_odds, entry, cells)
            gains[place, order] = np.diff(values)
        found.append(dict(zip(moved.tolist(), gains.mean(axis=0).tolist())))
        base.append(values[0])
        here.append(values[-1])
        spread = gains.std(axis=0).max(initial=0.0) / max(len(orders) - 1, 1) ** 0.5
        error.append(0.0 if _is_complete(len(moved)) else spread)
    return SampledShapley(from_cells(found, X), np.array(base), np.array(here), np.array(error))


def _is_complete(n_features: int) -> bool:
    return n_features <= 4


def _orders(n_features: int, predictions: int, rng: np.random.Generator) -> list[Array]:
    if _is_complete(n_features):
        return _all_orders(n_features)
    pairs = int(np.clip(predictions // n_features // 2, 1, MOST_ORDERS // 2))
    drawn = [rng.permutation(n_features) for _ in range(pairs)]
    return [order for one in drawn for order in (one, one[::-1])]


def _all_orders(n: int) -> list[Array]:
    return [np.array(order, dtype=np.intp) for order in itertools.permutations(range(n))]


def _on_the_way(
    X: Matrix, row: Floats, baseline: Floats, order: Array, log_odds: LogOdds, entry: int, cells: int
) -> Floats:
    """Log-odds after each feature has moved, from the baseline to the row."""
    values = []
    n = len(order) + 1
    for steps in row_slices(n, max(cells, len(row))):
        count = range(n)[steps]
        hybrids = np.tile(baseline, (len(count), 1))
        for place, moved in enumerate(count):
            hybrids[place, order[:moved]] = row[order[:moved]]
        values.append(log_odds(hybrids, entry))
    return np.concatenate(values)
