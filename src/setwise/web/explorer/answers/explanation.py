"""Why a label or a whole set is probable in a row: what each word or column adds to its log-odds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from setwise.contract import FREE, Floats, Labels, NotTractable
from setwise.kernels.matrices import to_dense
from setwise.nesting import opened
from setwise.web.explorer.answers.plain import if_tractable, number
from setwise.web.explorer.answers.row import known_labels
from setwise.web.explorer.session import Session

SHOWN = 14
"""Contributions that are listed, the largest first."""
PIECE = re.compile(r"^(.*): …[^…]*…$", re.DOTALL)
"""The name of a feature that counts a piece of words in a column of text."""


def explain_row(
    session: Session,
    row: int,
    *,
    label: int | None = None,
    labels: Sequence[int] | None = None,
    model: int = 0,
    evidence: Mapping[int, int] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Contributions to a label, or to the set of exactly these ``labels``, given what is known."""
    session.check_row(row)
    n_labels = len(session.data.label_names)
    target = np.full(n_labels, FREE, dtype=np.int8)
    if labels is not None:
        target = known_labels({j: int(j in labels) for j in range(n_labels)}, n_labels)
    elif label is not None:
        target = known_labels({label: 1}, n_labels)
    return dict(if_tractable(lambda: _explained(session, row, target, model, evidence or {}, changes or {})))


def _explained(
    session: Session,
    row: int,
    target: Labels,
    model: int,
    evidence: Mapping[int, int],
    changes: Mapping[str, Any],
) -> dict[str, Any]:
    estimator, rows = session.model(model).estimator, session.data.rows
    one = rows.changed(row, changes) if changes else rows.features(np.array([row]))
    inside, features = opened(estimator, one)
    if not hasattr(inside, "explain"):
        raise NotTractable(f"{type(inside).__name__} cannot be explained")
    known = {label: value for label, value in evidence.items() if target[label] == FREE}
    why = inside.explain(features, target[None], given=known or None)
    contributions = np.asarray(to_dense(why.contributions))[0]
    values = np.asarray(to_dense(why.values))[0]
    names = _feature_names(session, estimator, len(contributions))
    names, values, contributions = _as_read(names, values, contributions)
    order = np.argsort(-np.abs(contributions), kind="stable")[:SHOWN]
    return {
        "target": why.targets[0],
        "base": number(why.base[0]),
        "log_odds": number(why.log_odds[0]),
        "method": why.method,
        "features": [
            {"name": names[j], "value": number(values[j]), "contribution": number(contributions[j])}
            for j in order
        ],
        "others": number(contributions.sum() - contributions[order].sum()),
    }


def _as_read(names: list[str], values: Floats, contributions: Floats) -> tuple[list[str], Floats, Floats]:
    """What a reader can make sense of: the features that contribute, with the pieces of words of a column added up."""
    there = np.flatnonzero(contributions)
    read = [PIECE.sub(r"\1: parts of words", names[j]) for j in there]
    own, first, place, size = np.unique(
        np.array(read, dtype=object), return_index=True, return_inverse=True, return_counts=True
    )
    summed = np.zeros(len(own))
    np.add.at(summed, place, contributions[there])
    return own.tolist(), np.where(size == 1, values[there[first]], np.nan), summed


def _feature_names(session: Session, estimator: Any, n_features: int) -> list[str]:
    """Names of the features that the classifier sees."""
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        return [str(name) for name in estimator[:-1].get_feature_names_out()]
    names = session.data.rows.feature_names()
    return names if len(names) == n_features else [f"x{j}" for j in range(n_features)]
