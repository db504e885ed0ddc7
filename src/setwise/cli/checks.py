"""Checks for values that a model does not accept; errors name row and column."""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE
from setwise.datasets import Dataset
from setwise.errors import InputError
from setwise.kernels.matrices import first_cell, stored_values

FOR_MISSING = "fill it in, leave the row out, or fit the model to rows of which some have missing values"
"""What to do about a missing feature that a model cannot take."""


def check_labels(data: Dataset, where: str, hint: str = "leave the row out") -> None:
    """Raise an InputError if a label is unknown, with what to do about it."""
    unknown = stored_values(data.Y) == FREE
    if unknown.any():
        row, column = first_cell(data.Y, unknown)
        label = data.label_names[column]
        raise InputError(
            f"label {label!r} of row {row} is unknown", file=where, row=row, label=label, hint=hint
        )


def check_features(data: Dataset, where: str, *, allow_nan: bool) -> None:
    """Raise an InputError if a feature is infinite, or missing and that is not allowed."""
    values = stored_values(data.X)
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if bad.any():
        row, column = first_cell(data.X, bad)
        name, missing = data.feature_names[column], np.isnan(data.X[row, column])
        what = "missing, which the model does not accept" if missing else "infinite"
        raise InputError(
            f"feature {name!r} of row {row} is {what}",
            file=where,
            row=row,
            column=name,
            hint=FOR_MISSING if missing else "",
        )
