"""What the parameters of estimators may be. A name means the same everywhere, so one table serves all."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from setwise.distributions.cascade import SEARCHES
from setwise.distributions.dependency import ANSWERS


class Values(NamedTuple):
    """Allowed values: a test of one, and in words what is expected."""

    allow: Callable[[Any], bool]
    words: str

    def or_else(self, *others: Any) -> Values:
        """These, or one of ``others``."""
        return Values(
            lambda value: _is_one_of(value, others) or self.allow(value), _listed(others, self.words)
        )


def _is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    return any(value is other or (isinstance(value, str) and value == other) for other in values)


def _listed(values: tuple[Any, ...], last: str | None = None) -> str:
    """The values, then ``last``, as a sentence has them."""
    words = [*map(repr, values), *([] if last is None else [last])]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and math.isfinite(value)


def whole(least: int) -> Values:
    """Whole numbers from ``least`` on."""
    return Values(
        lambda value: _is_number(value) and isinstance(value, numbers.Integral) and int(value) >= least,
        f"a whole number, at least {least}",
    )


def one_of(*values: str) -> Values:
    """One of some names."""
    return Values(lambda value: _is_one_of(value, values), _listed(values))


POSITIVE = Values(lambda value: _is_number(value) and value > 0, "a positive number")
NOT_NEGATIVE = Values(lambda value: _is_number(value) and value >= 0, "a number that is not negative")
SHARE = Values(lambda value: _is_number(value) and 0 < value < 1, "a number between 0 and 1")
BELOW_ONE = Values(lambda value: _is_number(value) and 0 <= value < 1, "a number, at least 0 and below 1")
FLAG = Values(
    lambda value: isinstance(value, (bool, np.bool_)) or (_is_number(value) and value in (0, 1)),
    "True or False",
)
LEARNER = Values(
    lambda value: isinstance(value, str) or (hasattr(value, "fit") and not isinstance(value, type)),
    "a name or a scikit-learn classifier",
)
SEED = Values(
    lambda value: value is None or isinstance(value, np.random.RandomState) or whole(0).allow(value),
    "None, a RandomState or a whole number, at least 0",
)

PARAMETERS = {
    "C": POSITIVE.or_else("auto"),
    "answer": one_of(*ANSWERS),
    "bagging": FLAG,
    "base": LEARNER,
    "beam_width": whole(1),
    "calibration_size": SHARE,
    "candidate_parents": whole(0).or_else("all"),
    "coverage": SHARE,
    "feature_smoothing": NOT_NEGATIVE,
    "gate_l2": NOT_NEGATIVE.or_else("auto"),
    "k": whole(1),
    "l2": NOT_NEGATIVE.or_else("auto"),
    "label_scale": POSITIVE,
    "learner": LEARNER,
    "max_iter": whole(1),
    "max_sets": whole(1),
    "min_count": NOT_NEGATIVE,
    "n_burn_in": whole(0),
    "n_chains": whole(1),
    "n_components": whole(1).or_else("auto"),
    "n_folds": whole(2),
    "n_init": whole(1),
    "n_keep": whole(1),
    "n_models": whole(1).or_else(None),
    "n_samples": whole(1),
    "random_state": SEED,
    "scale_features": FLAG,
    "search": one_of(*SEARCHES),
    "seen_share": BELOW_ONE.or_else("auto"),
    "smoothing": NOT_NEGATIVE,
    "standardize": FLAG,
    "time_budget": NOT_NEGATIVE.or_else(None),
    "tol": POSITIVE,
    "tuning": FLAG,
    "unit_rows": FLAG.or_else("auto"),
    "variance_prior": NOT_NEGATIVE,
    "verbose": whole(0).or_else(True, False),
    "with_features": FLAG,
}
"""Parameters not listed depend on the data or on one another; their estimators check them."""


def check_parameters(estimator: BaseEstimator) -> None:
    """A ValueError that names the first parameter whose value cannot be meant.

    Examples
    --------
    >>> from setwise import MLkNN
    >>> check_parameters(MLkNN(k=2.5))
    Traceback (most recent call last):
    ValueError: k is 2.5; expected a whole number, at least 1
    """
    for name, value in estimator.get_params(deep=False).items():
        if name in PARAMETERS and not PARAMETERS[name].allow(value):
            raise ValueError(f"{name} is {value!r}; expected {PARAMETERS[name].words}")
