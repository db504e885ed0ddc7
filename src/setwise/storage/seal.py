"""The end of a stored file: a digest of all bytes before it and, on request, a signature by a secret key.

``[hmac-sha256: + 64 digits + space] + sha256: + 64 digits``, each over every byte before its own digits. Anyone
can compute a digest, so it finds damage and proves nothing about who wrote the file. Only holders of the key can
compute the signature.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple

from setwise.storage.errors import StoredFileError

SEAL = b"sha256:"
SIGNATURE = b"hmac-sha256:"
DIGITS = 64
MIN_KEY = 16
CHUNK = 2**20

SEAL_LENGTH = len(SEAL) + DIGITS
SIGNED_LENGTH = len(SIGNATURE) + DIGITS + 1 + SEAL_LENGTH


class Sealed(NamedTuple):
    """The SHA-256 of a file before its last digits, and whether it carries a signature."""

    digest: str
    signed: bool


def check_key(key: Any) -> None:
    """Raise a ValueError unless ``key`` is None or bytes long enough to be secret."""
    if key is not None and (not isinstance(key, bytes) or len(key) < MIN_KEY):
        raise ValueError(
            f"key must be bytes, at least {MIN_KEY} of them; secrets.token_bytes(32) makes a key to keep secret"
        )


def empty_seal(key: bytes | None) -> bytes:
    """A seal whose digits are still to be written."""
    signature = b"" if key is None else SIGNATURE + bytes(DIGITS) + b" "
    return signature + SEAL + bytes(DIGITS)


def write_seal(file: BinaryIO, key: bytes | None) -> None:
    """Fill in the digits at the end of a file that was written with :func:`empty_seal`."""
    size = file.seek(0, os.SEEK_END)
    if key is not None:
        _write_digits(file, size - SEAL_LENGTH - 1 - DIGITS, hmac.new(key, digestmod="sha256"))
    _write_digits(file, size - DIGITS, hashlib.sha256())


def _write_digits(file: BinaryIO, end: int, digest: Any) -> None:
    _feed(file, 0, end, [digest])
    file.write(digest.hexdigest().encode())


def check_seal(file: BinaryIO, size: int, key: bytes | None) -> Sealed:
    """Compare the digits at the end of a file with its bytes; a StoredFileError if they differ.

    With a key a file without a signature is refused too.
    """
    end = size - DIGITS
    seal = _read(file, end - len(SEAL), SEAL_LENGTH)
    if not seal.startswith(SEAL):
        raise StoredFileError("the seal is missing: the file is cut off, or not a setwise model file")
    signed_end = end - len(SEAL) - 1 - DIGITS
    signature = _read(file, signed_end - len(SIGNATURE), len(SIGNATURE) + DIGITS)
    signed = signature.startswith(SIGNATURE)
    if key is not None and not signed:
        raise StoredFileError("the file is not signed, and a key was given to check its signature")
    digest, mac = hashlib.sha256(), hmac.new(key or b"", digestmod="sha256")
    _feed(file, 0, signed_end, [digest] if key is None else [digest, mac])
    _feed(file, max(signed_end, 0), end, [digest])
    if not _matches(seal, digest):
        raise StoredFileError("the file is damaged: its SHA-256 is not the one it was sealed with")
    if key is not None and not _matches(signature, mac):
        raise StoredFileError("the signature does not match the key: another key, or a changed file")
    return Sealed(digest.hexdigest(), signed)


def _matches(written: bytes, digest: Any) -> bool:
    return hmac.compare_digest(written[-DIGITS:], digest.hexdigest().encode())


def _read(file: BinaryIO, offset: int, length: int) -> bytes:
    file.seek(max(offset, 0))
    return file.read(length)


def _feed(file: BinaryIO, start: int, end: int, digests: Sequence[Any]) -> None:
    """Update each digest with the bytes from ``start`` to ``end``, where the position is left."""
    file.seek(start)
    while (left := end - file.tell()) > 0 and (chunk := file.read(min(CHUNK, left))):
        for digest in digests:
            digest.update(chunk)
