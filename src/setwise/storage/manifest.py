"""JSON from a file, within limits that are checked before it is parsed."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from setwise.storage.errors import StoredFileError

MAX_BYTES = 2**25
MAX_NODES = 2**20
"""Maximum number of values and keys. An empty object takes 64 bytes of memory for three bytes of text."""
MAX_DEPTH = 256
MAX_DIGITS = 20
"""Maximum number of digits of a whole number: that of 64-bit numbers."""

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


def parse_json(content: bytes, what: str, *, finite: bool = True) -> Any:
    """Parse a JSON text; a StoredFileError names ``what`` it is.

    Names occur once in an object. Numbers are finite; ``finite=False`` allows the NaN and Infinity that Python writes.

    Examples
    --------
    >>> parse_json(b'{"a": [1, 2.5]}', "manifest.json")
    {'a': [1, 2.5]}
    >>> parse_json(b"[1e999]", "manifest.json")
    Traceback (most recent call last):
    setwise.storage.errors.StoredFileError: manifest.json holds the number 1e999, which is not finite
    """
    _check_limits(content, what)

    def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise StoredFileError(f"{what} names a key twice in one object")
        return found

    def number(text: str) -> float:
        value = float(text)
        if finite and not math.isfinite(value):
            raise StoredFileError(f"{what} holds the number {text[:20]}, which is not finite")
        return value

    def short(text: str) -> int:
        if len(text) > MAX_DIGITS:
            raise StoredFileError(f"{what} holds a number of {len(text)} digits")
        return int(text)

    hooks = {"parse_constant": number, "parse_float": number, "parse_int": short}
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=unique_keys, **hooks)  # type: ignore[arg-type]
    except StoredFileError:
        raise
    except ValueError as error:
        raise StoredFileError(f"{what} is not valid JSON ({error})") from error


def _check_limits(content: bytes, what: str) -> None:
    if len(content) > MAX_BYTES:
        raise StoredFileError(f"{what} has {len(content)} bytes; at most {MAX_BYTES} are read")
    nodes = max(sum(map(content.count, (b",", b":", b"[", b"{"))), content.count(b'"') // 4)
    if nodes > MAX_NODES:
        raise StoredFileError(f"{what} has about {nodes} values; at most {MAX_NODES} are read")
    if json_depth(content) > MAX_DEPTH:
        raise StoredFileError(f"{what} is nested more than {MAX_DEPTH} deep")


def json_depth(content: bytes) -> int:
    """Compute the nesting depth of a JSON text without parsing it.

    Examples
    --------
    >>> json_depth(b'[{"a": "[[[["}]')
    2
    """
    outside = _STRING.sub(b"", content)
    steps = _STEPS[np.frombuffer(outside, dtype=np.uint8)]
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))
