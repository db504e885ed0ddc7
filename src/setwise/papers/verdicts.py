"""Whether a number of ours is better than, level with or worse than the printed one."""

from __future__ import annotations

from typing import Literal

import numpy as np

from setwise.evaluation.protocol import LOSSES, Estimate
from setwise.papers.printed import Printed

Verdict = Literal["better", "level", "worse", "open", "not run", "not built", "no data", "failed", "-"]

UNJUDGED = frozenset({"fit_seconds", "predict_seconds", "cardinality"})
"""Measures without a verdict: times depend on the machine, and a larger or smaller cardinality is not better."""


def judge(printed: Printed, ours: Estimate) -> Verdict:
    """Compare a number of ours with the printed one.

    Parameters
    ----------
    printed : Printed
        The paper's number.
    ours : Estimate
        Our mean and its standard error.

    Returns
    -------
    str
        ``"better"`` or ``"worse"`` only beyond two standard errors of ours, otherwise ``"level"``. Without a standard
        error the verdict is ``"open"``, unless our mean is infinite: that is worse.

    Examples
    --------
    >>> judge(Printed("Table 2", "emotions", "BR", "exact_match", 0.265), Estimate(0.25, 0.01, 10))
    'level'
    >>> judge(Printed("Table 3", "emotions", "BR", "cll_loss", 153.5), Estimate(160.0, 2.0, 10))
    'worse'
    """
    if printed.measure in UNJUDGED or np.isnan(printed.value):
        return "-"
    sign = -1.0 if printed.measure in LOSSES else 1.0
    advantage = sign * (ours.mean - printed.value)
    if np.isnan(ours.standard_error):
        return "open" if np.isfinite(ours.mean) else "worse"
    if abs(advantage) <= 2.0 * ours.standard_error:
        return "level"
    return "better" if advantage > 0 else "worse"
