"""What the page needs to know first: the data, the labels, the models."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import FREE
from setwise.nesting import last_step
from setwise.web.explorer.corrections import CorrectionJournal
from setwise.web.explorer.session import ExploredModel, Session

SHOWN_COLUMNS = 2000
"""Names of columns that the page gets."""


def overview(session: Session, journal: CorrectionJournal | None) -> dict[str, Any]:
    """Names and sizes of everything."""
    data = session.data
    return {
        "data": data.name,
        "path": str(data.path or ""),
        "tags": data.tags,
        "rows": data.rows.n_rows,
        "columns": data.rows.columns[:SHOWN_COLUMNS],
        "labels": data.label_names,
        "counts": None if data.given is None else (data.given == 1).sum(axis=0).tolist(),
        "unknown": 0 if data.given is None else int((data.given == FREE).sum()),
        "cardinality": None if data.given is None else float(np.mean((data.given == 1).sum(axis=1))),
        "models": [_model(model) for model in session.models],
        "folds": session.n_folds,
        "journal": "" if journal is None else str(journal.path),
    }


def _model(model: ExploredModel) -> dict[str, str]:
    inside = last_step(model.estimator)
    return {"name": model.name, "kind": type(inside).__name__, "path": model.path, "repr": repr(inside)[:400]}
