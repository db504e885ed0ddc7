"""``save`` and ``load``: model files that are safe to open.

A file is read in three steps. Its bytes become data: numbers, text, arrays, and records of objects. The records are
compared with the schema of their class. Only then are objects built, and no code of theirs runs.
"""

from __future__ import annotations

import os
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from setwise.persistence.building import build
from setwise.persistence.description import (
    Description,
    about,
    check_description,
    check_matches,
    library_versions,
)
from setwise.persistence.encoding import encode
from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import Limits, Scope, check_record
from setwise.persistence.nodes import Reader, Writer
from setwise.persistence.records import Record
from setwise.persistence.registry import class_name
from setwise.persistence.schemas import find_schema
from setwise.persistence.upgrades import upgrade
from setwise.persistence.words import Words
from setwise.storage import Container, StoredFileError, write_container

FORMAT = "setwise model"
FORMAT_VERSION = 2
"""Increased when older versions could not read new files; files of every version stay readable."""
COPIES = 4
"""Repeated arrays in files of the first format may take at most this many times the size of the file."""


def save(
    model: BaseEstimator,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
    key: bytes | None = None,
) -> None:
    """Write a fitted model to a file. If that fails, an existing file at ``path`` is not changed.

    The file contains arrays and JSON, no pickled objects and no code.

    Parameters
    ----------
    model : fitted estimator of setwise, or a scikit-learn Pipeline whose last step is one
        Learners and transformers of scikit-learn are stored if their fitted state is arrays. The error for a part
        that cannot be stored names its place. ``checkpoint``, ``memory`` and ``n_jobs`` are not stored.
    path : path of the file
        ``.setwise`` by convention.
    notes : mapping of JSON values, optional
        Stored beside the model, for :func:`describe`.
    key : bytes, optional
        Key that signs the file. :func:`load` with a key refuses every file that was not signed with it.

    See Also
    --------
    load : Read the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> import setwise
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = setwise.ConditionalTree(l2=1.0).fit(X, np.hstack([X > 0, X > 0.5]))
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "model.setwise"
    >>> setwise.save(model, path)
    >>> bool((setwise.load(path).predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    if not isinstance(model, BaseEstimator) or class_name(type(model)) is None:
        raise ModelFileError(
            f"a {type(model).__name__} cannot be stored in a model file; expected a setwise estimator or a Pipeline"
        )
    check_is_fitted(model)
    record = encode(model, type(model).__name__)
    writer = Writer()
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": library_versions(),
        "about": about(model),
        "notes": dict(notes or {}),
        "model": writer.write(record),
    }
    # The checks of load, so that every file that is written can be read.
    check_description(manifest)
    _check(record, sum(array.nbytes for array in writer.arrays))
    try:
        write_container(path, manifest, writer.arrays, key)
    except StoredFileError as error:
        raise ModelFileError(str(error)) from error


def load(path: str | os.PathLike[str], *, key: bytes | None = None) -> Any:
    """Read the model of a file that :func:`save` wrote.

    Parameters
    ----------
    path : path of the file
    key : bytes, optional
        The key that the file was signed with. Files without a signature, or with another one, are refused.

    Returns
    -------
    fitted estimator

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, comes from a newer version, or contains something that a model
        file may not contain; the message says which.

    Examples
    --------
    See :func:`save`.
    """
    with _open(path, key) as file:
        return _guard(path, lambda: _read_model(file))


def load_described(path: str | os.PathLike[str], *, key: bytes | None = None) -> tuple[Any, Description]:
    """Read the model and the description of a file, opening it once.

    Parameters
    ----------
    path : path of the file
    key : bytes, optional
        As in :func:`load`.

    Returns
    -------
    model : fitted estimator
    description : Description

    Examples
    --------
    See :func:`save` and :func:`describe`.
    """
    with _open(path, key) as file:
        return _guard(path, lambda: (_read_model(file), _describe(file)))


def describe(path: str | os.PathLike[str], *, key: bytes | None = None) -> Description:
    """Read the description of a model file. Its digest is checked, its model is not built.

    Parameters
    ----------
    path : path of the file
    key : bytes, optional
        As in :func:`load`.

    Returns
    -------
    Description

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> import setwise
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "model.setwise"
    >>> setwise.save(setwise.NaiBX().fit(X, np.hstack([X > 0, X > 0.5])), path, notes={"data": "a line"})
    >>> described = describe(path)
    >>> described.estimator, described.label_names, described.notes
    ('NaiBX', ['0', '1'], {'data': 'a line'})
    """
    with _open(path, key) as file:
        return _guard(path, lambda: _describe(file))


def _open(path: str | os.PathLike[str], key: bytes | None) -> Container:
    return _guard(path, lambda: Container(path, key))


def _guard(path: str | os.PathLike[str], work: Callable[[], Any]) -> Any:
    """Run some work; convert any exception that a bad file causes to one error that names the file."""
    try:
        return work()
    except StoredFileError as error:
        raise ModelFileError(f"{path}: {error}") from error.__cause__
    except (OSError, MemoryError):
        raise
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise ModelFileError(f"{path}: not a readable archive ({error})") from error
    except Exception as error:
        raise ModelFileError(
            f"{path}: the content is not a valid model ({type(error).__name__}: {error})"
        ) from error


def _read_model(file: Container) -> Any:
    written = _check_format(file)
    reader = Reader(file.read_array, shared=written == 1, budget=COPIES * file.size)
    record = reader.read(upgrade(file.manifest.get("model"), written))
    if not isinstance(record, Record):
        raise ModelFileError("the file holds no model")
    if written > 1 and len(reader.used) < len(file.manifest["members"]):
        raise ModelFileError("the file holds arrays that its model does not use")
    _check(record, file.size)
    model = build(record)
    if not isinstance(model, BaseEstimator):
        raise ModelFileError("the file holds no model")
    check_is_fitted(model)
    if written > 1:
        check_matches(file.manifest["about"], model)
    _warn_of_versions(file, set(_class_names(record)))
    return model


def _check(record: Record, size: int) -> None:
    """Raise a ModelFileError unless a model conforms to the schemas; ``size`` is that of its arrays or its file."""
    check_record(record, record.short, Scope(find_schema, Limits(size)))


def _class_names(value: Any) -> Iterator[str]:
    """Collect the class names of all records in some data."""
    if isinstance(value, Record):
        yield value.name
        yield from _class_names([value.parameters, value.state])
    elif isinstance(value, (list, tuple, dict)) and not isinstance(value, Words):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _class_names(item)


def _warn_of_versions(file: Container, classes: set[str]) -> None:
    """Warn if parts of scikit-learn come from another version of it."""
    written, here = str(file.manifest["written_by"].get("scikit-learn")), version("scikit-learn")
    foreign = sorted(name.partition(".")[2] for name in classes if name.startswith("sklearn."))
    if foreign and written.split(".")[:2] != here.split(".")[:2]:
        warnings.warn(
            f"{', '.join(foreign)} of the model were written by scikit-learn {written[:20]}, but this is {here}; they "
            "may predict differently. Compare some predictions, or save the model again with this version",
            stacklevel=5,
        )


def _describe(file: Container) -> Description:
    _check_format(file)
    manifest = file.manifest
    return Description(
        **manifest["about"],
        notes=manifest["notes"],
        written_by=manifest["written_by"],
        format_version=manifest["version"],
        n_arrays=len(manifest["members"]),
        size=file.size,
        digest=file.digest,
        signed=file.signed,
    )


def _check_format(file: Container) -> int:
    """Read the version of the format; one that this version of setwise cannot read is an error."""
    written = file.manifest.get("version")
    if file.manifest.get("format") != FORMAT or type(written) is not int or written < 1:
        raise ModelFileError("the manifest is not one of a setwise model")
    check_description(file.manifest)
    if written > FORMAT_VERSION:
        by = file.manifest["written_by"].get("setwise", "a newer version")
        raise ModelFileError(
            f"the file has format {written}, written by setwise {by}; this version reads up to {FORMAT_VERSION}. "
            "Upgrade setwise, or save the model again with an older one"
        )
    return written
