"""The parts of a model file: the encoder of its table, the steps before the classifier, the classifier itself."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline

from setwise.errors import InputError
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.persistence.description import Description
from setwise.persistence.model_file import load_described
from setwise.persistence.training_notes import TrainingNotes
from setwise.tables import Schema
from setwise.tables.encoder import TableEncoder, declared_encoder


class OpenedModel(NamedTuple):
    """A model from a file, in its parts.

    Attributes
    ----------
    path : str
    whole : estimator or Pipeline
        The model as it was saved.
    encoder : TableEncoder or None
        What makes features of a table, if the model was fitted to one.
    before : Pipeline or None
        The steps between the encoder and the classifier.
    final : SetClassifier
    about : Description
    training : TrainingNotes or None
        What ``setwise fit`` noted about the training data.
    """

    path: str
    whole: Any
    encoder: TableEncoder | None
    before: Pipeline | None
    final: SetClassifier
    about: Description
    training: TrainingNotes | None

    @property
    def feature_names(self) -> list[str]:
        """Names of the features; empty if they are only numbered."""
        noted = () if self.training is None else self.training.features
        return list(noted or self.about.feature_names)

    @property
    def schema(self) -> Schema | None:
        """How the columns of the training data became features."""
        return None if self.training is None else self.training.schema


def table_encoder(encoder: TableEncoder | None, schema: Schema | None) -> TableEncoder | None:
    """What makes the features of a model from a table: its own encoder, or that of an ARFF file's types."""
    if encoder is not None or schema is None or not schema.columns:
        return encoder
    return declared_encoder(schema.columns, schema.categories)


def open_model(path: str | os.PathLike[str]) -> OpenedModel:
    """Load a model file and part it.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    OpenedModel

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from setwise import BinaryRelevance, save
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.setwise")
    ...     open_model(f"{folder}/model.setwise").final
    BinaryRelevance(l2=1.0)
    """
    model, about = load_described(path)
    before, final = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    encoder = None
    if before is not None and len(before) and isinstance(before[0], TableEncoder):
        encoder, before = before[0], before[1:]
    if not isinstance(final, SetClassifier):
        raise InputError(f"expected a classifier of label sets, found a {type(final).__name__}", file=path)
    try:
        training = TrainingNotes.from_notes(about.notes)
    except InputError as error:
        raise error.with_file(str(path)) from error
    before = before if before is not None and len(before) else None
    return OpenedModel(str(path), model, encoder, before, final, about, training)
