"""From the tensors of a request to the features and the evidence of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.arrays import Array, Labels
from setwise.contract.evidence import check_evidence
from setwise.errors import InputError, quote_some
from setwise.web.api import Model
from setwise.web.server.inference.tensors import Tensor, read_values, wrong

FEATURES, EVIDENCE, TEXT = "features", "evidence", "text"
"""Names of tensors that are not columns."""


def input_tensors(model: Model) -> list[dict[str, Any]]:
    """What a model takes: one tensor of features, of texts, or one per column; and evidence."""
    reader, n_labels = model.reader, len(model.labels)
    if reader.takes_text:
        taken = [_declared(TEXT, "BYTES", [-1])]
    elif reader.encoder is None:
        taken = [_declared(FEATURES, "FP64", [-1, len(reader.columns) or reader.n_features or -1])]
    else:
        kinds = reader.kinds().items()
        taken = [_declared(name, "FP64" if kind == "number" else "BYTES", [-1]) for name, kind in kinds]
    optional = _declared(EVIDENCE, "INT8", [-1, n_labels]) | {"parameters": {"optional": True}}
    return [*taken, optional]


def _declared(name: str, datatype: str, shape: list[int]) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": shape}


def read_inputs(model: Model, tensors: Sequence[Tensor], most_rows: int) -> tuple[Any, Labels | None, int]:
    """The features for the classifier, the evidence (n, L) if there is one, and the number of rows."""
    names = [tensor.name for tensor in tensors]
    if len(set(names)) < len(names):
        raise InputError("two tensors have the same name")
    given = {tensor.name: tensor for tensor in tensors}
    evidence = given.pop(EVIDENCE, None)
    n_rows = _n_rows(given, most_rows)
    features = _features(model, given)
    known = None
    if evidence is not None:
        known = check_evidence(read_values(evidence), n_rows, len(model.labels))
    return features, known, n_rows


def _n_rows(given: dict[str, Tensor], most: int) -> int:
    lengths = {tensor.shape[0] if tensor.shape else 0 for tensor in given.values()}
    if len(lengths) != 1:
        raise InputError("expected tensors of features of the same length", hint="see the model's metadata")
    n_rows = lengths.pop()
    if not 1 <= n_rows <= most:
        raise InputError(f"the tensors have {n_rows} rows; expected 1 to {most}")
    return n_rows


def _features(model: Model, given: dict[str, Tensor]) -> Any:
    reader = model.reader
    only = next(iter(given.values())) if len(given) == 1 else None
    if reader.takes_text or (reader.encoder is None and only is not None and only.name not in reader.columns):
        if only is None:
            raise InputError(f"expected one tensor, found {quote_some(list(given))}")
        values = _column(only) if reader.takes_text else _matrix(only)
        return reader.prepared(values.tolist() if reader.takes_text else reader.framed(values))
    columns = _by_column(model, only) or {name: _column(tensor) for name, tensor in given.items()}
    if reader.encoder is not None:
        return reader.encoded({name: _cells(values) for name, values in columns.items()})
    missing = [name for name in reader.columns if name not in columns]
    if missing:
        raise InputError(f"the tensor of column {missing[0]!r} is missing", column=missing[0])
    return reader.prepared(reader.framed(np.column_stack([columns[name] for name in reader.columns])))


def _by_column(model: Model, tensor: Tensor | None) -> dict[str, Array] | None:
    """The columns of a table of numbers that came as one tensor."""
    kinds = model.reader.kinds()
    if tensor is None or tensor.name != FEATURES or FEATURES in kinds or set(kinds.values()) != {"number"}:
        return None
    values = _matrix(tensor)
    if values.shape[1] != len(kinds):
        raise wrong(tensor, f"it has {values.shape[1]} columns; the model takes {len(kinds)}")
    return dict(zip(kinds, values.T))


def _matrix(tensor: Tensor) -> Array:
    values = read_values(tensor)
    if values.ndim != 2 or values.dtype == object:
        raise wrong(tensor, f"expected numbers of shape [rows, features], found {tensor.shape}")
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def _column(tensor: Tensor) -> Array:
    values = read_values(tensor)
    if values.ndim > 2 or (values.ndim == 2 and values.shape[1] != 1):
        raise wrong(tensor, f"expected the shape [rows] of one column, found {tensor.shape}")
    return values.reshape(len(values))


def _cells(values: Array) -> Any:
    return values.tolist() if values.dtype == object else values
