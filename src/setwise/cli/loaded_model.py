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
from setwise.cli.sources import is_file
from setwise.datasets import Dataset
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.kernels.matrices import dense_within
from setwise.nesting import transformed
from setwise.persistence import Description
from setwise.persistence.opened import open_model
from setwise.persistence.training_notes import TrainingNotes


class LoadedModel(NamedTuple):
    """A model from a file: the whole, its steps after the encoder of its table, the last one, and the notes."""

    path: str
    whole: Any
    before: Pipeline | None
    final: SetClassifier
    about: Description
    training: TrainingNotes | None
    takes: ModelInput

    def kind(self) -> str:
        """Name of the estimator, or of the one that the automatic choice took."""
        chosen = (
            getattr(self.final, "estimator_", None) if isinstance(self.final, AutoSetClassifier) else None
        )
        return self.about.estimator if chosen is None else f"{type(chosen).__name__} (chosen automatically)"

    def read(self, options: argparse.Namespace, *, with_labels: bool) -> tuple[Dataset, Kept]:
        """Read the data of the command line with the features of the model, and the columns to keep."""
        return self.takes.read(options, with_labels=with_labels)

    def transform(self, data: Dataset) -> Any:
        """Transform features for the final estimator; an InputError names a value that it does not accept."""
        check_features(data, data.name, allow_nan=self.takes.allow_missing)
        return data.X if self.before is None else transformed(self.before, _as_fitted(self.before, data))


def load_model(path: str) -> LoadedModel:
    """Open a model file, once."""
    if not is_file(path):
        raise FileNotFoundError(f"{path or 'an empty name'}: no such model file; `setwise fit` makes one")
    model = open_model(path)
    before, final, about = model.before, model.final, model.about
    takes = ModelInput(
        about.label_names,
        model.feature_names,
        about.n_features,
        model.schema,
        answers_missing(final if before is None else before),
        model.encoder,
    )
    return LoadedModel(path, model.whole, before, final, about, model.training, takes)


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
