"""What users pass in, checked once: errors name the row, the column or the label."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, validate_data

from setwise.contract import FREE, Array, Floats, Labels


def check_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> Array:
    """X as float array or CSR, finite; sets or checks the estimator's feature names and number."""
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
    )
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values.sum(dtype=np.float64)) and not np.isfinite(values).all():
        _raise_not_finite(estimator, X)
    return X


def _raise_not_finite(estimator: BaseEstimator, X: Array) -> None:
    cells = X.tocoo() if sp.issparse(X) else None
    bad = ~np.isfinite(X.data if sp.issparse(X) else X)
    where = (cells.row[bad], cells.col[bad]) if cells is not None else np.nonzero(bad)
    row, column = int(where[0][0]), int(where[1][0])
    names = getattr(estimator, "feature_names_in_", None)
    column_name = f"column {column}" if names is None else f"column {names[column]!r}"
    value = "NaN" if np.isnan(X[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {value}: row {row}, {column_name} ({int(bad.sum())} such values in all). "
        "Impute or drop them first, e.g. with sklearn.impute.SimpleImputer."
    )


def label_names(Y: Any) -> Array | None:
    """Column names of a DataFrame of labels, or None; names must differ."""
    columns = getattr(Y, "columns", None)
    if columns is None:
        return None
    names = [str(name) for name in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Y has more than one column named {twice[0]!r}; label names must differ")
    return np.asarray(names, dtype=object)


def check_labels(Y: Any, n_rows: int, names: Array | None = None, *, partial: bool = False) -> Labels:
    """Y as an int8 array (n, L) of 0 and 1 (and FREE, where ``partial``)."""
    if Y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    values = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    if values.ndim != 2:
        raise ValueError(
            f"Y has shape {values.shape}; expected a label matrix (n_rows, n_labels), one column per label. "
            "Reshape a single label with Y.reshape(-1, 1)"
        )
    if len(values) != n_rows:
        raise ValueError(f"X has {n_rows} rows but Y has {len(values)}: inconsistent numbers of samples")
    if values.shape[1] == 0:
        raise ValueError("Y has no columns; expected at least one label")
    allowed = (0, 1, FREE) if partial else (0, 1)
    bad = ~np.isin(values, allowed)
    if bad.any():
        row, label = (int(i) for i in np.argwhere(bad)[0])
        name = f"label {label}" if names is None else f"label {names[label]!r}"
        raise ValueError(
            f"Unknown label type: Y is {values[row, label]!r} at row {row}, {name}; every label must be 0 or 1"
        )
    return np.ascontiguousarray(values, dtype=np.int8)


def check_weights(sample_weight: Any, X: Array) -> Floats | None:
    """Row weights (n,), finite and not negative, not all zero."""
    if sample_weight is None:
        return None
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not weights.any():
        raise ValueError("sample_weight is zero in every row; at least one row must count")
    return weights
