"""Checks of the input of estimators. Errors name the row, the column or the label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.impute import SimpleImputer
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, validate_data

from setwise.contract import (
    FREE,
    Array,
    Bools,
    Floats,
    Labels,
    Matrix,
    column_names,
    default_names,
    in_order,
    unknown_as_free,
)
from setwise.estimators.base.checks.frames import check_collected, check_numeric
from setwise.estimators.base.label_names import LabelNames
from setwise.estimators.base.stack import user_stacklevel
from setwise.kernels.matrices import first_cell, stored_values, to_dense
from setwise.printable import plain_repr
from setwise.tables.labels.tag_tables import are_tag_lists, tag_matrix, tag_table

BINARIZER = ". sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y) makes one from lists of labels"


def check_features(estimator: Any, X: Any, *, reset: bool) -> Array:
    """X as float array or CSR, finite; NaN is allowed in training, and later if the estimator takes or fills it.

    Sets or checks the estimator's feature names and number.
    """
    check_collected(X, "X")
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except (TypeError, ValueError):
        check_numeric(X)  # names the column, which NumPy's error does not
        raise
    check_finite(estimator, X, training=reset)
    return X


def check_finite(estimator: Any, X: Matrix, *, training: bool = False) -> None:
    """Raise a ValueError for infinite features, and for NaN that the estimator neither takes nor saw in training."""
    values = stored_values(X)
    if np.isfinite(values.sum(dtype=np.float64)):
        return
    takes_nan = training or estimator._takes_nan() or hasattr(estimator, "fill_")
    bad = np.isinf(values) if takes_nan else ~np.isfinite(values)
    if bad.any():
        _raise_not_finite(estimator, X, bad)


def missing_fill(X: Matrix) -> Floats | None:
    """The median (d,) of each column, 0 if all its values are missing; None if no value of X is missing."""
    if not np.isnan(stored_values(X)).any():
        return None
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return np.asarray(imputer.fit(X).statistics_, dtype=np.float64)


def _raise_not_finite(estimator: BaseEstimator, X: Matrix, bad: Bools) -> None:
    row, column = first_cell(X, bad)
    names = getattr(estimator, "feature_names_in_", None)
    column_name = f"column {column}" if names is None else f"column {names[column]!r}"
    value = "NaN" if np.isnan(X[row, column]) else "infinity"
    raise ValueError(
        f"Input X contains {value}: row {row}, {column_name} ({int(bad.sum())} such values in all). "
        + (
            "Fit to rows of which some have missing values, or impute them first."
            if value == "NaN"
            else "Drop them."
        )
    )


@dataclass(frozen=True)
class Targets:
    """The form of the training labels. New labels are read, and predictions returned, in the same form.

    ``classes`` holds the two classes of a one-dimensional y, which is a single label; for a label matrix it is None.
    """

    names: Array
    classes: Array | None
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, y: Any, n_rows: int, *, partial: bool = False) -> tuple[Self, Labels]:
        """Read training labels: their form, and an int8 array (n, L) with FREE for unknown labels.

        Unknown labels are an error unless ``partial``.
        """
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None")
        check_collected(y, "y")
        if are_tag_lists(y):
            y = tag_table(y)
        columns = column_names(y)
        values = _as_array(y)
        classes = two_classes(values) if values.ndim == 1 else None
        n_labels = values.shape[1] if values.ndim == 2 else 1
        names = default_names(n_labels) if columns is None else np.asarray(columns, dtype=object)
        dtype = values.dtype if values.dtype.kind in "iu" else np.dtype(np.int64)
        targets = cls(names, classes, dtype)
        Y = targets.encode(values, n_rows, partial=partial)
        if (Y == FREE).any() and not (Y == 0).any() and (Y == 1).any():
            raise ValueError("y has no 0: code a label that is off as 0; -1 and NaN mark unknown labels")
        return targets, Y

    def encode(self, y: Any, n_rows: int, *, partial: bool = False) -> Labels:
        """Read the labels of ``n_rows`` rows as int8 (n, L) of 0 and 1, and FREE for -1 or NaN if ``partial``."""
        check_collected(y, "y")
        values = tag_matrix(y, self.names) if are_tag_lists(y) else _as_array(in_order(y, self.names, "y"))
        if len(values) != n_rows:
            raise ValueError(f"X has {n_rows} rows but y has {len(values)}: inconsistent numbers of samples")
        if self.classes is not None and values.ndim == 1:
            return self._encode_classes(values)
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise ValueError(
                f"y has shape {values.shape}; expected ({n_rows}, {len(self.names)}), a column per label"
            )
        values = unknown_as_free(values)
        _check_binary(values, self.names)
        if not partial:
            _check_known(values, self.names)
        return np.ascontiguousarray(values, dtype=np.int8)

    def classes_or_labels(self) -> Array:
        """The value of ``classes_``: the two classes, the label names, or the indices of labels without names."""
        if self.classes is not None:
            return self.classes
        if np.array_equal(self.names, default_names(len(self.names))):
            return np.arange(len(self.names))
        return LabelNames.of(self.names)

    def _encode_classes(self, values: Array) -> Labels:
        assert self.classes is not None
        unknown = ~np.isin(values, self.classes)
        if unknown.any():
            row = int(unknown.argmax())
            raise ValueError(
                f"y[{row}] is {plain_repr(values[row])}; the classes seen in fit are {self.classes.tolist()}"
            )
        return np.ascontiguousarray(values == self.classes[-1], dtype=np.int8)[:, None] * (
            len(self.classes) > 1
        )

    def decode(self, labels: Labels) -> Array:
        """Convert answers (n, L) to the form of the training labels; FREE (no answer) needs signed numbers."""
        without = int((labels == FREE).any(axis=1).sum())
        if self.classes is None:
            return labels.astype(np.result_type(self.dtype, np.int8) if without else self.dtype)
        if without:
            raise ValueError(
                f"{without} rows have no answer, which none of the classes {self.classes.tolist()} can express; "
                "use decide(X, ...), which marks them by -1"
            )
        return self.classes[labels[:, 0]]


def is_default(names: Array) -> bool:
    """Whether columns are only numbered, like those of a bare array."""
    return bool(np.array_equal(names, default_names(len(names))))


def _as_array(y: Any) -> Array:
    try:
        values = to_dense(y)
    except ValueError as error:
        raise ValueError(
            "y has rows of different lengths; expected a label matrix (n_rows, n_labels) of 0 and 1"
            + BINARIZER
        ) from error
    if values.ndim == 1 and values.size and isinstance(values[0], (set, frozenset, list, tuple)):
        raise ValueError(
            f"y holds a {type(values[0]).__name__} of labels for each row; expected a label matrix (n_rows, n_labels) "
            "of 0 and 1" + BINARIZER
        )
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] == 0):
        raise ValueError(
            f"y has shape {values.shape}; expected a label matrix (n_rows, n_labels) with a column per label"
            + BINARIZER
        )
    return values


def two_classes(values: Array) -> Array:
    """Find the classes of a one-dimensional y; more than two, NaN or continuous values are an error."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise ValueError(f"Input y contains NaN or infinity: row {row} is {values[row]}")
    kind = type_of_target(values, input_name="y", raise_unknown=True)
    if kind == "binary":
        return np.unique(values)
    start = (
        "Unknown label type: continuous"
        if kind.startswith("continuous")
        else "Only binary classification is supported"
    )
    raise ValueError(
        f"{start}. The type of the target is {kind}; expected a label matrix (n_rows, n_labels) of 0 and 1, "
        "or a one-dimensional y with two classes"
    )


def _check_binary(values: Array, names: Array) -> None:
    if values.dtype.kind in "biu" and values.size and values.min() >= FREE and values.max() <= 1:
        return  # thirty times as fast as a look at each value
    bad = ~np.isin(values, (0, 1, FREE))
    if bad.any():
        row, label = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"Unknown label type: y is {plain_repr(values[row, label])} in row {row}, label {names[label]!r} "
            f"({int(bad.sum())} such values in all); a label is 0 or 1"
            + (". MultiLabelBinarizer makes such columns from names" if values.dtype.kind in "UOS" else "")
        )


def _check_known(values: Array, names: Array) -> None:
    unknown = values == FREE
    if unknown.any():
        row, label = (int(i) for i in np.argwhere(unknown)[0])
        raise ValueError(
            f"y is missing (-1 or NaN) in row {row}, label {names[label]!r} ({int(unknown.sum())} missing values in "
            "all); this estimator needs every label. Leave such rows out, or use an estimator that takes missing "
            "labels, such as BinaryRelevance or ConditionalTree"
        )


def informative(Y: Labels, weights: Floats | None) -> Array:
    """Select the rows with positive weight and a known label; it is an error if there are none."""
    known = (Y != FREE).any(axis=1)
    rows = np.flatnonzero(known if weights is None else known & (weights > 0))
    if not len(rows):
        raise ValueError("all labels of y are unknown (-1 or NaN) in the rows with positive weight")
    return rows


def warn_of_unseen(Y: Labels, names: Array) -> None:
    """Warn of labels without any known value."""
    unseen = names[~(Y != FREE).any(axis=0)]
    if len(unseen):
        some = ", ".join(map(repr, unseen[:5])) + (", ..." if len(unseen) > 5 else "")
        warnings.warn(
            f"the label {some} has no known value; its probability is set to 1/2",
            stacklevel=user_stacklevel(),
        )


def check_weights(sample_weight: Any, X: Matrix) -> Floats | None:
    """Check row weights (n,): finite, not negative, not all zero."""
    if sample_weight is None:
        return None
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
