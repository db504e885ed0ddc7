"""Models by the names people type, and models from files as the commands use them."""

from __future__ import annotations

import argparse
import json
from typing import Any, NamedTuple

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from setwise.cli.data import Kept, check_features, csv_options, is_file, read_for_model
from setwise.contract import Array
from setwise.datasets import Dataset
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.catalog import about, methods
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.evaluation.methods import METHODS, PEERS, built_methods
from setwise.kernels.matrices import dense_within, stored_values
from setwise.persistence import Description, describe, load


def short_names() -> dict[str, str]:
    """Methods by the short names that people type; every class name is known too, in any case of letters."""
    return {about(method).short: name for name, method in methods().items()}


def model_names() -> list[str]:
    """What ``--model`` accepts, short names first."""
    return ["auto", *short_names(), *(name for name in built_methods() if name not in PEERS)]


def full_name(name: str) -> str | None:
    """The method of that short or full name, in any case of letters; None where there is none."""
    return ({known.lower(): known for known in built_methods()} | short_names()).get(name.lower())


def build(name: str, settings: list[str], *, time_budget: float, checkpoint: str | None, seed: int) -> Any:
    """A new estimator of that name, with ``settings`` such as ``l2=0.5``."""
    if name.lower() == "auto":
        model: Any = AutoSetClassifier(time_budget=time_budget)
    else:
        known = full_name(name)
        if known is None or known in PEERS:
            raise ValueError(f"unknown model {name!r}; known: {', '.join(model_names())}")
        model = METHODS[known].build()
    final = model[-1] if isinstance(model, Pipeline) else model
    _set_parameters(final, settings, checkpoint, seed)
    return model


def _set_parameters(final: Any, settings: list[str], checkpoint: str | None, seed: int) -> None:
    known = final.get_params(deep=False)
    if checkpoint is not None:
        if "checkpoint" not in known:
            raise ValueError(f"{type(final).__name__} keeps no checkpoints; leave out --checkpoint")
        final.set_params(checkpoint=checkpoint)
    final.set_params(random_state=seed)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or name not in known:
            raise ValueError(
                f"--set {setting}: expected NAME=VALUE with a parameter of {type(final).__name__}: {', '.join(known)}"
            )
        final.set_params(**{name: _value(value)})


def _value(text: str) -> Any:
    """A number, true, false, null or a list as JSON has them; anything else is a word."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def takes_missing(model: Any) -> bool:
    """Whether features may be missing."""
    first = model[0] if isinstance(model, Pipeline) else model
    return bool(get_tags(first).input_tags.allow_nan)


def takes_missing_labels(model: Any) -> bool:
    """Whether labels may be missing in training."""
    final = model[-1] if isinstance(model, Pipeline) else model
    return bool(getattr(final, "takes_missing_labels", False))


def missing_label_models() -> list[str]:
    """The short names of the models that labels may be missing for."""
    return ["auto", *(about(method).short for method in methods().values() if method.takes_missing_labels)]


def fill_missing(model: Any, data: Dataset) -> Any:
    """The model behind an imputer of means, where features are missing and it cannot take that."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    # a scaler lets missing values through to what stands behind it
    if all(map(takes_missing, steps)) or not np.isnan(stored_values(data.X)).any():
        return model
    return make_pipeline(SimpleImputer(keep_empty_features=True), *steps)


def fitted_rows(final: Any, n_rows: Any) -> Any:
    """How many of the rows of its data the model saw: the automatic choice may have had no time for all."""
    return final.n_rows_ if isinstance(final, AutoSetClassifier) else n_rows


class LoadedModel(NamedTuple):
    """A model from a file: what came before it in its pipeline, itself, and what the file says."""

    path: str
    pipeline: Any
    before: Pipeline | None
    final: SetClassifier
    about: Description

    def read(self, options: argparse.Namespace, *, with_labels: bool) -> tuple[Dataset, Kept]:
        """The data of the command line, with the columns that the model was fitted to, and the columns to keep."""
        return read_for_model(
            options.data,
            self.about,
            with_labels=with_labels,
            may_miss=takes_missing(self.pipeline),
            csv=csv_options(options),
            keep=getattr(options, "keep", ()),
        )

    def transform(self, data: Dataset) -> Any:
        """Features as the final estimator takes them; a ValueError names a value that it cannot take."""
        check_features(data, data.name, allow_nan=takes_missing(self.pipeline))
        return data.X if self.before is None else self.before.transform(_as_fitted(self.before, data))


def _as_fitted(before: Pipeline, data: Dataset) -> Any:
    """Features with their names where the pipeline was fitted to a DataFrame: it may choose columns by name."""
    dense = dense_within(data.X, 0)
    if not hasattr(before, "feature_names_in_") or dense is None:
        return data.X
    try:
        from pandas import DataFrame
    except ImportError:
        return data.X
    return DataFrame(dense, columns=list(before.feature_names_in_))


def load_model(path: str) -> LoadedModel:
    """The model of a file, whose labels have names."""
    if not is_file(path):
        raise FileNotFoundError(f"{path or 'an empty name'}: no such model file; `setwise fit` makes one")
    about, model = describe(path), load(path)
    before, final = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    if not isinstance(final, SetClassifier):
        raise ValueError(f"{path} holds a {type(final).__name__}, which is no classifier of label sets")
    return LoadedModel(path, model, before if before is not None and len(before) else None, final, about)


def label_matrix(final: SetClassifier, answer: Array) -> Array:
    """Answers (n, L) of 0 and 1, also of a model of one label that answers classes."""
    return answer if answer.ndim == 2 else (answer == final.classes_[-1]).astype(np.int8)[:, None]
