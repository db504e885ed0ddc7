"""The checks of label sets passed to metrics: rows of 0 and 1, dense or sparse; true labels may be unknown."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from setwise.contract import FREE, Array, Floats, column_names, in_order
from setwise.kernels.matrices import as_matrix, share_storage, stored_values, to_dense


class Pair(NamedTuple):
    """True and predicted label sets, bool (n, L), and which true labels are known, None if all are.

    Unknown labels are off in both sets, so they count in no sum over true or predicted labels.
    """

    truth: Any
    prediction: Any
    known: Array | None

    def unknown_rows(self) -> Array | None:
        """Whether each row (n,) has no known label; None if all labels are known."""
        return None if self.known is None else np.asarray(~self.known.any(axis=1))


def check_label_sets(Y: Any, name: str) -> Any:
    """Convert complete label sets (n, L) to a boolean array or CSR array; an error names the first bad cell."""
    Y = _check_shape(Y, name)
    cells = stored_values(Y)
    if cells.dtype != bool and not np.isin(cells, (0, 1)).all():
        raise ValueError(_complaint(Y, name))
    return Y.astype(bool)


def check_known(Y: Any, name: str) -> tuple[Any, Array | None]:
    """Convert label sets to booleans, off if unknown (-1 or NaN), and say which are known, None if all are."""
    Y = _check_shape(Y, name)
    unknown = _unknown(stored_values(Y))
    if not unknown.any():
        return check_label_sets(Y, name), None
    Y = to_dense(Y)
    unknown = _unknown(Y)
    return check_label_sets(np.where(unknown, 0, Y), name), ~unknown


def check_pair(Y_true: Any, Y_pred: Any) -> Pair:
    """Convert both to boolean label sets of the same shape, sparse only if both are.

    The columns of two DataFrames are matched by name. A single column becomes dense, because scikit-learn treats it as
    a binary target, which must not be sparse.
    """
    Y_pred = in_order(Y_pred, column_names(Y_true), "Y_pred")
    truth, known = check_known(Y_true, "Y_true")
    prediction = check_label_sets(Y_pred, "Y_pred")
    if truth.shape != prediction.shape:
        raise ValueError(f"Y_true has shape {truth.shape} but Y_pred has shape {prediction.shape}")
    if known is not None:
        if not known.any():
            raise ValueError("Y_true has no known label")
        return Pair(truth, to_dense(prediction) & known, known)
    if truth.shape[1] == 1:
        return Pair(to_dense(truth), to_dense(prediction), None)
    return Pair(*share_storage(truth, prediction), None)


def mean_of_rows(values: Floats, sample_weight: npt.ArrayLike | None) -> float:
    """Mean or weighted mean of the values (n,) of the rows; those without a known label are NaN and do not count."""
    judged = ~np.isnan(values)
    if sample_weight is None:
        return float(values[judged].mean())
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != values.shape or not (weight >= 0).all() or not weight.any():
        raise ValueError(f"sample_weight must be {values.size} weights of at least 0, not all of them 0")
    counted = judged & (weight > 0)  # a row of weight 0 is ignored, even if its loss is infinite
    if not counted.any():
        raise ValueError("sample_weight is 0 in every row that has a known label")
    return float(np.average(values[counted], weights=weight[counted]))


def _check_shape(Y: Any, name: str) -> Any:
    Y = as_matrix(Y)
    if Y.ndim != 2:
        raise ValueError(f"{name} has shape {Y.shape}; expected label sets, (n, L)")
    if 0 in Y.shape:
        raise ValueError(f"{name} has shape {Y.shape}; a metric needs at least one row and one label")
    return Y


def _unknown(cells: Array) -> Array:
    if cells.dtype.kind not in "if":
        return np.zeros(cells.shape, dtype=np.bool_)
    return np.asarray((cells == FREE) | (np.isnan(cells) if cells.dtype.kind == "f" else False))


def _complaint(Y: Any, name: str) -> str:
    Y = to_dense(Y)
    row, label = np.argwhere(~np.isin(Y, (0, 1)))[0]
    value = Y[row, label]
    reason = "unknown, but only true labels may be" if value == FREE else "expected 0 or 1"
    return f"{name}[{row}, {label}] is {value!s}: {reason}"
