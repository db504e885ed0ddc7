"""Scores of predicted sets on rows, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import FREE, Array, Floats
from setwise.metrics import instance_scores
from setwise.web.explorer.answers.plain import number
from setwise.web.explorer.session import Session

Z = 1.96
"""Standard errors on both sides of a 95 % interval."""


def slice_scores(session: Session, rows: Array, model: int = 0) -> dict[str, Any]:
    """Mean scores on some rows and on all rows, by models that have not seen them."""
    judgement, given = session.judged(model).judgement, session.data.given
    assert given is not None
    whole = (given != FREE).all(axis=1)
    judged_rows = np.flatnonzero(whole)
    truth, answers = given[judged_rows], judgement.suggested[judged_rows]
    per_row = {
        "exact match": (truth == answers).all(axis=1).astype(np.float64),
        "F1": instance_scores(truth, answers).f1,
        "label accuracy": (truth == answers).mean(axis=1),
        "log-loss": -judgement.log_prob[judged_rows],
    }
    chosen = np.isin(judged_rows, rows)
    return {
        "rows": len(rows),
        "scores": [
            {"name": name, "slice": interval(values[chosen], share), "all": interval(values, share)}
            for name, values in per_row.items()
            for share in [name != "log-loss"]
        ],
    }


def interval(values: Floats, share: bool = False) -> dict[str, float | None]:
    """The mean with a 95 % interval: Wilson's for yes and no, else by the standard error; a share is from 0 to 1."""
    values = values[np.isfinite(values)]
    n = len(values)
    if not n:
        return {"mean": None, "low": None, "high": None}
    mean = float(values.mean())
    if np.isin(values, (0.0, 1.0)).all():
        centre = (mean + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z * np.sqrt(mean * (1 - mean) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
        return {"mean": mean, "low": number(centre - half), "high": number(centre + half)}
    half = Z * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    low, high = np.clip([mean - half, mean + half], *((0.0, 1.0) if share else (-np.inf, np.inf)))
    return {"mean": mean, "low": number(low), "high": number(high)}
