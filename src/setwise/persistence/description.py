"""The description of the model in a model file."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sklearn.pipeline import Pipeline

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import (
    DictOf,
    Either,
    Flag,
    Kind,
    Limits,
    ListOf,
    Maybe,
    Nothing,
    Real,
    Scope,
    Text,
    Whole,
)
from setwise.persistence.registry import LEFT_OUT
from setwise.persistence.schemas import find_schema

LIBRARIES = ("setwise", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Description:
    """The description of a model file, read without loading the model.

    Parameters
    ----------
    estimator : str
        Class of the model; for a pipeline, the classes of its steps.
    parameters : dict
        Constructor parameters that are numbers, strings, booleans or None.
    label_names, feature_names : list of str
        Empty if unknown.
    n_features : int or None
    notes : dict
        The notes passed to :func:`save`.
    written_by : dict
        Versions of the libraries, of Python, and the machine.
    format_version, n_arrays, size : int
    digest : str
        SHA-256 of the sealed bytes.
    signed : bool
        Whether the file has a signature. It is checked only if a key is given.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from setwise import BinaryRelevance
    >>> from setwise.persistence import describe, save
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.setwise")
    ...     describe(f"{folder}/model.setwise").estimator
    'BinaryRelevance'
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
    signed: bool


_ABOUT: dict[str, Kind] = {
    "estimator": Text(2**16),
    "parameters": DictOf(Either(Nothing(), Flag(), Real(), Text(2**16))),
    "label_names": ListOf(Text()),
    "feature_names": ListOf(Text()),
    "n_features": Maybe(Whole()),
}


def check_description(manifest: Mapping[str, Any]) -> None:
    """Raise a ModelFileError unless the description of a model has the required parts and types."""
    scope = Scope(find_schema, Limits())
    DictOf(Text()).check(manifest.get("written_by"), "written_by", scope)
    about = manifest.get("about")
    if (
        not isinstance(about, dict)
        or about.keys() != _ABOUT.keys()
        or not isinstance(manifest.get("notes"), dict)
    ):
        raise ModelFileError("the file does not describe its model")
    for name, kind in _ABOUT.items():
        kind.check(about[name], name, scope)


def about(model: Any) -> dict[str, Any]:
    """Describe a model: class, plain parameters, names."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    final, first = steps[-1], steps[0]
    parameters = final.get_params(deep=False) if hasattr(final, "get_params") else {}
    return {
        "estimator": " | ".join(step if isinstance(step, str) else type(step).__name__ for step in steps),
        "parameters": {k: v for k, v in parameters.items() if k not in LEFT_OUT and _is_plain(v)},
        "label_names": [str(name) for name in getattr(final, "label_names_", [])],
        "feature_names": [str(name) for name in getattr(first, "feature_names_in_", [])],
        "n_features": getattr(first, "n_features_in_", None),
    }


def check_matches(described: Mapping[str, Any], model: Any) -> None:
    """Raise a ModelFileError unless a model is the one that the file describes."""
    found = about(model)
    for name in ("estimator", "label_names", "feature_names", "n_features"):
        if described[name] != found[name]:
            raise ModelFileError(f"the description in the file does not match its model: {name} differs")


def _is_plain(value: Any) -> bool:
    plain = value is None or isinstance(value, (bool, int, str))
    return plain or (isinstance(value, float) and value == value and abs(value) < 1e100)


def library_versions() -> dict[str, str]:
    """Versions of the libraries that write a file, and the kind of machine."""
    libraries = {name: version(name) for name in LIBRARIES}
    return libraries | {
        "python": platform.python_version(),
        "machine": f"{platform.machine()} {sys.byteorder}",
    }
