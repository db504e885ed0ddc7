"""Which features make labels probable in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from setwise.errors import InputError, Parameter
from setwise.web.api.evidence import PlainEvidence, check_labels, read_evidence
from setwise.web.api.model import Model
from setwise.web.api.plain import Answers, numbers
from setwise.web.api.rows import Row

MOST_ROWS = 100
"""Rows of one request: an explanation asks some models hundreds of times."""


def explain(
    model: Model,
    rows: Sequence[Row],
    *,
    evidence: PlainEvidence | None = None,
    target: str | Sequence[str] | None = None,
    whole_set: bool = False,
    by_column: bool = False,
    n_features: int = 10,
) -> Answers:
    """Answer what each feature adds to the log-odds of labels.

    Parameters
    ----------
    model : Model
    rows : list of rows
    evidence : mapping from labels to 0 or 1, optional
        The same for all rows: explains probabilities given these labels.
    target : label or list of labels, optional
        One label, or several that are on together. By default, each label that is predicted for a row.
    whole_set : bool, default=False
        Whether the set that is predicted for a row is explained as a whole.
    by_column : bool, default=False
        Whether the features of each column of a table are added up.
    n_features : int, default=10
        Features to list, the strongest first.

    Returns
    -------
    list of dict
        ``explanations``, each of a ``target``: its ``probability`` and ``log_odds``, the ``base`` log-odds of a typical
        row, the contributions of ``features``, the sum of all ``others``, and the ``method``.

    Examples
    --------
    >>> from setwise.web.api.examples import beach
    >>> explain(beach(), [[0.0]], target=["sand"])[0]["explanations"][0]["features"][0]["feature"]
    'x0'
    """
    target = [target] if isinstance(target, str) else target
    _check(rows, evidence, target, whole_set, n_features)
    check_labels(target or [], model.labels)
    X = model.features(rows)
    known = read_evidence(evidence, model.labels, len(rows))
    given = None if known is None else {name: int(v) for name, v in zip(model.labels, known[0]) if v >= 0}
    wanted = model.parts.final.decide(X).labels if whole_set else None if target is None else tuple(target)
    why = model.parts.final.explain(X, wanted, given=given)
    why.feature_names, why.columns = model.feature_origins
    numbers(np.column_stack([why.log_odds, why.base]), "explanation")
    why = why.by_column() if by_column else why
    answers: Answers = [{"explanations": []} for _ in rows]
    for entry in why.to_dict(n_features):
        answers[entry.pop("row")]["explanations"].append(entry | {"method": why.method})
    return answers


def _check(rows: Sequence[Row], evidence: Any, target: Any, whole_set: bool, n_features: int) -> None:
    if len(rows) > MOST_ROWS:
        raise InputError(f"{len(rows)} rows; at most {MOST_ROWS} are explained at once")
    if evidence is not None and not isinstance(evidence, Mapping):
        raise InputError("expected one object for all rows", parameter="evidence")
    if whole_set and target is not None:
        raise InputError("expected either a target or the whole set", parameter="target")
    if target is not None and not target:
        raise InputError("expected at least one label", parameter="target")
    if not 1 <= n_features <= 10_000:
        raise InputError("expected a number from 1 to 10000", parameter=Parameter("n_features", n_features))
