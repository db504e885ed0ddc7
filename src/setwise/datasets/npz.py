"""Data sets as .npz files: fast to load, no parsing, nothing executable inside.

A file holds ``X`` (dense) or ``X_data, X_indices, X_indptr, X_shape`` (CSR), the same for ``Y``, and
``feature_names``, ``label_names`` and ``is_train`` (bool) where there are any.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy import sparse

from setwise.atomic import replacing
from setwise.contract import Array
from setwise.datasets.dataset import Dataset, Matrix

MAX_BYTES = 2**34
"""Largest file read, unpacked."""

_CSR_PARTS = ("data", "indices", "indptr", "shape")
_DAMAGE = (ValueError, KeyError, EOFError, OSError, MemoryError, zipfile.BadZipFile, zlib.error)


def read_npz(path: str | os.PathLike[str]) -> Dataset:
    """Read a data set that :func:`write_npz` wrote, or one of the same layout.

    Parameters
    ----------
    path : path of the .npz file

    Returns
    -------
    Dataset
        Named like the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "toy.npz"
    >>> write_npz(Dataset([[1.0], [2.0]], [[1, 0], [0, 1]]), path)
    >>> read_npz(path)
    Dataset('toy', rows=2, features=1, labels=2)
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        with np.load(path, allow_pickle=False) as parts:
            _check_size(path)
            return Dataset(
                X=_matrix(parts, "X"),
                Y=_matrix(parts, "Y"),
                feature_names=_names(parts, "feature_names"),
                label_names=_names(parts, "label_names"),
                split=parts.get("is_train"),
                name=path.stem,
            )
    except _DAMAGE as error:
        raise ValueError(f"{path}: not a data set in .npz form: {error}") from error


def write_npz(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as a compressed .npz file; :func:`read_npz` gives it back."""
    parts = {**_parts(dataset.X, "X"), **_parts(dataset.Y, "Y")}
    parts["feature_names"] = np.array(dataset.feature_names, dtype=np.str_)
    parts["label_names"] = np.array(dataset.label_names, dtype=np.str_)
    if dataset.split is not None:
        parts["is_train"] = dataset.split
    with replacing(path) as file:
        np.savez_compressed(file, **cast(dict[str, Any], parts))


def _check_size(path: Path) -> None:
    """Refuse before unpacking what would not fit; the directory of the archive has the sizes."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MAX_BYTES:
        raise ValueError(f"it would unpack to {size} bytes, more than the {MAX_BYTES} allowed")


def _matrix(parts: Mapping[str, Array], name: str) -> Matrix:
    if name in parts:
        return parts[name]
    missing = [f"{name}_{part}" for part in _CSR_PARTS if f"{name}_{part}" not in parts]
    if missing:
        raise ValueError(f"it has neither {name} nor {', '.join(missing)}")
    data, indices, indptr, shape = (parts[f"{name}_{part}"] for part in _CSR_PARTS)
    matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape))
    matrix.check_format()
    return matrix


def _parts(matrix: Matrix, name: str) -> dict[str, Array]:
    if not sparse.issparse(matrix):
        return {name: matrix}
    return {f"{name}_{part}": np.asarray(getattr(matrix, part)) for part in _CSR_PARTS}


def _names(parts: Mapping[str, Array], key: str) -> list[str]:
    return [str(name) for name in parts[key]] if key in parts else []
