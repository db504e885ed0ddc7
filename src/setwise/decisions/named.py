"""Decisions by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from setwise.contract import NAMED_DECISIONS
from setwise.decisions.f_measure import FBeta
from setwise.decisions.hamming import Hamming
from setwise.decisions.jaccard import Jaccard
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset

R = TypeVar("R", bound=Callable[..., Any])

DECISIONS: dict[str, Rule] = {"subset": Subset(), "hamming": Hamming(), "f1": FBeta(), "jaccard": Jaccard()}
"""What each name of a loss stands for."""
NAMED_DECISIONS.update(DECISIONS)


def resolve(decision: str | R) -> Rule | R:
    """A rule by its name; a rule or a function from distributions to label sets as it is.

    Examples
    --------
    >>> resolve("f1")
    FBeta(beta=1.0, both_empty=1.0)
    """
    if not isinstance(decision, str) and callable(decision):
        return decision
    if not isinstance(decision, str) or decision not in DECISIONS:
        known = ", ".join(map(repr, DECISIONS))
        raise ValueError(f"decision {decision!r} is not known; use one of {known}, a rule, or a callable")
    return DECISIONS[decision]
