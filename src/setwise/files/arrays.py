"""Arrays in a zip archive (.npz), read without trusting the sizes that it declares."""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.files.errors import too_large
from setwise.files.limits import limits

Array = npt.NDArray[Any]

_HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_PLAIN = "biufU"
"""Kinds of arrays that are read: booleans, integers, floats, text."""


class ArrayArchive(Mapping[str, Array]):
    """The arrays of an .npz file by name; use it in a ``with`` block.

    An array is read only if the archive has exactly the bytes that its header declares, and the archive only if all
    arrays are within the limits. Errors are those of the standard library and ValueError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self._zip = zipfile.ZipFile(path)
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}
        self._check()

    def _check(self) -> None:
        size = sum(info.file_size for info in self._zip.infolist())
        allowed = limits().unpacked(limits().array_bytes, os.path.getsize(self.path))
        if size > allowed:
            self._zip.close()
            raise too_large(f"the arrays unpack to {size} bytes, more than the {allowed} allowed", self.path)

    def __enter__(self) -> ArrayArchive:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, name: str) -> Array:
        info = self._members[name]
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"array {name} has an unknown compression")
        with self._zip.open(info) as file:
            _check_header(file, name, info.file_size)
        with self._zip.open(info) as file:
            return np.lib.format.read_array(file, allow_pickle=False)


def _check_header(file: Any, name: str, size: int) -> None:
    """Refuse an array whose declared size differs from its bytes."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"array {name} has an unknown version of the .npy format")
    shape, _, dtype = _HEADERS[version](file)
    if dtype.kind not in _PLAIN:
        raise ValueError(f"array {name} holds {dtype}; expected numbers, booleans or text")
    if min(shape, default=0) < 0 or max(shape, default=0) > 2**40:
        raise ValueError(f"array {name} declares the shape {shape}")
    declared = math.prod(shape) * dtype.itemsize
    if declared != size - file.tell():
        raise ValueError(f"array {name} declares {declared} bytes and has {size - file.tell()}")
