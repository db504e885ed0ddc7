"""The labels of the data: how often they occur, how many a row has, and which go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.errors import InputError
from setwise.web.explorer.answers.plain import number, numbers
from setwise.web.explorer.session import NotReady, Session

SHOWN = 40
"""Labels of the matrix, the most frequent."""
PAIRS = 60
"""Pairs in the list, the strongest."""


def label_figures(session: Session, rows: Array, model: int = 0) -> dict[str, Any]:
    """Frequencies, sizes and pairs of labels in some rows."""
    if session.data.given is None:
        raise InputError("the rows have no labels")
    on = session.data.given[rows] == 1
    sizes = np.bincount(on.sum(axis=1), minlength=1)
    sets, times = np.unique(on, axis=0, return_counts=True)
    most = np.argsort(-times, kind="stable")[:20]
    return {
        "rows": len(rows),
        "frequencies": on.mean(axis=0).tolist() if len(rows) else [0.0] * on.shape[1],
        "sizes": sizes.tolist(),
        "distinct": len(sets),
        "sets": [{"labels": np.flatnonzero(sets[s]).tolist(), "count": int(times[s])} for s in most],
        "pairs": _pairs(on, _residual(session, rows, model)),
    }


def _residual(session: Session, rows: Array, model: int) -> Floats | None:
    """Correlations (L, L) of what the held-out models leave unexplained, None before they have judged."""
    try:
        marginals = session.judged(model).judgement.marginals[rows]
    except NotReady:
        return None
    assert session.data.given is not None
    return correlation((session.data.given[rows] == 1) - marginals.astype(np.float64))


def correlation(values: Floats) -> Floats:
    """Correlations (L, L) of the columns; 0 with a column that does not vary."""
    if len(values) < 2:
        return np.zeros((values.shape[1], values.shape[1]))
    centred = values - values.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    scaled = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    return scaled.T @ scaled


def _pairs(on: Bools, residual: Floats | None) -> dict[str, Any]:
    together = correlation(on.astype(np.float64))
    shown = np.argsort(-on.sum(axis=0), kind="stable")[:SHOWN]
    i, j = np.triu_indices(on.shape[1], 1)
    strongest = np.argsort(-np.abs(together[i, j]), kind="stable")[:PAIRS]
    count = on.astype(np.float64).T @ on.astype(np.float64)
    return {
        "shown": shown.tolist(),
        "data": [numbers(row) for row in together[np.ix_(shown, shown)]],
        "given_x": None if residual is None else [numbers(row) for row in residual[np.ix_(shown, shown)]],
        "strongest": [
            {
                "labels": [int(i[p]), int(j[p])],
                "together": int(count[i[p], j[p]]),
                "data": number(together[i[p], j[p]]),
                "given_x": None if residual is None else number(residual[i[p], j[p]]),
            }
            for p in strongest
        ],
    }
