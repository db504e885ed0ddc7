"""Allowed values of the parameters of estimators.

Allowed names come from the ``Literal`` in a parameter's annotation. Other values come from one table, because a
parameter means the same in every estimator.
"""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Callable, Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from setwise.learning.labels.label_weights import are_label_weights
from setwise.printable import plain_repr


class Values:
    """Allowed values: a test of one value, and the alternatives in words for messages."""

    def __init__(self, allow: Callable[[Any], bool], *words: str) -> None:
        self.allow, self.words = allow, words

    def __str__(self) -> str:
        """Join the alternatives with commas and "or"."""
        *most, last = self.words
        return f"{', '.join(most)} or {last}" if most else last

    def or_else(self, *names: Any) -> Values:
        """Allow one of ``names`` too."""
        return Values(
            lambda value: _is_one_of(value, names) or self.allow(value), *map(repr, names), *self.words
        )


def one_of(*names: Any) -> Values:
    """One of some names."""
    return Values(lambda value: _is_one_of(value, names), *map(repr, names))


def _is_one_of(value: Any, names: tuple[Any, ...]) -> bool:
    return any(value is name or (isinstance(value, str) and value == name) for name in names)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and math.isfinite(value)


def whole(least: int) -> Values:
    """Integers of at least ``least``."""
    return Values(
        lambda value: _is_number(value) and isinstance(value, numbers.Integral) and int(value) >= least,
        f"a whole number, at least {least}",
    )


def _can_classify(value: Any) -> bool:
    """Whether ``value`` is a classifier instance; one without scikit-learn's tags must score classes."""
    if isinstance(value, type) or not hasattr(value, "fit"):
        return False
    if hasattr(value, "__sklearn_tags__"):
        return bool(is_classifier(value))
    return hasattr(value, "predict_proba") or hasattr(value, "decision_function")


POSITIVE = Values(lambda value: _is_number(value) and value > 0, "a positive number")
NOT_NEGATIVE = Values(lambda value: _is_number(value) and value >= 0, "a number that is not negative")
SHARE = Values(lambda value: _is_number(value) and 0 < value < 1, "a number between 0 and 1")
BELOW_ONE = Values(lambda value: _is_number(value) and 0 <= value < 1, "a number, at least 0 and below 1")
FLAG = Values(
    lambda value: isinstance(value, (bool, np.bool_)) or (_is_number(value) and value in (0, 1)),
    "True",
    "False",
)
CLASSIFIER = Values(_can_classify, "a scikit-learn classifier")
SEED = Values(
    lambda value: isinstance(value, np.random.RandomState) or whole(0).allow(value),
    "a RandomState",
    "a whole number, at least 0",
).or_else(None)

PARAMETERS = {
    "C": POSITIVE,
    "backoff": BELOW_ONE,
    "bagging": FLAG,
    "beam_width": whole(1),
    "calibration_size": SHARE,
    "candidate_parents": whole(0),
    "class_weight": Values(are_label_weights, "a mapping of labels to positive weights"),
    "coverage": SHARE,
    "decoding": NOT_NEGATIVE,
    "ddof": Values(lambda value: _is_number(value) and value in (0, 1), "1 (the paper)", "0 (scikit-learn)"),
    "effort": POSITIVE.or_else(None),
    "feature_smoothing": NOT_NEGATIVE,
    "gate_l2": NOT_NEGATIVE,
    "group_size": whole(1),
    "l1": NOT_NEGATIVE,
    "l2": NOT_NEGATIVE,
    "label_scale": POSITIVE,
    "leaf_size": POSITIVE,
    "learner": CLASSIFIER,
    "max_features": whole(1),
    "max_iter": whole(1),
    "max_sets": whole(1),
    "min_count": NOT_NEGATIVE,
    "n_burn_in": whole(0),
    "n_chains": whole(1),
    "n_components": whole(1),
    "n_folds": whole(2),
    "n_gibbs_chains": whole(1),
    "n_init": whole(1),
    "n_keep": whole(1),
    "min_parent_rows": whole(0),
    "n_mixtures": whole(1),
    "n_models": whole(1),
    "n_neighbors": whole(1),
    "n_rounds": whole(1),
    "n_samples": whole(1),
    "n_trees": whole(1),
    "order": Values(lambda value: not isinstance(value, str), "an array of labels"),
    "random_state": SEED,
    "relax_penalties": FLAG,
    "reweighting_noise": FLAG,
    "scale_features": FLAG,
    "stack": FLAG,
    "search": Values(callable, "a search"),
    "seen_share": BELOW_ONE,
    "shrinkage": NOT_NEGATIVE,
    "size_model": Values(
        lambda value: whole(0).allow(value) or _can_classify(value), "a number", "a scikit-learn classifier"
    ),
    "smoothing": NOT_NEGATIVE,
    "standardize": FLAG,
    "time_budget": NOT_NEGATIVE,
    "temper": NOT_NEGATIVE,
    "tol": POSITIVE,
    "tuning": FLAG,
    "unit_rows": FLAG,
    "variance_prior": NOT_NEGATIVE,
    "verbose": whole(0).or_else(True, False),
    "with_features": FLAG,
}
"""Values other than names. Parameters not listed depend on the data or on one another: their estimators check them."""


@functools.cache
def allowed_values(cls: Any) -> dict[str, Values]:
    """Collect the allowed values of each annotated parameter: the names in its annotation, the values of the table.

    Examples
    --------
    >>> from setwise import RAkEL
    >>> print(allowed_values(RAkEL)["kind"])
    'overlapping' or 'disjoint'
    >>> print(allowed_values(RAkEL)["l2"])
    'auto' or a number that is not negative
    """
    try:
        hints = get_type_hints(cls.__init__)
    except (
        NameError
    ):  # a subclass outside this package may annotate with names that exist for type checkers only
        hints = {}
    found = {name: _values(name, hint) for name, hint in hints.items() if name != "return"}
    return {name: values for name, values in found.items() if values is not None}


def _values(name: str, hint: Any) -> Values | None:
    parts = [*_alternatives(hint)]
    names = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
    names += [None] * (NoneType in parts)
    if all(part is NoneType or get_origin(part) is Literal for part in parts):
        return one_of(*names)
    return PARAMETERS[name].or_else(*names) if name in PARAMETERS else None


def _alternatives(hint: Any) -> Iterator[Any]:
    """The members of a union, nested or not."""
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _alternatives(part)
    else:
        yield hint


def check_parameters(estimator: BaseEstimator) -> None:
    """Raise a ValueError that names the first parameter with an invalid value.

    Examples
    --------
    >>> from setwise import MLkNN
    >>> check_parameters(MLkNN(n_neighbors=2.5))
    Traceback (most recent call last):
    ValueError: n_neighbors is 2.5; expected a whole number, at least 1
    """
    cls: Any = type(estimator)
    values = allowed_values(cls)
    for name, value in estimator.get_params(deep=False).items():
        if name in values and not values[name].allow(value):
            raise ValueError(f"{name} is {plain_repr(value)}; expected {values[name]}")
