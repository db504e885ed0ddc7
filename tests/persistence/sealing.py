"""Model files changed by hand and sealed again: the hostile ones, whose digests are right."""

import hashlib
import io
import json
import warnings
import zipfile

import numpy as np

SEAL = b"sha256:"


def seal(content, comment=None):
    """The bytes of a zip without comment, sealed as the writer does; the digest is right."""
    end = content.rfind(b"PK\x05\x06")
    comment = SEAL if comment is None else comment
    content = content[: end + 20] + (len(comment) + 64).to_bytes(2, "little") + comment
    return content + hashlib.sha256(content).hexdigest().encode()


def reseal(content):
    """The bytes of a file whose last 64 are replaced by the right digest."""
    return content[:-64] + hashlib.sha256(content[:-64]).hexdigest().encode()


def members(path):
    """Name -> bytes of the members of a model file."""
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def pack(parts, compression=zipfile.ZIP_STORED):
    """A sealed archive of (name, bytes) pairs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that occur twice are the point
        for name, content in parts:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, compress_type=compression)
    return seal(buffer.getvalue())


def npy(array):
    """The bytes of an array as a .npy file."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=True)
    return buffer.getvalue()


def promise(descr, shape):
    """The bytes of a .npy file that has a header and nothing else, and what the manifest says of it."""
    buffer = io.BytesIO()
    described = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, described)
    content = buffer.getvalue()
    return content, entry(np.zeros(0), content) | {"dtype": descr, "shape": list(shape)}


def entry(array, content):
    """What the manifest says of an array."""
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "dtype": array.dtype.str,
        "shape": list(array.shape),
    }


def rewrite(path, *, manifest=lambda m: None, arrays=lambda name, array: array):
    """Change the manifest and the arrays of a model file, with every digest made right again."""
    parts = members(path)
    content = json.loads(parts.pop("manifest.json"))
    for name, blob in parts.items():
        array = arrays(name, np.load(io.BytesIO(blob)))
        parts[name] = npy(array)
        content["members"][name.removesuffix(".npy")] = entry(array, parts[name])
    manifest(content)
    path.write_bytes(pack([*parts.items(), ("manifest.json", json.dumps(content).encode())]))
