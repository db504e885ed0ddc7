"""Data sets as .npz files, which load quickly and contain no code.

A file has ``X`` (dense) or ``X_data, X_indices, X_indptr, X_shape`` (CSR), the same for ``Y``, and optionally
``feature_names``, ``label_names`` and ``is_train`` (bool).
"""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy import sparse

from setwise.atomic import replacing
from setwise.contract import Array, Matrix
from setwise.datasets.dataset import Dataset
from setwise.files.arrays import ArrayArchive
from setwise.files.errors import DataFormatError, too_large
from setwise.files.limits import limits

_CSR_PARTS = ("data", "indices", "indptr", "shape")
_DAMAGE = (ValueError, KeyError, EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error)


def read_npz(path: str | os.PathLike[str]) -> Dataset:
    """Read a data set that :func:`write_npz` wrote, or one of the same layout.

    Parameters
    ----------
    path : str or path

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
        with ArrayArchive(path) as parts:
            return Dataset(
                X=_matrix(parts, "X"),
                Y=_matrix(parts, "Y"),
                feature_names=_names(parts, "feature_names"),
                label_names=_names(parts, "label_names"),
                split=parts.get("is_train"),
                name=path.stem,
            )
    except DataFormatError:
        raise
    except _DAMAGE as error:
        raise DataFormatError(f"not a data set in .npz form: {error}", file=path) from error


def write_npz(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as a compressed .npz file that :func:`read_npz` reads.

    Parameters
    ----------
    dataset : Dataset
    path : str or path

    Examples
    --------
    See :func:`read_npz`.
    """
    parts = {**_parts(dataset.X, "X"), **_parts(dataset.Y, "Y")}
    parts["feature_names"] = np.array(dataset.feature_names, dtype=np.str_)
    parts["label_names"] = np.array(dataset.label_names, dtype=np.str_)
    if dataset.split is not None:
        parts["is_train"] = dataset.split
    with replacing(path) as file:
        np.savez_compressed(file, **cast(dict[str, Any], parts))


def _matrix(parts: ArrayArchive, name: str) -> Matrix:
    matrix = parts[name] if name in parts else _csr_matrix(parts, name)
    if matrix.ndim == 2 and matrix.shape[1] > limits().columns:
        message = f"{name} has {matrix.shape[1]} columns, more than the {limits().columns} allowed"
        raise too_large(message, parts.path)
    return matrix


def _csr_matrix(parts: ArrayArchive, name: str) -> Matrix:
    missing = [f"{name}_{part}" for part in _CSR_PARTS if f"{name}_{part}" not in parts]
    if missing:
        raise ValueError(f"it has neither {name} nor {', '.join(missing)}")
    data, *places = (parts[f"{name}_{part}"] for part in _CSR_PARTS)
    for part, array in zip(_CSR_PARTS[1:], places):
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise ValueError(
                f"{name}_{part} holds {array.dtype} of shape {array.shape}; expected a row of integers"
            )
    indices, indptr, shape = places
    if len(shape) != 2 or shape[0] + 1 != len(indptr):
        raise ValueError(f"{name}_shape does not fit the {len(indptr)} entries of {name}_indptr")
    matrix = sparse.csr_array((data, indices, indptr), shape=(int(shape[0]), int(shape[1])))
    matrix.check_format()
    return matrix


def _parts(matrix: Matrix, name: str) -> dict[str, Array]:
    if not sparse.issparse(matrix):
        return {name: matrix}
    return {f"{name}_{part}": np.asarray(getattr(matrix, part)) for part in _CSR_PARTS}


def _names(parts: ArrayArchive, key: str) -> list[str]:
    if key not in parts:
        return []
    if parts[key].dtype.kind != "U":
        raise ValueError(f"{key} holds {parts[key].dtype}; expected text")
    return [str(name) for name in parts[key]]
