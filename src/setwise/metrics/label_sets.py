"""The checks of label sets passed to metrics: complete rows of 0 and 1, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import FREE, Floats, column_names, in_order
from setwise.kernels.matrices import as_matrix, share_storage, stored_values, to_dense


def check_label_sets(Y: Any, name: str) -> Any:
    """Convert label sets (n, L) to a boolean array or CSR array; an error names the first bad cell."""
    Y = as_matrix(Y)
    if Y.ndim != 2:
        raise ValueError(f"{name} has shape {Y.shape}; expected label sets, (n, L)")
    if 0 in Y.shape:
        raise ValueError(f"{name} has shape {Y.shape}; a metric needs at least one row and one label")
    cells = stored_values(Y)
    if cells.dtype != bool and not np.isin(cells, (0, 1)).all():
        raise ValueError(_complaint(Y, name))
    return Y.astype(bool)


def check_pair(Y_true: Any, Y_pred: Any) -> tuple[Any, Any]:
    """Convert both to boolean label sets of the same shape, sparse only if both are.

    The columns of two DataFrames are matched by name. A single column becomes dense, because scikit-learn treats it as
    a binary target, which must not be sparse.
    """
    Y_pred = in_order(Y_pred, column_names(Y_true), "Y_pred")
    truth, prediction = check_label_sets(Y_true, "Y_true"), check_label_sets(Y_pred, "Y_pred")
    if truth.shape != prediction.shape:
        raise ValueError(f"Y_true has shape {truth.shape} but Y_pred has shape {prediction.shape}")
    if truth.shape[1] == 1:
        return to_dense(truth), to_dense(prediction)
    return share_storage(truth, prediction)


def mean_of_rows(values: Floats, sample_weight: npt.ArrayLike | None) -> float:
    """Mean or weighted mean of the values (n,) of the rows."""
    if sample_weight is None:
        return float(values.mean())
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != values.shape or not (weight >= 0).all() or not weight.any():
        raise ValueError(f"sample_weight must be {values.size} weights of at least 0, not all of them 0")
    counted = weight > 0  # a row of weight 0 is ignored, even if its loss is infinite
    return float(np.average(values[counted], weights=weight[counted]))


def _complaint(Y: Any, name: str) -> str:
    Y = to_dense(Y)
    row, label = np.argwhere(~np.isin(Y, (0, 1)))[0]
    value = Y[row, label]
    reason = "unknown, but metrics need complete label sets" if value == FREE else "expected 0 or 1"
    return f"{name}[{row}, {label}] is {value!s}: {reason}"
