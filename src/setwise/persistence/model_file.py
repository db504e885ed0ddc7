"""``save`` and ``load``: fitted models as files that are safe to open."""

from __future__ import annotations

import os
import platform
import sys
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from setwise.persistence.archive import Archive, write_archive
from setwise.persistence.decoding import Decoder
from setwise.persistence.encoding import Encoder
from setwise.persistence.errors import ModelFileError
from setwise.persistence.registry import class_name

FORMAT = "setwise model"
FORMAT_VERSION = 1
"""Raised when files change so that older versions could not read them; every version stays readable."""

LIBRARIES = ("setwise", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Description:
    """What a model file says about itself, without the model being built.

    Attributes
    ----------
    estimator : str
        Class of the model; of a pipeline the classes of its steps.
    parameters : dict
        Constructor parameters that are plain values.
    label_names, feature_names : list of str
        Empty where not known.
    n_features : int or None
    notes : dict
        What was given to :func:`save`.
    written_by : dict
        Versions of the libraries, of Python, and the machine.
    format_version, n_arrays, size : int
    digest : str
        SHA-256 of the sealed bytes.
    """

    estimator: str
    parameters: dict[str, Any]
    label_names: list[str]
    feature_names: list[str]
    n_features: int | None
    notes: dict[str, Any]
    written_by: dict[str, str]
    format_version: int
    n_arrays: int
    size: int
    digest: str


def save(
    model: BaseEstimator, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file; what was at ``path`` survives any failure.

    The file holds arrays and JSON, no pickled objects: whoever opens it runs no foreign code.

    Parameters
    ----------
    model : fitted estimator of setwise, or a scikit-learn Pipeline that ends in one
        Learners and transformers of scikit-learn inside are kept where their state is arrays; a part that has
        no form in a file is refused with its place, as are functions.
    path : path of the file
        ``.setwise`` by convention.
    notes : mapping of JSON values, optional
        Kept beside the model, for :func:`describe`.

    See Also
    --------
    load : the reverse.

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
            f"{type(model).__name__} has no form in a model file; expected a setwise estimator or a Pipeline"
        )
    check_is_fitted(model)
    encoder = Encoder()
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": _versions(),
        "about": _about(model),
        "notes": dict(notes or {}),
        "model": encoder.encode(model, type(model).__name__),
    }
    write_archive(path, manifest, encoder.arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a file that :func:`save` wrote.

    Raises
    ------
    ModelFileError
        Where the file is damaged, is no model file, comes from a newer version, or holds what a model file may
        not hold; the message says which.
    """
    with _opened(path) as archive:
        return _guarded(path, lambda: _model(archive))


def describe(path: str | os.PathLike[str]) -> Description:
    """What a model file says about itself; its digest is checked, its model is not built.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> import setwise
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "model.setwise"
    >>> setwise.save(setwise.NaiBX().fit(X, np.hstack([X > 0, X > 0.5])), path, notes={"data": "a line"})
    >>> about = describe(path)
    >>> about.estimator, about.label_names, about.notes
    ('NaiBX', ['0', '1'], {'data': 'a line'})
    """
    with _opened(path) as archive:
        return _guarded(path, lambda: _description(archive))


def _opened(path: str | os.PathLike[str]) -> Archive:
    return _guarded(path, lambda: Archive(path))


def _guarded(path: str | os.PathLike[str], work: Any) -> Any:
    """Whatever a wrong file makes Python raise becomes one error that names the file."""
    try:
        return work()
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error.__cause__
    except (OSError, MemoryError):
        raise
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise ModelFileError(f"{path}: not a readable archive ({error})") from error
    except Exception as error:
        raise ModelFileError(
            f"{path}: the content does not make a model ({type(error).__name__}: {error})"
        ) from error


def _model(archive: Archive) -> Any:
    _check_format(archive)
    decoder = Decoder(archive.read_array)
    model = decoder.decode(archive.manifest.get("model"))
    if not isinstance(model, BaseEstimator):
        raise ModelFileError("the file holds no model")
    check_is_fitted(model)
    _warn_of_versions(archive, decoder.classes)
    return model


def _warn_of_versions(archive: Archive, classes: set[str]) -> None:
    """Say it where parts of scikit-learn come from another version of it."""
    written, here = str(archive.manifest["written_by"].get("scikit-learn")), version("scikit-learn")
    foreign = sorted(name.partition(".")[2] for name in classes if name.startswith("sklearn."))
    if foreign and written.split(".")[:2] != here.split(".")[:2]:
        warnings.warn(
            f"{', '.join(foreign)} of the model were kept by scikit-learn {written} and this is {here}; they may "
            "answer differently. Compare some answers, or save the model again with this version",
            stacklevel=5,
        )


def _description(archive: Archive) -> Description:
    _check_format(archive)
    manifest = archive.manifest
    return Description(
        **manifest["about"],
        notes=manifest["notes"],
        written_by=manifest["written_by"],
        format_version=manifest["version"],
        n_arrays=len(manifest["members"]),
        size=archive.size,
        digest=archive.digest,
    )


def _check_format(archive: Archive) -> None:
    written = archive.manifest.get("version")
    if archive.manifest.get("format") != FORMAT or type(written) is not int or written < 1:
        raise ModelFileError("the manifest is not that of a setwise model")
    if written > FORMAT_VERSION:
        by = archive.manifest.get("written_by", {}).get("setwise", "a newer version")
        raise ModelFileError(
            f"the file has format {written}, written by setwise {by}; this version reads up to {FORMAT_VERSION}. "
            "Upgrade setwise, or save the model again with an older one"
        )


def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in LIBRARIES}
    return libraries | {
        "python": platform.python_version(),
        "machine": f"{platform.machine()} {sys.byteorder}",
    }


def _about(model: Any) -> dict[str, Any]:
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    final, first = steps[-1], steps[0]
    return {
        "estimator": " | ".join(step if isinstance(step, str) else type(step).__name__ for step in steps),
        "parameters": {
            name: value for name, value in final.get_params(deep=False).items() if _is_plain(value)
        },
        "label_names": [str(name) for name in getattr(final, "label_names_", [])],
        "feature_names": [str(name) for name in getattr(first, "feature_names_in_", [])],
        "n_features": getattr(first, "n_features_in_", None),
    }


def _is_plain(value: Any) -> bool:
    return (
        value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and value == value)
    )
