"""A fitted model as plain data from which a page computes P(y | x) by itself.

A page knows two kinds of parts: mixtures of forests over the labels and tables of sets, both with linear scores. Models
of other kinds are refused with the names of those that can be exported.
"""

from __future__ import annotations

from base64 import b64encode
from functools import singledispatch
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.errors import InputError
from setwise.estimators.base.kinds.mixture import MixtureClassifier
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.estimators.label_powerset import LabelPowerset
from setwise.learning.linear.scores import LinearScores

Plain = dict[str, Any]


def plain_model(estimator: SetClassifier, columns: Array | None = None) -> Plain:
    """Describe a fitted estimator for a page.

    Parameters
    ----------
    estimator : SetClassifier
        Fitted, with linear learners.
    columns : array of int, optional
        The only features that the page will have; all others are zero there.

    Returns
    -------
    dict
        Lists, strings and numbers only. Arrays of numbers are base64 texts of their bytes.

    Raises
    ------
    InputError
        If the page cannot compute with this kind of model.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]])
    >>> plain = plain_model(model)
    >>> plain["labels"], plain["min_labels"], len(plain["parts"])
    (['sand', 'sea'], 1, 1)
    """
    kept = np.arange(estimator.n_features_in_) if columns is None else columns
    return {
        "labels": [str(name) for name in estimator.label_names_],
        "min_labels": int(estimator.min_labels_),
        "unit_rows": bool(getattr(estimator, "unit_rows_", False)),
        "fill": number_text(estimator.fill_[kept]) if hasattr(estimator, "fill_") else None,
        "parts": [_plain_part(part, kept) for part in parts_of(estimator)],
    }


def _plain_part(part: Plain, kept: Array) -> Plain:
    """The part with texts in the place of linear scores."""
    return {name: _plain(value, kept) for name, value in part.items()}


def _plain(value: Any, kept: Array) -> Any:
    if isinstance(value, LinearScores):
        return {"coef": number_text(value.coef[kept]), "intercept": number_text(value.intercept)}
    if isinstance(value, dict):
        return _plain_part(value, kept)
    return value.tolist() if isinstance(value, np.ndarray) else value


@singledispatch
def parts_of(estimator: SetClassifier) -> list[Plain]:
    """The parts of a fitted estimator's joint, each with its share of the probability."""
    able = ", ".join(sorted(cls.__name__ for cls in parts_of.registry if cls is not object))
    raise InputError(
        f"a page cannot compute with {type(estimator).__name__}",
        hint=f"export a model of one of these kinds, with their logistic learners: {able}",
    )


@parts_of.register
def _(estimator: BinaryRelevance) -> list[Plain]:
    return [_independent(estimator, estimator.model_)]


@parts_of.register
def _(estimator: ConditionalTree) -> list[Plain]:
    return [_forests(_linear(estimator, estimator.scores_), estimator.parents_[None])]


@parts_of.register
def _(estimator: MixtureClassifier) -> list[Plain]:
    experts, gate = (_linear(estimator, scores) for scores in (estimator.experts_, estimator.gate_))
    share = float(estimator.seen_share_)
    forests = _forests(experts, estimator.parents_, gate, estimator.mixture_sizes_, share=1.0 - share)
    return [forests, {"share": share, "sets": estimator.seen_sets_}] if share else [forests]


@parts_of.register
def _(estimator: LabelPowerset) -> list[Plain]:
    share = float(estimator.backoff_)
    scores = _linear(estimator, getattr(estimator.model_, "scores", None))
    table = {"share": 1.0 - share, "sets": estimator.sets_, "scores": scores}
    return [table, _independent(estimator, estimator.independent_, share)] if share else [table]


def _independent(estimator: SetClassifier, model: Any, share: float = 1.0) -> Plain:
    scores = _linear(estimator, getattr(model, "scores", None))
    return _forests(scores, np.full((1, estimator.n_labels_), -1), share=share)


def _forests(
    experts: LinearScores,
    parents: Array,
    gate: LinearScores | None = None,
    sizes: Array | None = None,
    share: float = 1.0,
) -> Plain:
    """Forests with the parents (K, L); the gate is a softmax within each of the mixtures of ``sizes``."""
    forests = {
        "experts": experts,
        "gate": gate,
        "parents": parents,
        "sizes": [len(parents)] if sizes is None else sizes,
        "values": len(experts.intercept) // parents.size,
    }
    return {"share": share, "forests": forests}


def _linear(estimator: SetClassifier, scores: Any) -> LinearScores:
    if not isinstance(scores, LinearScores):
        learner = getattr(estimator, "learner", type(scores).__name__)
        hint = 'fit it again with learner="logistic"'
        raise InputError(
            f"a page computes linear scores only, and this {type(estimator).__name__} has learner={learner!r}",
            hint=hint,
        )
    return scores


def number_text(values: Array) -> str:
    """The bytes of float64 numbers in little-endian order, which JavaScript reads without losing a digit."""
    return b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()
