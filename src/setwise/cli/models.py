"""Models by their names on the command line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from setwise.datasets import Dataset
from setwise.errors import InputError
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.catalog import about, methods
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.evaluation.methods import METHODS, PEERS, built_methods
from setwise.kernels.matrices import stored_values


def short_names() -> dict[str, str]:
    """Methods by their short names; class names are accepted too, in upper or lower case."""
    return {about(method).short: name for name, method in methods().items()}


def model_names() -> list[str]:
    """What ``--model`` accepts, short names first."""
    return ["auto", *short_names(), *(name for name in built_methods() if name not in PEERS)]


def full_name(name: str) -> str | None:
    """The method of a short or full name, in upper or lower case; None if there is none."""
    return ({known.lower(): known for known in built_methods()} | short_names()).get(name.lower())


def build(
    name: str,
    settings: list[str],
    *,
    time_budget: float,
    checkpoint: str | None,
    seed: int,
    effort: float | None = None,
) -> Any:
    """Make a new estimator by its name, with ``settings`` such as ``l2=0.5``."""
    if name.lower() == "auto":
        model: Any = AutoSetClassifier(time_budget=time_budget, effort=effort)
    else:
        known = full_name(name)
        if known is None or known in PEERS:
            raise InputError(f"unknown model {name!r}; known are {', '.join(model_names())}")
        model = METHODS[known].build()
    final = model[-1] if isinstance(model, Pipeline) else model
    _set_parameters(final, settings, checkpoint, seed)
    return model


def _set_parameters(final: Any, settings: list[str], checkpoint: str | None, seed: int) -> None:
    known = final.get_params(deep=False)
    if checkpoint is not None:
        if "checkpoint" not in known:
            raise InputError(f"{type(final).__name__} has no checkpoints", hint="leave out --checkpoint")
        final.set_params(checkpoint=checkpoint)
    final.set_params(random_state=seed)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or name not in known:
            parameters = f"a parameter of {type(final).__name__}: {', '.join(known)}"
            raise InputError(f"--set {setting}: expected NAME=VALUE with {parameters}")
        final.set_params(**{name: _value(value)})


def _value(text: str) -> Any:
    """A number, true, false, null or a list, as JSON writes them; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def takes_missing(model: Any) -> bool:
    """Whether features may be missing in training."""
    first = model[0] if isinstance(model, Pipeline) else model
    return bool(get_tags(first).input_tags.allow_nan)


def answers_missing(model: Any) -> bool:
    """Whether a fitted model answers rows with missing features: it takes them, or fills them as in training."""
    if not isinstance(model, SetClassifier):
        return takes_missing(model)
    inner = getattr(model, "estimator_", None)
    return hasattr(model, "fill_") or (model._takes_nan() and (inner is None or answers_missing(inner)))


def takes_missing_labels(model: Any) -> bool:
    """Whether labels may be missing in training."""
    final = model[-1] if isinstance(model, Pipeline) else model
    return bool(getattr(final, "takes_missing_labels", False))


def missing_label_models() -> list[str]:
    """Short names of the models that accept missing labels."""
    return ["auto", *(about(method).short for method in methods().values() if method.takes_missing_labels)]


def fill_missing(model: Any, data: Dataset) -> Any:
    """Put a mean imputer before a model if features are missing and it does not accept that."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    # a scaler passes missing values on to what follows it
    if all(map(takes_missing, steps)) or not np.isnan(stored_values(data.X)).any():
        return model
    return make_pipeline(SimpleImputer(keep_empty_features=True), *steps)


def fitted_rows(final: Any, n_rows: Any) -> Any:
    """Number of rows that the model was fitted to; the automatic choice may not have had time for all."""
    return final.n_rows_ if isinstance(final, AutoSetClassifier) else n_rows
