"""No damage to a model file goes unseen, and no forged one does more than raise ModelFileError."""

import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from scipy import sparse

import setwise
from setwise import ConditionalBernoulliMixture, ConditionalTree, MLkNN
from setwise.persistence import ModelFileError
from tests.persistence.mutations import damage, forge
from tests.persistence.sealing import entry, members, npy, pack, reseal, rewrite

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = (X + RNG.normal(size=(40, 2)) > 0).astype(int)


PARENTS = ConditionalTree(l2=1.0).fit(X, Y).parents_.tolist()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "small.setwise"
    setwise.save(ConditionalTree(l2=1.0).fit(X, Y), path)
    return path


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as error:
        setwise.load(path)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_every_single_bit_is_covered(original, tmp_path):
    """Every bit of the file, one at a time: red when a byte lies outside the seal."""
    content, path = original.read_bytes(), tmp_path / "flipped"
    with open(path, "wb+") as file:
        file.write(content)
        for at, byte in enumerate(content):
            for bit in range(8):
                file.seek(at)
                file.write(bytes([byte ^ (1 << bit)]))
                file.flush()
                with pytest.raises(ModelFileError):
                    setwise.load(path)
            file.seek(at)
            file.write(bytes([byte]))
    assert path.read_bytes() == content


def fuzz(original, path, n, seed):
    """Half damaged, half forged; a damaged file never loads, a forged one loads or raises ModelFileError."""
    rng, parts, content = np.random.default_rng(seed), members(original), original.read_bytes()
    loaded = 0
    for i in range(n):
        forged = i % 2 == 1
        path.write_bytes(forge(parts, rng) if forged else damage(content, rng))
        try:
            model = setwise.load(path)
        except ModelFileError:
            continue
        assert forged
        loaded += 1
        _ask(model)
    return loaded


def _ask(model):
    """A forged model that loads may fail to answer, but only with an exception."""
    try:
        with np.errstate(all="ignore"):
            model.predict_proba(X)
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, RuntimeWarning, NotImplementedError):
        pass


def test_random_damage_and_forgery(original, tmp_path):
    tracemalloc.start()
    try:
        fuzz(original, tmp_path / "m", 400, seed=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000  # the file has some 5 KB; nothing a header promises is ever allocated


@pytest.mark.slow
def test_ten_thousand_mutations(original, tmp_path):
    assert fuzz(original, tmp_path / "m", 10_000, seed=1) < 5_000


def with_manifest(parts, change):
    manifest = json.loads(parts["manifest.json"])
    changed = change(manifest)
    text = changed if isinstance(changed, bytes) else json.dumps(manifest).encode()
    return [
        *((name, blob) for name, blob in parts.items() if name != "manifest.json"),
        ("manifest.json", text),
    ]


def state_of(manifest):
    return manifest["model"]["state"]


FORGED_MANIFESTS = {
    "not json": (lambda m: b"{", "manifest.json is not valid JSON"),
    "not utf-8": (lambda m: b"\xff\xfe", "manifest.json is not valid JSON"),
    "a list": (lambda m: b"[]", "does not describe a model"),
    "keys twice": (lambda m: b'{"members": {}, "members": {}}', "names a key twice"),
    "nan": (lambda m: b'{"members": {}, "model": NaN}', "the number NaN, which is not finite"),
    "an infinite number": (lambda m: b'{"members": {}, "model": 1e999}', "1e999, which is not finite"),
    "a bottomless pit": (lambda m: b"[" * 200_000, "nested more than 256 deep"),
    "a huge number": (lambda m: b'{"members": ' + b"9" * 100_000 + b"}", "a number of 100000 digits"),
    "a million values": (lambda m: b"[" + b"1," * 2**20 + b"1]", "values; at most"),
    "a million strings": (lambda m: b'"' * 2**23, "values; at most"),
    "many bytes": (lambda m: b'"' + b"a" * 2**25 + b'"', "manifest.json is missing or larger"),
    "deep entries": (
        lambda m: state_of(m).update(a=json.loads('{"$": "tuple", "items": [' * 100 + "]}" * 100)),
        "nested too deeply",
    ),
    "another format": (lambda m: m.update(format="pickle"), "not one of a setwise model"),
    "a version in words": (lambda m: m.update(version="one"), "not one of a setwise model"),
    "a class outside": (lambda m: m["model"].update({"class": "os.system"}), "class 'os.system', which"),
    "a class not listed": (
        lambda m: m["model"].update({"class": "sklearn.SVC"}),
        "class 'sklearn.SVC', which",
    ),
    "a name that is not a class": (lambda m: m["model"].update({"class": "setwise.load"}), "does not know"),
    "a part as the model": (
        lambda m: m.update(model=state_of(m)["_targets"]),
        "arrays that its model does not use",
    ),
    "a method replaced": (
        lambda m: state_of(m).update(predict=1),
        "has no attribute 'predict'",
    ),
    "a class changed": (lambda m: state_of(m).update(__class__=1), "has no attribute"),
    "an unknown kind": (lambda m: state_of(m).update(a={"$": "pickle"}), "unknown kind 'pickle'"),
    "a private kind": (lambda m: state_of(m).update(a={"$": "_items"}), "unknown kind '_items'"),
    "a function outside": (
        lambda m: state_of(m).update(a={"$": "function", "name": "eval"}),
        "function 'eval' is unknown",
    ),
    "an object type": (lambda m: state_of(m).update(a={"$": "dtype", "value": "O"}), "'O' is not allowed"),
    "a missing array": (
        lambda m: state_of(m).update(coef_={"$": "array", "member": "99"}),
        "array '99' is not in the file",
    ),
    "not fitted": (lambda m: m["model"].update(state={}), "arrays that its model does not use"),
    "a name that is not a parameter": (
        lambda m: m["model"]["parameters"].update(evil=1),
        "no parameter 'evil'",
    ),
}


@pytest.mark.parametrize("name", FORGED_MANIFESTS)
def test_forged_manifests(name, original, tmp_path):
    change, message = FORGED_MANIFESTS[name]
    assert message in refused(tmp_path / "m", pack(with_manifest(members(original), change)))


@pytest.mark.parametrize(
    "name", ["../0.npy", "/0.npy", "a/0.npy", "0.pkl", "x.npy", "٣.npy", "C:0.npy", "12345678.npy"]
)
def test_forged_member_names(name, original, tmp_path):
    parts = [(name if old == "0.npy" else old, blob) for old, blob in members(original).items()]
    assert "unexpected member" in refused(tmp_path / "m", pack(parts))


def test_members_twice_missing_and_too_many(original, tmp_path):
    parts = list(members(original).items())
    assert "two members of the same name" in refused(tmp_path / "m", pack([parts[0], *parts]))
    assert "not those that manifest.json lists" in refused(tmp_path / "m", pack(parts[1:]))
    extra = [*parts, ("99.npy", npy(np.zeros(2)))]
    assert "not those that manifest.json lists" in refused(tmp_path / "m", pack(extra))
    assert "manifest.json is missing" in refused(
        tmp_path / "m", pack([p for p in parts if p[0] != "manifest.json"])
    )


def test_compressed_bombs_are_not_unpacked(original, tmp_path):
    parts = [("0.npy", bytes(50_000_000)), *list(members(original).items())[1:]]
    assert "compressed or encrypted" in refused(tmp_path / "m", pack(parts, zipfile.ZIP_DEFLATED))


def test_bytes_before_the_archive_and_overlapping_members(original, tmp_path):
    content = pack(list(members(original).items()))
    assert "not a setwise model file" in refused(tmp_path / "m", reseal(b"#!/bin/sh\n" + content))
    assert "members overlap" in refused(tmp_path / "m", reseal(content[:4] + content))
    with_size = bytearray(content)
    directory = content.index(b"PK\x01\x02")
    struct.pack_into("<II", with_size, directory + 20, 2**31, 2**31)
    assert "members overlap" in refused(tmp_path / "m", reseal(bytes(with_size)))


FORGED_ARRAYS = {
    "python objects": np.array([print], dtype=object),
    "records": np.zeros(2, dtype=[("a", "f8")]),
    "dates": np.zeros(2, dtype="M8[s]"),
    "complex": np.zeros(2, dtype=complex),
    "long doubles": np.zeros(2, dtype=np.longdouble),
}


@pytest.mark.parametrize("name", FORGED_ARRAYS)
def test_arrays_of_forbidden_types(name, original, tmp_path):
    """A pickle inside a .npy member is never opened."""
    array = FORGED_ARRAYS[name]
    parts = members(original)
    parts["0.npy"] = npy(array)
    forged = with_manifest(parts, lambda m: m["members"].update({"0": entry(array, parts["0.npy"])}))
    message = refused(tmp_path / "m", pack(forged))
    assert "is not allowed" in message or "of an unknown type" in message


@pytest.mark.parametrize("shape", ["(99999999999,)", "(-1,)", "(4294967296, 4294967296)", "(2, 3"])
def test_headers_that_promise_other_arrays(shape, original, tmp_path):
    """Shapes that the bytes do not fill are refused before any memory is asked for."""
    parts = members(original)
    content = npy(np.zeros(3)).replace(b"(3,)", shape.encode())
    parts["0.npy"] = content
    described = entry(np.zeros(3), content)
    if shape.endswith(")"):
        described["shape"] = [int(n) for n in shape.strip("(,)").split(",")]
    forged = with_manifest(parts, lambda m: m["members"].update({"0": described}))
    tracemalloc.start()
    refused(tmp_path / "m", pack(forged))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_swapped_arrays_of_one_shape_are_seen(original, tmp_path):
    parts = members(original)
    parts["0.npy"], parts["1.npy"] = parts["1.npy"], parts["0.npy"]
    assert "damaged" in refused(tmp_path / "m", pack(list(parts.items())))


def test_sparse_matrices_with_wild_indices_are_refused(tmp_path):
    """Compiled code would read outside the array."""
    path = tmp_path / "m"
    setwise.save(MLkNN(n_neighbors=2).fit(sparse.csr_array(np.abs(X)), Y), path)

    def wild(name, array):
        return np.full_like(array, 10**6) if array.dtype.kind == "i" and array.shape == (80,) else array

    rewrite(path, arrays=wild)
    with pytest.raises(ModelFileError, match=r"rows\.indices is 1000000; expected a number from 0 to 1"):
        setwise.load(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", bytes(1000), b"PK\x03\x04" + bytes(200)])
def test_other_files(content, tmp_path):
    assert "not a setwise model file" in refused(tmp_path / "m", content)


def test_a_zip_of_another_kind(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.zeros(3))
    with pytest.raises(ModelFileError, match="not a setwise model file"):
        setwise.load(tmp_path / "a.npz")


def test_folders_and_missing_files_keep_their_own_errors(tmp_path):
    with pytest.raises(IsADirectoryError):
        setwise.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        setwise.load(tmp_path / "nothing")


def test_forged_structures_are_checked_before_compiled_code_reads_them(original, tmp_path):
    """Parents far outside the labels: an exception that names them, not a crash."""
    path = tmp_path / "m"
    path.write_bytes(original.read_bytes())
    rewrite(path, arrays=lambda name, a: np.array([-1, 10**6]) if a.tolist() == PARENTS else a)
    with pytest.raises(ModelFileError, match=r"parents_ is 1000000; expected a number from -1 to 1"):
        setwise.load(path)


BOOSTED = ConditionalBernoulliMixture(
    2, learner="boosting", tuning=False, max_iter=3, n_init=1, random_state=0
)


@pytest.mark.parametrize(
    "change", [lambda a: a + 10**6, lambda a: np.zeros_like(a), lambda a: a[:-1], lambda a: -a - 2]
)
def test_forged_trees_lead_nowhere(change, tmp_path):
    """Nodes outside, walks in circles, arrays cut short: refused before a kernel walks them."""
    path = tmp_path / "m"
    setwise.save(BOOSTED.fit(X, Y), path)
    original, refusals = path.read_bytes(), 0
    for target in [name for name, blob in members(path).items() if b"'<i4'" in blob]:
        path.write_bytes(original)
        rewrite(path, arrays=lambda name, a, t=target: change(a) if name == t else a)
        try:
            setwise.load(path).predict(X)
        except ValueError:
            refusals += 1
    assert refusals >= 3
