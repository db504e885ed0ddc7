"""Fit the model again with the corrections, and say what that changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from setwise.contract import FREE, Array, Floats, Labels
from setwise.tables.labels.tag_tables import LabelTable
from setwise.web.explorer.corrections.journal import CorrectionJournal
from setwise.web.explorer.corrections.labels import corrected_labels
from setwise.web.explorer.held_out import HeldOut, Judgement, Progress, unfitted
from setwise.web.explorer.session import Session


@dataclass(frozen=True)
class Refit:
    """A model fitted to corrected labels, and what it changed."""

    model: Any
    report: dict[str, Any]


def refit(session: Session, journal: CorrectionJournal, progress: Progress) -> Refit:
    """Fit held-out models and a final one to the corrected labels; compare with those of the given labels.

    Both are measured against the corrected labels, on rows that they have not seen.
    """
    given = session.data.given
    assert given is not None
    corrected = corrected_labels(given, session.data.label_names, journal)
    old = session.judged().models
    new = session.hold_out(corrected, 0, lambda share: progress(0.6 * share))
    rows = session.data.rows
    model = clone(unfitted(session.model(0).estimator))
    model.fit(rows.features(np.arange(rows.n_rows)), LabelTable(corrected, session.data.label_names))
    progress(0.8)
    before, after = (_judged(models, corrected) for models in (old, new))
    changed = (given != corrected).any(axis=1)
    predictions = np.flatnonzero((before.suggested != after.suggested).any(axis=1))
    report = {
        "rows_corrected": int(changed.sum()),
        "labels_corrected": int((given != corrected).sum()),
        "predictions_changed": len(predictions),
        "rows": predictions[:200].tolist(),
        "scores": _scores(before, after, corrected),
    }
    return Refit(model, report)


def _judged(models: HeldOut, labels: Labels) -> Judgement:
    return models.judge(labels, lambda _: None)


def _scores(before: Judgement, after: Judgement, truth: Labels) -> list[dict[str, Any]]:
    """Mean scores before and after, with the standard error of the difference."""
    whole = (truth != FREE).all(axis=1)
    pairs = {
        "exact match": [(j.suggested == truth).all(axis=1).astype(float) for j in (before, after)],
        "label accuracy": [(j.suggested == truth).mean(axis=1) for j in (before, after)],
        "log-loss": [-j.log_prob for j in (before, after)],
    }
    return [_compared(name, *(values[whole] for values in both)) for name, both in pairs.items()]


def _compared(name: str, before: Floats, after: Array) -> dict[str, Any]:
    fine = np.isfinite(before) & np.isfinite(after)
    difference = after[fine] - before[fine]
    error = float(difference.std(ddof=1) / np.sqrt(len(difference))) if len(difference) > 1 else None
    return {
        "name": name,
        "before": float(before[fine].mean()),
        "after": float(after[fine].mean()),
        "difference": float(difference.mean()),
        "standard_error": error,
    }
