"""A stored zip of ``.npy`` members and ``manifest.json``, whose comment is a seal of all bytes before it.

The seal is checked before anything else is parsed, so a damaged file is refused as a whole. A forged file can
have a correct digest too, so nothing that follows trusts the content.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from setwise.arrays import Array
from setwise.atomic import replacing
from setwise.storage.errors import StoredFileError
from setwise.storage.manifest import MAX_BYTES, parse_json
from setwise.storage.npy import parse_array
from setwise.storage.seal import SEAL_LENGTH, SIGNED_LENGTH, check_key, check_seal, empty_seal, write_seal

MANIFEST = "manifest.json"
MAX_MEMBERS = 2**16 - 1
MAX_DIRECTORY = 128 * MAX_MEMBERS
"""Maximum size of the zip's directory. Zip readers build an object for every entry before it can be checked."""


def write_container(
    path: str | os.PathLike[str], manifest: dict[str, Any], arrays: Sequence[Array], key: bytes | None = None
) -> None:
    """Write the arrays, then the manifest with their digests, then the seal; ``path`` changes at the end only."""
    check_key(key)
    if len(arrays) >= MAX_MEMBERS:
        raise StoredFileError(
            f"{len(arrays)} arrays are too many for one file; the limit is {MAX_MEMBERS - 1}"
        )
    with replacing(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            members = {str(i): _write_member(archive, str(i), array) for i, array in enumerate(arrays)}
            text = json.dumps(manifest | {"members": members}, ensure_ascii=False, allow_nan=False)
            parse_json(content := text.encode(), MANIFEST)  # every file that is written can be read
            archive.writestr(_info(MANIFEST), content)
            archive.comment = empty_seal(key)
        write_seal(file, key)


def _info(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))  # equal content gives equal files


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
    """Forwards bytes, and keeps their digest and number."""

    def __init__(self, file: Any) -> None:
        self.file, self.sha256, self.size = file, hashlib.sha256(), 0

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self.size += len(data)
        return int(self.file.write(data))


class Container:
    """A sealed file opened for reading; use it in a ``with`` block.

    Parameters
    ----------
    path : path of the file
    key : bytes, optional
        The key of the signature. With it a file without a signature, or with one by another key, is refused.

    Attributes
    ----------
    manifest : dict
    digest : str
        SHA-256 of the file before its last 64 bytes.
    size : int
        Bytes of the file.
    signed : bool
        Whether the file has a signature; without ``key`` it was not checked.
    """

    def __init__(self, path: str | os.PathLike[str], key: bytes | None = None) -> None:
        check_key(key)
        self._file = open(path, "rb")  # noqa: SIM115, closed by __exit__
        try:
            self.size = os.fstat(self._file.fileno()).st_size
            if self._file.read(4) != b"PK\x03\x04" or self.size < SEAL_LENGTH + 22:
                raise StoredFileError("this is not a setwise model file, or its beginning is damaged")
            self.digest, self.signed = check_seal(self._file, self.size, key)
            _check_directory(self._file, self.size)
            self._zip = zipfile.ZipFile(self._file)
            self._members = self._check_members()
            self.manifest = self._read_manifest()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Container:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _check_members(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        members = {info.filename: info for info in infos}
        if len(members) != len(infos) or len(infos) > MAX_MEMBERS:
            raise StoredFileError("two members of the same name, or too many")
        for info in infos:
            plain = info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 0x1
            if not plain or info.file_size != info.compress_size:
                raise StoredFileError(f"member {info.filename[:60]!r} is compressed or encrypted")
            if info.filename != MANIFEST and not re.fullmatch(r"\d{1,7}\.npy", info.filename, re.ASCII):
                raise StoredFileError(f"an unexpected member {info.filename[:60]!r}")
        if sum(info.file_size for info in infos) > self.size or min(i.header_offset for i in infos) != 0:
            raise StoredFileError("the members overlap, or there is something before them")
        return members

    def _read_manifest(self) -> dict[str, Any]:
        if MANIFEST not in self._members or self._members[MANIFEST].file_size > MAX_BYTES:
            raise StoredFileError(f"{MANIFEST} is missing or larger than {MAX_BYTES} bytes")
        manifest = parse_json(self._zip.read(MANIFEST), MANIFEST)
        if not isinstance(manifest, dict) or not isinstance(manifest.get("members"), dict):
            raise StoredFileError(f"{MANIFEST} does not describe a model")
        if set(self._members) != {MANIFEST, *(f"{name}.npy" for name in manifest["members"])}:
            raise StoredFileError(f"the members are not those that {MANIFEST} lists")
        return manifest

    def read_array(self, name: str) -> Array:
        """Read the array of a member, in this machine's byte order; an error is a StoredFileError."""
        entry = self.manifest["members"].get(name)
        if not isinstance(entry, dict):
            raise StoredFileError(f"array {name[:20]!r} is not in the file")
        blob = self._zip.read(f"{name}.npy")
        if hashlib.sha256(blob).hexdigest() != entry.get("sha256") or len(blob) != entry.get("size"):
            raise StoredFileError(f"array {name} is damaged: its SHA-256 or size is wrong")
        return parse_array(name, blob, entry, longest_axis=self.size)


def _check_directory(file: BinaryIO, size: int) -> None:
    """Raise a StoredFileError if the zip's directory is too long, before a zip reader makes objects of it."""
    for comment in (SEAL_LENGTH, SIGNED_LENGTH):
        file.seek(max(size - comment - 22, 0))
        record = file.read(22)
        if record.startswith(b"PK\x05\x06") and record[20:22] == struct.pack("<H", comment):
            length = int(struct.unpack_from("<I", record, 12)[0])
            length = _long_directory(file, size - comment - 22) if length == 0xFFFFFFFF else length
            if length > MAX_DIRECTORY:
                raise StoredFileError(f"the archive lists more than {MAX_MEMBERS} members")
            return
    raise StoredFileError("the end of the archive is damaged")


def _long_directory(file: BinaryIO, end: int) -> int:
    """Bytes of the directory of an archive of more than 4 GB; its record stands 76 bytes before the end."""
    file.seek(max(end - 76, 0))
    record = file.read(56)
    if not record.startswith(b"PK\x06\x06"):
        raise StoredFileError("the end of the archive is damaged")
    return int(struct.unpack_from("<Q", record, 40)[0])
