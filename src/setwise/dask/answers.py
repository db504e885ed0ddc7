"""The answers of a fitted model for one partition, on a worker."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Array
from setwise.estimators.base.set_classifier import SetClassifier


def block_answer(
    model: SetClassifier,
    question: str,
    tail: tuple[int, ...],
    dtype: np.dtype[Any],
    options: dict[str, Any],
    *part: Any,
) -> Array:
    """Answer a question for the rows of a partition; a partition without rows has answers of shape (0, *tail)."""
    if not part[0].shape[0]:
        return np.empty((0, *tail), dtype)
    if question.startswith("top_k_"):
        best = model.predict_top_k(part[0], **options)
        return _padded(getattr(best, question.removeprefix("top_k_")), tail, dtype)
    return np.asarray(getattr(model, question)(*part, **options), dtype=dtype)


def _padded(answer: Array, tail: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Fill up to k sets: -1 marks an absent set, of log-probability minus infinity."""
    missing = tail[0] - answer.shape[1]
    widths = [(0, 0), (0, missing), *[(0, 0)] * (answer.ndim - 2)]
    filler = -np.inf if answer.dtype.kind == "f" else -1
    return np.pad(answer, widths, constant_values=filler).astype(dtype)


def framed_answer(X: Any, model: SetClassifier, question: str, options: dict[str, Any]) -> Any:
    """Answer a question for the rows of a partition of a dataframe, with its index."""
    dtype = np.float64 if question == "predict_proba" else model._targets.dtype
    values = block_answer(model, question, (model.n_labels_,), np.dtype(dtype), options, X)
    return type(X)(values, columns=list(model.label_names_), index=X.index)
