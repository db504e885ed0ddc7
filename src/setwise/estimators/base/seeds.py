"""Seeds for the estimators inside an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone


def seeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator and set every ``random_state`` that is None, nested ones too.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7)
    DecisionTreeClassifier(random_state=7)
    >>> seeded(DecisionTreeClassifier(random_state=3), 7)
    DecisionTreeClassifier(random_state=3)
    """
    model = clone(estimator)
    unset = [
        name
        for name, value in model.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(unset, seed))
