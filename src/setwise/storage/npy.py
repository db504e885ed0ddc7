"""Arrays as ``.npy`` bytes: a closed list of data types, and no more memory than there are bytes."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.storage.errors import StoredFileError

MAX_TEXT = 4096
"""Maximum number of characters of an entry of a text array. Every entry takes the whole width in memory."""
MAX_DIMENSIONS = 8

_DTYPE = re.compile(r"[<>|=]?(?:b1|[iu][1248]|f[48]|U\d{1,4})", re.ASCII)
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?\w{2,5})', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,200})\), \} *\n"
)
_PREFIX = b"\x93NUMPY\x01\x00"


def checked_dtype(text: Any) -> np.dtype[Any]:
    """Convert a name to a data type: booleans, integers, floats of 32 and 64 bits, or text of a bounded width.

    Examples
    --------
    >>> checked_dtype("<f8")
    dtype('float64')
    >>> checked_dtype("O")
    Traceback (most recent call last):
    setwise.storage.errors.StoredFileError: the data type 'O' is not allowed
    """
    if not isinstance(text, str) or not _DTYPE.fullmatch(text):
        raise StoredFileError(f"the data type {str(text)[:40]!r} is not allowed")
    dtype = np.dtype(text)
    if dtype.itemsize > 4 * MAX_TEXT:
        raise StoredFileError(f"the data type {text!r} is wider than {MAX_TEXT} characters")
    return dtype


def allows_dtype(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this data type can be stored."""
    return bool(_DTYPE.fullmatch(dtype.str)) and dtype.itemsize <= 4 * MAX_TEXT


def parse_array(name: str, blob: bytes, entry: dict[str, Any], longest_axis: int) -> Array:
    """Read the array of a ``.npy`` file in memory, in this machine's byte order.

    Parameters
    ----------
    name : str
        Name of the array, for errors.
    blob : bytes
    entry : dict
        The ``dtype`` and ``shape`` that the array must have.
    longest_axis : int
        Limit of every axis. It matters for arrays without entries, whose shape costs no bytes.
    """
    dtype, shape, fortran, start = _parse_header(name, blob)
    if list(shape) != entry.get("shape") or dtype.str != entry.get("dtype"):
        raise StoredFileError(f"array {name} does not have the data type and shape listed for it")
    if max(shape, default=0) > longest_axis:
        raise StoredFileError(f"array {name} has the shape {shape}, longer than the file itself")
    count = math.prod(shape)
    if len(blob) - start != count * dtype.itemsize:
        raise StoredFileError(f"array {name} has {len(blob) - start} bytes for {count} values")
    flat = np.frombuffer(blob, dtype=dtype, count=count, offset=start)
    # A copy, so that it is writeable and aligned as NumPy allocates arrays.
    flat = flat.astype(dtype.newbyteorder("="), copy=True)
    return flat.reshape(shape, order="F" if fortran else "C")


def _parse_header(name: str, blob: bytes) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    """Data type, shape, memory order and where the values begin.

    NumPy's reader evaluates the header as a Python literal; one pattern is enough for what NumPy writes.
    """
    length = int.from_bytes(blob[8:10], "little")
    header = _HEADER.fullmatch(blob[10 : 10 + length])
    if not blob.startswith(_PREFIX) or header is None:
        raise StoredFileError(f"array {name} is not in version 1.0 of NumPy's format, or of an unknown type")
    dtype = checked_dtype(header[1].decode("ascii", "replace"))
    shape = tuple(int(size) for size in header[3].split(b",") if size.strip())
    if len(shape) > MAX_DIMENSIONS:
        raise StoredFileError(f"array {name} has {len(shape)} dimensions; at most {MAX_DIMENSIONS} are read")
    return dtype, shape, header[2] == b"True", 10 + length
