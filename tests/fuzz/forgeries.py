"""Ways to forge a model file: each takes its manifest and arrays, and changes one thing of them."""

import ast
import copy
import io
import json

import numpy as np

from setwise.estimators.base.checks.parameters import allowed_values
from setwise.persistence.registry import find_class
from setwise.persistence.schemas import SCHEMAS
from tests.fuzz.values import CLASSES, NAMES, PLAIN, TRAP
from tests.persistence.sealing import entry, members, npy, pack, promise


class File:
    """A model file taken apart: manifest, name -> array."""

    def __init__(self, path):
        parts = members(path)
        self.manifest = json.loads(parts.pop("manifest.json"))
        self.arrays = {name.removesuffix(".npy"): np.load(io.BytesIO(blob)) for name, blob in parts.items()}
        self.raw = {}

    def copy(self):
        other = copy.copy(self)
        other.manifest, other.arrays, other.raw = copy.deepcopy(self.manifest), dict(self.arrays), {}
        return other

    def content(self):
        """The bytes, all digests right."""
        parts = []
        for name, array in self.arrays.items():
            blob = self.raw[name][0] if name in self.raw else npy(array)
            parts.append((f"{name}.npy", blob))
            self.manifest["members"][name] = self.raw[name][1] if name in self.raw else entry(array, blob)
        text = self.manifest if isinstance(self.manifest, bytes) else json.dumps(self.manifest).encode()
        return pack([*parts, ("manifest.json", text)])

    def objects(self):
        """Every object of the model."""
        return [node for node in _nodes(self.manifest["model"]) if node.get("$") == "object"]


def _nodes(node):
    if isinstance(node, list):
        for item in node:
            yield from _nodes(item)
    elif isinstance(node, dict):
        yield node
        for item in node.values():
            yield from _nodes(item)


def _pick(items, rng):
    items = list(items)
    return items[int(rng.integers(len(items)))]


def _extreme(array):
    return np.iinfo(array.dtype).max if array.dtype.kind in "iu" else 1


def _one(array, value, rng):
    """A copy with one entry replaced."""
    changed = array.copy()
    if changed.size and changed.dtype.kind in "iufb":
        flat = changed.reshape(-1)
        with np.errstate(all="ignore"):
            flat[int(rng.integers(flat.size))] = np.asarray(value).astype(changed.dtype)
        changed = flat.reshape(array.shape)
    return changed


def _floats(value):
    def change(array, rng):
        if array.dtype.kind != "f":
            return np.full(array.shape, value) if rng.random() < 0.3 else array.astype(np.float64) + value
        return np.full_like(array, value) if rng.random() < 0.5 else _one(array, value, rng)

    return change


def _wholes(value):
    def change(array, rng):
        if array.dtype.kind not in "iu":
            return array
        limits = np.iinfo(array.dtype)
        clipped = min(max(value, limits.min), limits.max)
        return np.full_like(array, clipped) if rng.random() < 0.5 else _one(array, clipped, rng)

    return change


ARRAYS = {
    "short": lambda a, rng: a[:1].copy() if a.ndim and len(a) > 1 else np.zeros((0, *a.shape[1:]), a.dtype),
    "one less": lambda a, rng: a[:-1].copy() if a.ndim else a,
    "one more": lambda a, rng: np.concatenate([a, a[-1:]]) if a.ndim else np.tile(a, 2),
    "one column less": lambda a, rng: a[..., :-1].copy() if a.ndim > 1 else a[:-1].copy(),
    "long": lambda a, rng: np.concatenate([a, a, a]) if a.ndim else np.tile(a, 3),
    "flat": lambda a, rng: a.ravel(),
    "deep": lambda a, rng: a[None],
    "nothing": lambda a, rng: np.zeros(0, a.dtype),
    "no columns": lambda a, rng: np.zeros((10**6, 0), a.dtype),
    "turned": lambda a, rng: np.ascontiguousarray(a.T),
    "a single value": lambda a, rng: np.zeros((), a.dtype),
    "float32": lambda a, rng: a.astype(np.float32) if a.dtype.kind in "iufb" else a,
    "int8": lambda a, rng: a.astype(np.int8) if a.dtype.kind in "iufb" else a,
    "int64": lambda a, rng: a.astype(np.int64) if a.dtype.kind in "iufb" else a,
    "uint64": lambda a, rng: a.astype(np.uint64) if a.dtype.kind in "iufb" else a,
    "flags": lambda a, rng: a.astype(np.bool_) if a.dtype.kind in "iufb" else a,
    "text": lambda a, rng: a.astype(np.str_),
    "other bytes": lambda a, rng: a.astype(a.dtype.newbyteorder(">")),
    "backwards": lambda a, rng: a[::-1].copy() if a.ndim else a,
    "shuffled": lambda a, rng: rng.permutation(a.ravel()).reshape(a.shape),
    "nan": _floats(np.nan),
    "inf": _floats(np.inf),
    "-inf": _floats(-np.inf),
    "huge": _floats(1e300),
    "large": _floats(9e99),
    "weighty": _floats(9e29),
    "tiny": _floats(1e-300),
    "below zero": _floats(-3.0),
    "zero": _floats(0.0),
    "far outside": _wholes(2**40),
    "largest": _wholes(2**63 - 1),
    "negative": _wholes(-2),
    "minus one": _wholes(-1),
    "all the first": _wholes(0),
    "in circles": lambda a, rng: (
        np.broadcast_to((np.arange(a.shape[-1]) + 1) % max(a.shape[-1], 1), a.shape).astype(a.dtype)
        if a.ndim and a.dtype.kind in "iu"
        else a
    ),
    "their own parents": lambda a, rng: (
        np.broadcast_to(np.arange(a.shape[-1]), a.shape).astype(a.dtype)
        if a.ndim and a.dtype.kind in "iu"
        else a
    ),
    "random numbers": lambda a, rng: (
        rng.integers(-2, 9, size=a.shape).astype(a.dtype) if a.dtype.kind in "iuf" else a
    ),
}


def forge_array(file, rng):
    if not file.arrays:
        return "none"
    name, (how, change) = _pick(file.arrays, rng), _pick(ARRAYS.items(), rng)
    with np.errstate(all="ignore"):
        file.arrays[name] = np.asarray(change(file.arrays[name], rng))
    return how


def forge_parameter(file, rng):
    node = _pick(file.objects(), rng)
    parameters = node["parameters"]
    name = _pick([*parameters, *NAMES[:3], "memory", "checkpoint", "n_jobs"], rng) if parameters else "memory"
    others = choices(node["class"]).get(name)
    value = _pick(others if others and rng.random() < 0.5 else [*PLAIN, TRAP], rng)
    parameters[name] = copy.deepcopy(value)
    return f"{node['class']}.{name} = {str(value)[:40]}"


def choices(name):
    """The values from closed lists of each parameter of a class of ours, whose name may be forged already."""
    ours = isinstance(name, str) and name in SCHEMAS and name.startswith("setwise.")
    values = allowed_values(find_class(name)) if ours else {}
    return {
        key: [literal for word in known.words for literal in _literal(word)] for key, known in values.items()
    }


def _literal(word):
    return [ast.literal_eval(word)] if word.startswith("'") or word in ("None", "True", "False") else []


def forge_attribute(file, rng):
    node = _pick(file.objects(), rng)
    state, kind = node["state"], int(rng.integers(4))
    name = _pick(state, rng) if state else "evil"
    if kind == 0 and state:
        del state[name]
        return f"without {node['class']}.{name}"
    if kind == 1:
        name = _pick(NAMES, rng)
    value = _pick(PLAIN, rng)
    state[name] = copy.deepcopy(value)
    return f"{node['class']}.{name} = {str(value)[:40]}"


def forge_number(file, rng):
    """Replace a plain value anywhere in the model."""
    places = [
        (node, key)
        for node in _nodes(file.manifest["model"])
        for key, value in node.items()
        if not isinstance(value, (dict, list))
    ]
    node, key = _pick(places, rng)
    value = _pick(PLAIN, rng)
    node[key] = copy.deepcopy(value)
    return f"{key} = {str(value)[:40]}"


def forge_item(file, rng):
    """Replace, repeat or remove an entry of a list."""
    lists = [
        value for node in _nodes(file.manifest["model"]) for value in node.values() if isinstance(value, list)
    ]
    lists = [value for value in lists if value]
    if not lists:
        return "none"
    items, kind = _pick(lists, rng), int(rng.integers(4))
    at = int(rng.integers(len(items)))
    if kind == 0:
        items[at] = copy.deepcopy(_pick(PLAIN, rng))
    elif kind == 1:
        items.insert(at, copy.deepcopy(items[at]))
    elif kind == 2:
        del items[at]
    else:
        items.reverse()
    return f"list {kind}"


def forge_class(file, rng):
    node = _pick(file.objects(), rng)
    old, node["class"] = node["class"], _pick(CLASSES, rng)
    return f"{old} as {node['class']}"


def forge_object(file, rng):
    """An object of the file in the place of another."""
    objects = file.objects()
    source, target = copy.deepcopy(_pick(objects, rng)), _pick(objects, rng)
    target.clear()
    target.update(source)
    return f"{source['class']} elsewhere"


def forge_sharing(file, rng):
    """Two attributes that share an array, or arrays in each other's place."""
    nodes = [node for node in _nodes(file.manifest["model"]) if node.get("$") == "array"]
    if len(nodes) < 2:
        return "none"
    first, second = _pick(nodes, rng), _pick(nodes, rng)
    if rng.random() < 0.5:
        first["member"] = second["member"]
        return "shared"
    first["member"], second["member"] = second["member"], first["member"]
    return "swapped"


def forge_bomb(file, rng):
    """Little that promises much."""
    bomb = _pick(BOMBS, rng)
    bomb(file, rng)
    return bomb.__name__


def wide_text(file, rng):
    file.raw[_pick(file.arrays or ["0"], rng)] = promise(
        f"<U{_pick([4096, 4097, 9999, 500000000], rng)}", (0,)
    )


def long_emptiness(file, rng):
    file.raw[_pick(file.arrays or ["0"], rng)] = promise(
        "<f8", _pick([(2**40, 0), (0, 2**40), (0, 9000)], rng)
    )


def promised_shape(file, rng):
    file.raw[_pick(file.arrays or ["0"], rng)] = promise("<f8", _pick([(2**40,), (2**20, 2**20), (1,)], rng))


def deep_entries(file, rng):
    _pick(file.objects(), rng)["state"]["evil"] = json.loads('{"$": "tuple", "items": [' * 60 + "]}" * 60)


def many_notes(file, rng):
    file.manifest["notes"] = {"a": [[]] * 300_000}


def many_names(file, rng):
    file.manifest["about"]["label_names"] = ["x"] * 300_000


def wide_sparse_rows(file, rng):
    for node in _nodes(file.manifest["model"]):
        if node.get("$") == "sparse":
            node["shape"] = [1, 2**40]


def other_sizes(file, rng):
    for node in _nodes(file.manifest["model"]):
        for key in ("n_features_in_", "n_labels_", "n_components_", "_n_values", "k", "n_quantiles_"):
            if key in node:
                node[key] = int(_pick([0, 1, 2, 5, 2**31, 2**40], rng))


BOMBS = [
    wide_text,
    long_emptiness,
    promised_shape,
    deep_entries,
    many_notes,
    many_names,
    wide_sparse_rows,
    other_sizes,
]


def forge_names(file, rng):
    """Names of labels and features that repeat, are long, or look like something else."""
    name = _pick(
        ["same", "\x1b]0;title\x07", "\u202egnp.exe", "../../etc/passwd", "=cmd|' /C calc'!A0", "n" * 5000],
        rng,
    )
    for node in _nodes(file.manifest["model"]):
        if node.get("$") == "objects" and node["items"] and rng.random() < 0.7:
            node["items"] = [name] * len(node["items"]) if rng.random() < 0.5 else [name, *node["items"][1:]]
    file.manifest["about"]["label_names"][:1] = [name]
    return f"name {name[:10]!r}"


def forge_copies(file, rng):
    """A list many times as long; the names of steps stay different."""
    lists = [v for node in _nodes(file.manifest["model"]) for v in node.values() if isinstance(v, list) and v]
    if not lists:
        return "none"
    items = _pick(lists, rng)
    for number in range(int(_pick([2, 30, 900], rng))):
        again = copy.deepcopy(items[0])
        if isinstance(again, dict) and again.get("$") == "tuple" and again["items"]:
            again["items"][0] = f"copy {number}"
            if rng.random() < 0.5:
                again["items"][1:2] = ["passthrough"]
        items.append(again)
    return f"{len(items)} items"


def forge_notes(file, rng):
    """What the command line would read the rows of a table by."""
    places = [(node, key) for node in _nodes(file.manifest["notes"]) for key in node]
    if not places:
        return "none"
    node, key = _pick(places, rng)
    value = _pick([*PLAIN, ["a", "a"], [None], {"kind": ["x"] * 3}, ["kind", "a"], {"a": 1}, "\n"], rng)
    node[key] = copy.deepcopy(value)
    return f"notes {key} = {str(value)[:40]}"


WAYS = {
    forge_array: 0.4,
    forge_parameter: 0.15,
    forge_attribute: 0.12,
    forge_number: 0.1,
    forge_item: 0.06,
    forge_class: 0.03,
    forge_object: 0.03,
    forge_sharing: 0.04,
    forge_bomb: 0.03,
    forge_names: 0.03,
    forge_copies: 0.01,
}


def forge(file, rng):
    """A forged copy: its bytes, and what was done to it."""
    forged, done = file.copy(), []
    for _ in range(1 + (rng.random() < 0.2)):
        way = rng.choice(list(WAYS), p=list(WAYS.values()))
        if file.manifest["notes"] and rng.random() < 0.5:
            way = forge_notes
        done.append(f"{way.__name__.removeprefix('forge_')}: {way(forged, rng)}")
    return forged.content(), "; ".join(done)
