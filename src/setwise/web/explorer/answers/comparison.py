"""Two models: where they disagree, which is right, and whether the difference is more than chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binomtest, ttest_1samp

from setwise.contract import FREE, Array, Bools, Floats
from setwise.web.explorer.answers.plain import number, set_of
from setwise.web.explorer.answers.slices import exact
from setwise.web.explorer.session import Session


def compare_models(session: Session, *, start: int = 0, stop: int = 100, right: str = "") -> dict[str, Any]:
    """The rows on which two models predict different sets, by the probability at stake."""
    first, second = (session.judged(number) for number in (0, 1))
    assert session.data.given is not None
    whole = (session.data.given != FREE).all(axis=1)
    hits = [exact(session, judged) for judged in (first, second)]
    differs = (first.judgement.suggested != second.judgement.suggested).any(axis=1)
    stake = session.once("stakes", lambda: stakes(session))
    rows = np.flatnonzero(differs & _outcome(hits, right))
    rows = rows[np.argsort(-stake[rows], kind="stable")]
    losses = [-judged.judgement.log_prob[whole] for judged in (first, second)]
    return {
        "total": len(rows),
        "start": start,
        "rows": [_line(session, int(row), stake[row], hits) for row in rows[start:stop]],
        "disagree": int(differs.sum()),
        "counts": {
            name: int((differs & _outcome(hits, name)).sum()) for name in ("first", "second", "neither")
        },
        "exact": [float(hit[whole].mean()) for hit in hits],
        "exact_p": mcnemar(hits[0][whole], hits[1][whole]),
        "log_loss": [number(loss[np.isfinite(loss)].mean()) for loss in losses],
        "log_loss_p": _paired(*losses),
    }


def stakes(session: Session) -> Floats:
    """How much probability the two models put on their own set rather than on the other's, (n,)."""
    first, second = (session.judged(number) for number in (0, 1))
    n = session.data.rows.n_rows
    stake = first.judgement.confidence + second.judgement.confidence
    for judged, other in ((first, second), (second, first)):
        for rows, joint in judged.models.joints(np.arange(n)):
            stake[rows] -= np.exp(joint.log_prob(other.judgement.suggested[rows]))
    return stake


def mcnemar(first: Bools, second: Bools) -> float | None:
    """The exact p-value of McNemar's test that both models are right equally often.

    Examples
    --------
    >>> import numpy as np
    >>> mcnemar(np.ones(6, dtype=bool), np.zeros(6, dtype=bool))
    0.03125
    """
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    if not only_first + only_second:
        return None
    return float(binomtest(only_first, only_first + only_second).pvalue)


def _paired(first: Floats, second: Floats) -> float | None:
    difference = (first - second)[np.isfinite(first) & np.isfinite(second)]
    if len(difference) < 2 or not difference.any():
        return None
    return number(ttest_1samp(difference, 0.0).pvalue)


def _outcome(hits: list[Bools], right: str) -> Array:
    if right == "first":
        return hits[0] & ~hits[1]
    if right == "second":
        return hits[1] & ~hits[0]
    return ~hits[0] & ~hits[1] if right == "neither" else np.ones_like(hits[0])


def _line(session: Session, row: int, stake: float, hits: list[Bools]) -> dict[str, Any]:
    judged = [session.judged(number).judgement for number in (0, 1)]
    given = session.given_set(row)
    assert given is not None
    return {
        "row": row,
        "summary": session.data.rows.summary(row),
        "stake": number(stake),
        "given": set_of(given),
        "sets": [set_of(one.suggested[row]) for one in judged],
        "probabilities": [number(one.confidence[row]) for one in judged],
        "right": [bool(hit[row]) for hit in hits],
    }
