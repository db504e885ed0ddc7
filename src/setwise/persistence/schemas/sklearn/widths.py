"""Limits on the number of columns that the steps of a pipeline make, which may cost nothing in a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import Limits
from setwise.persistence.records import Record
from setwise.persistence.schemas.sklearn.encoders import n_places
from setwise.persistence.schemas.sklearn.numbers import n_monomials

MOST_PARTS = 20
"""Features that a date becomes at most, or a flag and a number."""
NOMINAL = 1024
"""Number of columns assumed if it is unknown."""


def widest(step: Any, width: int | None, limits: Limits) -> int:
    """Maximum number of columns that a fitted step makes of rows with ``width`` columns (None if unknown).

    Raises a ModelFileError if they, or those of a step inside, are more than the size of the file allows.
    """
    if not isinstance(step, Record):
        return 0 if step == "drop" else _known(None, width)
    columns = _WIDTHS.get(step.short, _same)(step, width, limits)
    limit = limits.cells // 4
    if columns > limit:
        raise ModelFileError(
            f"{step.short} makes {columns} columns; at most {limit} are allowed in a file of this size"
        )
    return columns


def _known(step: Record | None, width: int | None) -> int:
    """Number of columns that a step was fitted to, or that it receives."""
    own = None if step is None else step.state.get("n_features_in_")
    return own if isinstance(own, int) else NOMINAL if width is None else width


def _same(step: Record, width: int | None, limits: Limits) -> int:
    return _known(step, width)


def _pipeline(step: Record, width: int | None, limits: Limits) -> int:
    for _, inner in step.parameters["steps"]:
        width = widest(inner, width, limits)
    return _known(None, width)


def _union(step: Record, width: int | None, limits: Limits) -> int:
    return sum(widest(inner, width, limits) for _, inner in step.parameters["transformer_list"])


def _columns(step: Record, width: int | None, limits: Limits) -> int:
    known = step.state["_transformer_to_input_indices"]
    return sum(widest(inner, len(known[name]), limits) for name, inner, _ in step.state["transformers_"])


def _monomials(step: Record, width: int | None, limits: Limits) -> int:
    degree = step.parameters.get("degree", 2)
    return n_monomials(
        step.parameters, _known(step, width), 0, degree if isinstance(degree, int) else degree[1]
    )


def _one_hot(step: Record, width: int | None, limits: Limits) -> int:
    return sum(n_places(step.state["categories_"], step.state.get("_infrequent_indices")))


def _twice(step: Record, width: int | None, limits: Limits) -> int:
    """An imputer may add columns that mark missing values."""
    return 2 * _known(step, width)


def _table(step: Record, width: int | None, limits: Limits) -> int:
    return sum(_column(column, limits) for column in step.state["columns_"].values())


def _column(column: Record, limits: Limits) -> int:
    """The most features that a column of a table becomes."""
    state = column.state
    found = [state.get(name) for name in ("words", "characters", "hashed", "values", "center")]
    parts = sum(widest(part, None, limits) for part in found if isinstance(part, Record))
    return parts + sum(len(part) for part in found if isinstance(part, (tuple, np.ndarray))) + MOST_PARTS


_WIDTHS: dict[str, Callable[[Record, int | None, Limits], int]] = {
    "ColumnTransformer": _columns,
    "CountVectorizer": lambda step, width, limits: len(step.state["vocabulary_"]),
    "FeatureUnion": _union,
    "HashingVectorizer": lambda step, width, limits: int(step.parameters.get("n_features", 2**20)),
    "OneHotEncoder": _one_hot,
    "Pipeline": _pipeline,
    "SetPipeline": _pipeline,
    "TableEncoder": _table,
    "PolynomialFeatures": _monomials,
    "SimpleImputer": _twice,
    "TfidfVectorizer": lambda step, width, limits: len(step.state["vocabulary_"]),
}
"""Steps that change the number of columns."""
