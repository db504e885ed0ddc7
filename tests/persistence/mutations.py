"""Random damage to a model file, with and without its seal made right again."""

import json
import zlib

import numpy as np

from tests.persistence.sealing import entry, npy, pack, reseal


def flip_bit(content, rng):
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]


def overwrite(content, rng):
    at, length = int(rng.integers(len(content))), int(rng.integers(1, 64))
    return content[:at] + rng.bytes(length) + content[at + length :]


def truncate(content, rng):
    return content[: int(rng.integers(len(content)))]


def insert(content, rng):
    at = int(rng.integers(len(content) + 1))
    return content[:at] + rng.bytes(int(rng.integers(1, 64))) + content[at:]


def delete(content, rng):
    at = int(rng.integers(len(content)))
    return content[:at] + content[at + int(rng.integers(1, 64)) :]


def swap_blocks(content, rng):
    a, b = sorted(rng.integers(len(content), size=2).tolist())
    n = min(b - a, int(rng.integers(1, 200)), len(content) - b)
    return content[:a] + content[b : b + n] + content[a + n : b] + content[a : a + n] + content[b + n :]


def repeat(content, rng):
    return content * int(rng.integers(2, 4))


def nothing_but_noise(content, rng):
    return b"PK\x03\x04" + rng.bytes(int(rng.integers(2000)))


BYTES = [flip_bit, overwrite, truncate, insert, delete, swap_blocks, repeat, nothing_but_noise]


def damage(content, rng):
    """One to three kinds of damage; the bytes differ from ``content``."""
    damaged = content
    while damaged == content:
        for _ in range(int(rng.integers(1, 4))):
            damaged = BYTES[int(rng.integers(len(BYTES)))](damaged or b"\0", rng)
    return damaged


NAMES = [
    "../../evil.npy",
    "/etc/passwd",
    "0.npy",
    "00.npy",
    "manifest.json",
    "a/0.npy",
    "0.npy\0",
    "",
    "9999999.npy",
]
VALUES = [None, True, -1, 2**63, 1e308, "", "x" * 100, [], {}, [[]], {"$": "object", "class": "os.system"}]


def forge(parts, rng):
    """An archive made by hand from the members of a real one, its digests right: what an attacker would send."""
    parts = dict(parts)
    manifest = json.loads(parts.pop("manifest.json"))
    kind = int(rng.integers(6))
    if kind == 0:
        _change_value(manifest, rng)
    elif kind == 1:
        _change_array(parts, manifest, rng)
    named = [*parts.items(), ("manifest.json", json.dumps(manifest).encode())]
    if kind == 2:
        named = [named[i] for i in rng.permutation(len(named))]
        named[0] = (named[1][0], named[0][1])
    elif kind == 3:
        at = int(rng.integers(len(named)))
        named[at] = (NAMES[int(rng.integers(len(NAMES)))], named[at][1])
    elif kind == 4:
        named.insert(int(rng.integers(len(named))), ("7.npy", npy(np.zeros(3))))
    compressed = zlib.DEFLATED if kind == 5 else 0
    content = pack(named, compressed)
    return reseal(damage(content, rng)) if rng.random() < 0.3 else content


def _change_value(node, rng):
    """Replace a value somewhere in the manifest."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(node[key], (dict, list)) and rng.random() < 0.9:
            node = node[key]
            continue
        node[key] = VALUES[int(rng.integers(len(VALUES)))]
        return


def _change_array(parts, manifest, rng):
    """Another array under a right digest: wrong shape, type or values, or Python objects."""
    name = list(parts)[int(rng.integers(len(parts)))]
    arrays = [
        np.zeros(0),
        rng.integers(-(2**31), 2**31, size=(3, 3)),
        rng.normal(size=(int(rng.integers(1, 9)), int(rng.integers(1, 9)))),
        np.array([{"a": 1}, print], dtype=object),
        np.full((2, 3), np.nan, dtype=np.float32),
        np.array(["a", "b"]),
        np.zeros((1, 2, 3), dtype=">i2"),
    ]
    array = arrays[int(rng.integers(len(arrays)))]
    content = npy(array)
    if rng.random() < 0.3:
        content = content.replace(b"(", b"(9999999999, ", 1)
    parts[name] = content
    manifest["members"][name.removesuffix(".npy")] = entry(array, content)
