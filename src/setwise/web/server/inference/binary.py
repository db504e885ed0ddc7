"""The binary extension of the protocol: JSON first, the bytes of tensors behind it.

Clients such as tritonclient use it unless they are told not to. A header says where the JSON ends.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.errors import InputError
from setwise.web.server.inference.tensors import DATATYPES, Tensor, datatype, wrong

LENGTH = "Inference-Header-Content-Length"
"""The header with the length of the JSON."""
SIZE = "binary_data_size"
"""The parameter of a tensor with the number of its bytes."""
BINARY = "application/octet-stream"


def split_body(body: bytes, length: str | None) -> tuple[bytes, bytes]:
    """The JSON of a body, and the bytes behind it.

    Examples
    --------
    >>> split_body(b"{}abc", "2")
    (b'{}', b'abc')
    """
    if length is None:
        return body, b""
    if not length.isdecimal() or int(length[:12]) > len(body):
        raise InputError(f"the header {LENGTH} is not a length within the body")
    return body[: int(length)], body[int(length) :]


def attach(tensors: Sequence[Tensor], content: bytes) -> None:
    """Give each tensor with a binary size its part of the bytes."""
    start = 0
    for tensor in tensors:
        size = (tensor.parameters or {}).get(SIZE)
        if size is None:
            continue
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= len(content) - start:
            raise wrong(tensor, f"{SIZE} is not a number of bytes within the body")
        tensor.raw = _decoded(tensor, content[start : start + size])
        start += size
    if start < len(content):
        raise InputError(f"{len(content) - start} bytes behind the JSON belong to no tensor")


def _decoded(tensor: Tensor, content: bytes) -> Array:
    """The values of a tensor, one after another."""
    if tensor.datatype == "BYTES":
        return np.array(_texts(tensor, content), dtype=object)
    dtype = np.dtype(DATATYPES.get(tensor.datatype, np.uint8)).newbyteorder("<")
    if len(content) % dtype.itemsize:
        raise wrong(tensor, f"{len(content)} bytes are not a whole number of {tensor.datatype[:20]}")
    return np.frombuffer(content, dtype=dtype).astype(dtype.newbyteorder("="))


def _texts(tensor: Tensor, content: bytes) -> list[str]:
    """Texts, each behind its length in four bytes."""
    texts, start = [], 0
    while start < len(content):
        if start + 4 > len(content):
            raise wrong(tensor, "a text is cut off")
        (size,) = struct.unpack_from("<I", content, start)
        text = content[start + 4 : start + 4 + size]
        if len(text) < size:
            raise wrong(tensor, "a text is cut off")
        try:
            texts.append(text.decode())
        except UnicodeDecodeError:
            raise wrong(tensor, f"text {len(texts)} is not UTF-8") from None
        start += 4 + size
    return texts


def with_bytes(answer: dict[str, Any], arrays: dict[str, Array], binary: set[str]) -> tuple[bytes, str]:
    """An answer with the outputs in ``binary`` as bytes behind the JSON, and the length of the JSON."""
    outputs, parts = [], []
    for output in answer["outputs"]:
        if output["name"] in binary:
            values = np.ascontiguousarray(arrays[output["name"]])
            content = values.astype(values.dtype.newbyteorder("<")).tobytes()
            parts.append(content)
            output = {name: output[name] for name in ("name", "shape")}
            output |= {"datatype": datatype(values), "parameters": {SIZE: len(content)}}
        outputs.append(output)
    head = json.dumps(answer | {"outputs": outputs}, allow_nan=False, ensure_ascii=False).encode()
    return b"".join([head, *parts]), str(len(head))
