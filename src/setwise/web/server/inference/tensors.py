"""Tensors of the Open Inference Protocol: named arrays as JSON, or as bytes behind it."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, FailFast, Field, PrivateAttr

from setwise.arrays import Array
from setwise.errors import InputError

DATATYPES: dict[str, Any] = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
    "BYTES": object,
}
"""The NumPy type of each datatype; texts are BYTES."""
Parameters = dict[str, str | bool | int | float | None]


class Tensor(BaseModel):
    """A named array."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[str, Field(min_length=1, max_length=1024)]
    shape: Annotated[list[Annotated[int, Field(ge=0, le=2**31)]], FailFast(), Field(max_length=8)]
    datatype: str
    parameters: Parameters | None = None
    data: Annotated[list[Any] | None, Field(description="Values in the order of rows, nested or flat.")] = (
        None
    )
    _raw: Array | None = PrivateAttr(default=None)

    @property
    def raw(self) -> Array | None:
        """The values, one after another, if they came as bytes."""
        return self._raw

    @raw.setter
    def raw(self, values: Array) -> None:
        self._raw = values


def read_values(tensor: Tensor) -> Array:
    """The values of a tensor in its shape.

    Examples
    --------
    >>> read_values(Tensor(name="x", shape=[1, 2], datatype="FP64", data=[1, 2.5]))
    array([[1. , 2.5]])
    """
    dtype = DATATYPES.get(tensor.datatype)
    if dtype is None:
        raise wrong(tensor, f"the datatype {tensor.datatype[:20]!r} is not one of {', '.join(DATATYPES)}")
    flat = tensor.raw if tensor.raw is not None else _flat(tensor.data or [], len(tensor.shape))
    if len(flat) != math.prod(tensor.shape):
        raise wrong(tensor, f"{len(flat)} values do not fill the shape {tensor.shape}")
    values = flat if isinstance(flat, np.ndarray) else _typed(tensor, flat, dtype)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise wrong(tensor, f"value {int((~np.isfinite(values)).argmax())} is not finite")
    return values.reshape(tensor.shape)


def _flat(data: list[Any], depth: int) -> list[Any]:
    """Values without their nesting, which is at most that of the shape."""
    for _ in range(depth - 1):
        if not data or not all(isinstance(item, list) for item in data):
            break
        data = [value for item in data for value in item]
    return data


def _typed(tensor: Tensor, flat: list[Any], dtype: Any) -> Array:
    types: tuple[type, ...] = {"BYTES": (str,), "BOOL": (bool, int)}.get(tensor.datatype, (int, float))
    for place, value in enumerate(flat):
        if not isinstance(value, types):
            expected = "texts" if tensor.datatype == "BYTES" else "numbers"
            raise wrong(tensor, f"value {place} is not of its datatype; expected {expected}")
    try:
        with np.errstate(over="raise", invalid="raise"):
            return np.array(flat, dtype=dtype)
    except (OverflowError, FloatingPointError, ValueError, TypeError):
        raise wrong(tensor, f"some value does not fit into {tensor.datatype}") from None


def wrong(tensor: Tensor, message: str) -> InputError:
    """The error about a tensor."""
    return InputError(f"tensor {tensor.name[:60]!r}: {message}", column=tensor.name)


def write(name: str, values: Array) -> dict[str, Any]:
    """An array as a tensor: values in the order of rows, null for minus infinity.

    Examples
    --------
    >>> write("certified", np.array([True]))
    {'name': 'certified', 'datatype': 'BOOL', 'shape': [1], 'data': [True]}
    """
    flat: list[Any] = values.ravel().tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        flat = [value if math.isfinite(value) else None for value in flat]
    return {"name": name, "datatype": datatype(values), "shape": list(values.shape), "data": flat}


def datatype(values: Array) -> str:
    """The datatype of an array."""
    return next(name for name, dtype in DATATYPES.items() if values.dtype == dtype)
