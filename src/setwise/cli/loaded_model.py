"""A model from a file, as the commands use it."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from setwise.arrays import Array
from setwise.cli.checks import check_features
from setwise.cli.model_data import Kept, ModelInput
from setwise.cli.models import answers_missing
from setwise.cli.notes import TrainingNotes
from setwise.cli.sources import is_file
from setwise.datasets import Dataset
from setwise.errors import InputError
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import dense_within
from setwise.persistence import Description, load_described
from setwise.tables.encoder import TableEncoder


class LoadedModel(NamedTuple):
    """A model from a file: the steps after the encoder of its table, itself, and what the file says."""

    path: str
    before: Pipeline | None
    final: SetClassifier
    about: Description
    training: TrainingNotes | None
    takes: ModelInput

    def read(self, options: argparse.Namespace, *, with_labels: bool) -> tuple[Dataset, Kept]:
        """Read the data of the command line with the features of the model, and the columns to keep."""
        return self.takes.read(options, with_labels=with_labels)

    def transform(self, data: Dataset) -> Any:
        """Transform features for the final estimator; an InputError names a value that it does not accept."""
        check_features(data, data.name, allow_nan=self.takes.allow_missing)
        return data.X if self.before is None else self.before.transform(_as_fitted(self.before, data))


def load_model(path: str) -> LoadedModel:
    """Open a model file, once."""
    if not is_file(path):
        raise FileNotFoundError(f"{path or 'an empty name'}: no such model file; `setwise fit` makes one")
    model, about = load_described(path)
    before, final = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    encoder = None
    if before is not None and len(before) and isinstance(before[0], TableEncoder):
        encoder, before = before[0], before[1:]
    before = before if before is not None and len(before) else None
    if not isinstance(final, SetClassifier):
        raise InputError(f"expected a classifier of label sets, found a {type(final).__name__}", file=path)
    try:
        training = TrainingNotes.from_notes(about.notes)
    except InputError as error:
        raise error.with_file(path) from error
    takes = ModelInput(
        about.label_names,
        about.feature_names if training is None else training.features or about.feature_names,
        about.n_features,
        None if training is None else training.schema,
        answers_missing(final if before is None else before),
        encoder,
    )
    return LoadedModel(path, before, final, about, training, takes)


def _as_fitted(before: Pipeline, data: Dataset) -> Any:
    """Features with their names if the pipeline was fitted to a DataFrame: it may choose columns by name."""
    dense = dense_within(data.X, 0)
    if not hasattr(before, "feature_names_in_") or dense is None:
        return data.X
    try:
        from pandas import DataFrame
    except ImportError:
        return data.X
    return DataFrame(dense, columns=list(before.feature_names_in_))


def label_matrix(final: SetClassifier, answer: Array) -> Array:
    """Predict label sets (n, L) of 0 and 1, also with a model of one label that predicts classes."""
    return answer if answer.ndim == 2 else (answer == final.classes_[-1]).astype(np.int8)[:, None]
