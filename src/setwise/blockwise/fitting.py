"""Fitting an estimator to rows in blocks: choices on a sample of the rows, parameters by sums over all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from setwise.blocks import Blocks
from setwise.blockwise.families import refit_of
from setwise.blockwise.reading import BlockReader, Head
from setwise.blockwise.rows import BlockRows, Sample
from setwise.contract import default_names
from setwise.estimators.base.kinds.mixture import watched_parts
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.progress.monitor import Monitor
from setwise.tables.labels.tag_tables import LabelTable

Classifier = TypeVar("Classifier", bound=SetClassifier)

SAMPLE_ROWS = 20_000
"""Rows on which structure and penalties are chosen by default."""


def fit_in_blocks(estimator: Classifier, blocks: Blocks, *, sample_rows: int = SAMPLE_ROWS) -> Classifier:
    """Fit a copy of an estimator to rows in blocks.

    The estimator is first fitted to a sample of the rows, which chooses what is not given: penalties, the structure of
    the labels, whether rows are scaled, the start of a mixture. Its parameters are then fitted to all rows, by rounds
    that sum over the blocks; with the same choices, the result is that of ``fit`` on all rows at once.

    Parameters
    ----------
    estimator : SetClassifier
    blocks : Blocks
        Each block has four arrays: its number, features (n, d), labels (n, L), and weights (n,) or None.
    sample_rows : int, default=20000
        Size of the sample. The rows are chosen by the hash of their features, whatever their order. With no more rows
        than that, the sample is all rows, and the fit is that of the estimator itself.

    Returns
    -------
    SetClassifier
        A plain estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> from setwise.blocks import StreamedBlocks
    >>> X, Y = np.arange(8.0)[:, None], np.repeat([[0, 1], [1, 0]], 4, axis=0)
    >>> halves = (slice(0, 4), slice(4, 8))
    >>> blocks = StreamedBlocks(tuple(lambda i=i, r=r: (i, X[r], Y[r], None) for i, r in enumerate(halves)))
    >>> fit_in_blocks(BinaryRelevance(l2=1.0), blocks).predict([[0.0], [7.0]])
    array([[0, 1],
           [1, 0]])
    """
    refit = refit_of(estimator)
    estimator._check_parameters()
    reader = BlockReader.of(estimator, list(blocks.map(Head.of)))
    rows = BlockRows.of(blocks.through(reader), reader.empty)
    with watched_parts() as parts:
        sample = rows.sample(sample_rows)
        model = fit_sample(estimator, reader, sample, whole=rows.n_rows <= sample_rows)
    if rows.n_rows <= sample_rows:
        return model
    rows = replace(rows, parts=parts)
    if getattr(model, "unit_rows_", False):
        rows = rows.through(partial(_scaled, model=model))
    if model.min_labels == "auto":
        model.min_labels_ = int(rows.n_complete > 0 and rows.n_empty == 0)
    with _watched(model, *sample, rows.n_rows, rows.total, rows.on):
        refit(model, rows)
    return model


@contextmanager
def _watched(model: Any, *data: Any) -> Iterator[None]:
    """Watch the fit to all rows; its checkpoint has a folder inside that of the fit to the sample."""
    folder = getattr(model, "checkpoint", None)
    if folder is None:
        with Monitor(None, *model._listeners()):
            yield
        return
    all_rows = Path(folder) / "all_rows"
    with model._monitor_in(all_rows, *data):
        yield
    all_rows.rmdir()


def fit_sample(
    estimator: Classifier, reader: BlockReader, sample: Sample, *, whole: bool = False
) -> Classifier:
    """Fit a copy of an estimator to a sample, and give it the names of the columns and of the labels.

    Warnings are shown only if the sample is the ``whole`` of the rows.
    """
    model, names = clone(estimator), reader.targets.names
    labels: Any = sample.Y
    if not np.array_equal(names, default_names(len(names))):
        labels = LabelTable(sample.Y, names.tolist())
    with warnings.catch_warnings():
        if not whole:
            warnings.simplefilter("ignore")  # of labels that are rare in the sample
        model.fit(sample.X, labels, sample.weights)
    model._targets = reader.targets
    if hasattr(reader.probe, "feature_names_in_"):
        model.feature_names_in_ = reader.probe.feature_names_in_
    return model


def _scaled(X: Any, weights: Any, Y: Any, model: SetClassifier) -> tuple[Any, ...]:
    return model._scaled(X), weights, Y
