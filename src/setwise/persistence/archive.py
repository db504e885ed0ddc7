"""The container: a stored zip of ``.npy`` members and ``manifest.json``, sealed by a digest of all its bytes.

The zip's comment is ``sha256:`` and 64 hexadecimal digits, the SHA-256 of everything before the digits. It is
checked before anything else is parsed, so a damaged file is refused as a whole. It is no signature: a file made
by hand can have a right digest, so nothing that follows trusts the content either.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import zipfile
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np

from setwise.atomic import replacing
from setwise.contract import Array
from setwise.persistence.decoding import checked_dtype
from setwise.persistence.errors import ModelFileError

MANIFEST = "manifest.json"
MAX_MANIFEST = 2**26
"""Bytes of the manifest that are read at most."""
MAX_MEMBERS = 2**20
SEAL = b"sha256:"
DIGITS = 64
CHUNK = 2**20
MAX_NPY_HEADER = 4096


def write_archive(path: str | os.PathLike[str], manifest: dict[str, Any], arrays: list[Array]) -> None:
    """Write the arrays, then the manifest with their digests, then the seal; ``path`` changes at the end only."""
    with replacing(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            members = {str(i): _write_member(archive, str(i), array) for i, array in enumerate(arrays)}
            text = json.dumps(manifest | {"members": members}, ensure_ascii=False, allow_nan=False)
            if len(content := text.encode()) > MAX_MANIFEST:
                raise ModelFileError(
                    f"the model's names and structure fill {len(content)} bytes of JSON; too many"
                )
            archive.writestr(_info(MANIFEST), content)
            archive.comment = SEAL + bytes(DIGITS)
        file.seek(-DIGITS, os.SEEK_END)
        digest = _digest(file, file.tell())
        file.write(digest.encode())


def _info(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))  # equal models make equal files


def _write_member(archive: zipfile.ZipFile, name: str, array: Array) -> dict[str, Any]:
    info = _info(f"{name}.npy")
    with archive.open(info, "w", force_zip64=array.nbytes >= 2**31) as member:
        sink = _HashingSink(member)
        np.lib.format.write_array(sink, array, version=(1, 0), allow_pickle=False)
    return {
        "sha256": sink.sha256.hexdigest(),
        "size": sink.size,
        "dtype": array.dtype.str,
        "shape": list(array.shape),
    }


class _HashingSink:
    """Passes bytes on, and keeps their digest and number."""

    def __init__(self, file: Any) -> None:
        self.file, self.sha256, self.size = file, hashlib.sha256(), 0

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self.size += len(data)
        return int(self.file.write(data))


class Archive:
    """A sealed archive opened for reading; use it in a ``with`` block.

    Attributes
    ----------
    manifest : dict
    digest : str
        SHA-256 of the file before its last 64 bytes.
    size : int
        Bytes of the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = open(path, "rb")  # noqa: SIM115, closed by __exit__
        try:
            self.size = os.fstat(self._file.fileno()).st_size
            self.digest = self._check_seal()
            self._zip = zipfile.ZipFile(self._file)
            self._members = self._check_members()
            self.manifest = self._read_manifest()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _check_seal(self) -> str:
        end = self.size - DIGITS
        start = self._file.read(4)
        if start != b"PK\x03\x04" or end < len(SEAL) + 22:
            raise ModelFileError("this is not a setwise model file, or its beginning is damaged")
        self._file.seek(end - len(SEAL))
        if self._file.read(len(SEAL)) != SEAL:
            raise ModelFileError(
                "the seal at the end is missing: the file is cut off, or not a setwise model file"
            )
        written = self._file.read(DIGITS).decode("ascii", "replace")
        digest = _digest(self._file, end)
        if not hmac.compare_digest(written.encode(), digest.encode()):
            raise ModelFileError("the file is damaged: its SHA-256 is not the one it was sealed with")
        return digest

    def _check_members(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        members = {info.filename: info for info in infos}
        if len(members) != len(infos) or len(infos) > MAX_MEMBERS:
            raise ModelFileError("two members of the same name, or too many")
        for info in infos:
            plain = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 0x1
            if not plain or info.file_size != info.compress_size:
                raise ModelFileError(f"member {info.filename[:60]!r} is compressed or encrypted")
            if info.filename != MANIFEST and not re.fullmatch(r"\d{1,7}\.npy", info.filename, re.ASCII):
                raise ModelFileError(f"an unexpected member {info.filename[:60]!r}")
        if sum(info.file_size for info in infos) > self.size or min(i.header_offset for i in infos) != 0:
            raise ModelFileError("the members overlap, or something stands before them")
        return members

    def _read_manifest(self) -> dict[str, Any]:
        if MANIFEST not in self._members or self._members[MANIFEST].file_size > MAX_MANIFEST:
            raise ModelFileError(f"{MANIFEST} is missing or larger than {MAX_MANIFEST} bytes")
        text = self._zip.read(MANIFEST).decode("utf-8")
        manifest = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
        if not isinstance(manifest, dict) or not isinstance(manifest.get("members"), dict):
            raise ModelFileError(f"{MANIFEST} does not describe a model")
        if set(self._members) != {MANIFEST, *(f"{name}.npy" for name in manifest["members"])}:
            raise ModelFileError(f"the members are not those that {MANIFEST} lists")
        return manifest

    def read_array(self, name: str) -> Array:
        """The array of a member, in this machine's byte order, or a ModelFileError."""
        entry = self.manifest["members"].get(name)
        if not isinstance(entry, dict):
            raise ModelFileError(f"array {name[:20]!r} is not in the file")
        blob = self._zip.read(f"{name}.npy")
        if hashlib.sha256(blob).hexdigest() != entry.get("sha256") or len(blob) != entry.get("size"):
            raise ModelFileError(f"array {name} is damaged: its SHA-256 or size is wrong")
        return _parse_npy(name, blob, entry)


def _parse_npy(name: str, blob: bytes, entry: dict[str, Any]) -> Array:
    """The array of a ``.npy`` file in memory; nothing is allocated that its bytes do not fill."""
    stream = BytesIO(blob)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFileError(f"array {name} has an unknown version of the .npy format")
    header = np.lib.format.read_array_header_1_0(stream, max_header_size=MAX_NPY_HEADER)
    shape, fortran, dtype = header
    checked_dtype(dtype.str)
    if list(shape) != entry.get("shape") or dtype.str != entry.get("dtype") or min(shape, default=0) < 0:
        raise ModelFileError(f"array {name} is not of the type and shape that {MANIFEST} says")
    count = 1
    for length in shape:
        count *= length
    if len(blob) - stream.tell() != count * dtype.itemsize:
        raise ModelFileError(f"array {name} has {len(blob) - stream.tell()} bytes for {count} values")
    flat = np.frombuffer(blob, dtype=dtype, count=count, offset=stream.tell())
    # a copy, so that it can be written to and lies in memory as NumPy places arrays
    flat = flat.astype(dtype.newbyteorder("="), copy=True)
    return flat.reshape(shape, order="F" if fortran else "C")


def _digest(file: BinaryIO, size: int) -> str:
    """SHA-256 of the first ``size`` bytes; the position is then after them."""
    sha256 = hashlib.sha256()
    file.seek(0)
    while size > 0 and (chunk := file.read(min(CHUNK, size))):
        sha256.update(chunk)
        size -= len(chunk)
    return sha256.hexdigest()


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ModelFileError(f"{MANIFEST} says something twice")
    return found


def _no_constant(text: str) -> float:
    raise ModelFileError(f"{MANIFEST} holds {text}, which is not JSON")
