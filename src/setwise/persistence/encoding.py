"""Encoding of a fitted model as records: objects, their parameters and attributes, as data."""

from __future__ import annotations

import dataclasses
import os
from collections import UserList
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from setwise.persistence.errors import ModelFileError
from setwise.persistence.nodes import MAX_DEPTH
from setwise.persistence.records import Record, SparseRecord
from setwise.persistence.registry import LEFT_OUT, SPARSE, class_name, function_name
from setwise.persistence.schemas import find_schema
from setwise.storage.npy import allows_dtype

PLAIN = (bool, int, float, str, type(None), slice, np.bool_, np.integer, np.floating)


def encode(value: Any, place: str, depth: int = 0) -> Any:
    """Encode a value; ``place`` is its position in the model, for errors.

    Examples
    --------
    >>> from setwise.decisions import FBeta
    >>> encode([1, FBeta(2.0)], "model")
    [1, Record(name='part.FBeta', parameters={}, state={'beta': 2.0, 'both_empty': 1.0})]
    """
    if depth > MAX_DEPTH:
        raise ModelFileError(f"{place} is nested too deeply for a model file")
    if isinstance(value, PLAIN) or function_name(value) is not None:
        return value
    if isinstance(value, UserList):
        # scikit-learn 1.6 keeps the other columns of a ColumnTransformer in one, which only adds a warning to a list.
        return encode(value.data, place, depth)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(encode(item, f"{place}[{i}]", depth + 1) for i, item in enumerate(value))
    if type(value) is dict:
        return {key: encode(item, f"{place}[{key!r}]", depth + 1) for key, item in value.items()}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return value
    if isinstance(value, np.ndarray):
        return _array(value, place)
    if type(value).__name__ in SPARSE and sparse.issparse(value):
        parts = (_array(part, place) for part in (value.data, value.indices, value.indptr))
        return SparseRecord(type(value).__name__, tuple(map(int, value.shape)), *parts)
    return _record(value, place, depth)


def _array(value: Any, place: str) -> Any:
    """Return the array itself if it can be stored; otherwise raise an error."""
    if value.dtype == object:
        for item in value.ravel():
            if not (item is None or isinstance(item, (str, bool, int, float))):
                raise ModelFileError(
                    f"{place} is an array with a {type(item).__name__}, which cannot be stored in a model file"
                )
    elif not allows_dtype(value.dtype):
        raise ModelFileError(f"{place} is an array of {value.dtype}, which cannot be stored in a model file")
    return np.asarray(value)


def _record(value: Any, place: str, depth: int) -> Record:
    name = class_name(type(value))
    if name is None:
        raise ModelFileError(_refusal(value, place))
    parameters, state = object_state(value)
    schema = find_schema(name)
    if schema.blank is not None and _is_fitted(value):
        raise ModelFileError(_refusal(value, place))
    skipped = schema.dropped.union(schema.derived_of(parameters))
    state = {k: v for k, v in state.items() if k not in skipped} if schema.blank is None else {}
    return Record(
        name,
        {k: encode(v, f"{place}.{k}", depth + 1) for k, v in parameters.items() if k not in LEFT_OUT},
        {k: encode(v, f"{place}.{k}", depth + 1) for k, v in state.items()},
    )


def _is_fitted(value: Any) -> bool:
    try:
        check_is_fitted(value)
    except NotFittedError:
        return False
    return True


def object_state(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of an estimator, and the other attributes of an object."""
    if isinstance(value, tuple):
        return {}, value._asdict()  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(value):
        return {}, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if not isinstance(value, BaseEstimator):
        return {}, dict(vars(value))
    parameters = value.get_params(deep=False)
    return parameters, {name: item for name, item in vars(value).items() if name not in parameters}


def _refusal(value: Any, place: str) -> str:
    if callable(value) and not isinstance(value, BaseEstimator):
        return (
            f"{place} is a function ({getattr(value, '__name__', type(value).__name__)}), and model files contain no "
            "code; pass a name instead, or set it again after loading"
        )
    home = type(value).__module__.partition("._")[0]
    return (
        f"{place} is a {type(value).__name__} ({home}), which cannot be stored in a model file; learners that "
        "consist of arrays or trees can, such as LogisticRegression, GaussianNB or RandomForestClassifier"
    )
