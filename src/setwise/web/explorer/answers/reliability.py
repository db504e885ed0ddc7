"""Reliability: whether sets and labels are right as often as the model says."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Floats
from setwise.web.explorer.answers.scores import interval
from setwise.web.explorer.answers.slices import exact
from setwise.web.explorer.session import Session

BINS = 10


def reliability(session: Session, rows: Array, model: int = 0) -> dict[str, Any]:
    """Predicted and observed frequencies in bins of equal width, for whole sets and for single labels."""
    judged, given = session.judged(model), session.data.given
    assert given is not None
    whole = rows[(given[rows] != FREE).all(axis=1)]
    right = exact(session, judged)[whole].astype(np.float64)
    known = given[rows] != FREE
    return {
        "sets": _bins(judged.judgement.confidence[whole], right),
        "labels": _bins(
            judged.judgement.marginals[rows][known].astype(float), given[rows][known].astype(float)
        ),
    }


def _bins(probability: Floats, outcome: Floats) -> list[dict[str, Any]]:
    place = np.minimum((probability * BINS).astype(int), BINS - 1)
    return [
        {
            "low": b / BINS,
            "high": (b + 1) / BINS,
            "n": int((place == b).sum()),
            "predicted": float(probability[place == b].mean()),
            "observed": interval(outcome[place == b]),
        }
        for b in range(BINS)
        if (place == b).any()
    ]
