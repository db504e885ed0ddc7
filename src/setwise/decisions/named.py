"""Decisions by name."""

from __future__ import annotations

from setwise.contract import NAMED_DECISIONS
from setwise.decisions.f_measure import FBeta
from setwise.decisions.hamming import Hamming
from setwise.decisions.jaccard import Jaccard
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset

DECISIONS: dict[str, Rule] = {"subset": Subset(), "hamming": Hamming(), "f1": FBeta(), "jaccard": Jaccard()}
NAMED_DECISIONS.update(DECISIONS)


def resolve(decision: str | Rule) -> Rule:
    """A rule by its name, or the rule itself.

    Examples
    --------
    >>> resolve("f1")
    FBeta(beta=1.0, both_empty=1.0)
    """
    if isinstance(decision, Rule):
        return decision
    if decision not in DECISIONS:
        known = ", ".join(map(repr, DECISIONS))
        raise ValueError(f"decision {decision!r} is not known; use one of {known}, a rule, or a callable")
    return DECISIONS[decision]
