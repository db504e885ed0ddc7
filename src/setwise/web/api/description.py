"""What a model takes and answers, as plain data."""

from __future__ import annotations

from typing import Any

from setwise.decisions import DECISIONS
from setwise.web.api.decisions import rules
from setwise.web.api.model import Model


def describe(model: Model) -> dict[str, Any]:
    """Describe a model: where it comes from, its labels, the columns it takes, the decisions it knows.

    Parameters
    ----------
    model : Model

    Returns
    -------
    dict

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from setwise import BinaryRelevance, save
    >>> from setwise.web.api import read_model
    >>> with TemporaryDirectory() as folder:
    ...     save(BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]]), f"{folder}/beach.setwise")
    ...     described = describe(read_model(f"{folder}/beach.setwise"))
    >>> described["labels"], described["input"]
    (['sand', 'sea'], {'rows': 'numbers', 'n_features': 1, 'columns': []})
    """
    final, about = model.parts.final, model.parts.about
    named, chosen = DECISIONS | final._own_decisions(), repr(final.rule())
    return {
        "name": model.name,
        "version": model.version,
        "estimator": about.estimator,
        "labels": model.labels,
        "min_labels": final.min_labels_,
        "decision": next((name for name, rule in named.items() if repr(rule) == chosen), chosen),
        "decisions": list(named),
        "rules": list(rules()),
        "input": _input(model),
        "training": _training(model),
        "written_by": about.written_by,
    }


def _input(model: Model) -> dict[str, Any]:
    reader = model.reader
    columns = [{"name": name, "kind": kind} for name, kind in reader.kinds().items()]
    if reader.takes_text:
        return {"rows": "texts", "n_features": None, "columns": []}
    form = "numbers" if reader.encoder is None else "table"
    return {"rows": form, "n_features": reader.n_features, "columns": columns}


def _training(model: Model) -> dict[str, Any] | None:
    notes = model.parts.training
    return None if notes is None else {"data": notes.data, "rows": notes.rows}
