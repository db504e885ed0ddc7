"""Decisions in every form that users pass: a name, a rule or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from setwise.contract import Decided, Labels
from setwise.decisions.f_measure import FBeta
from setwise.decisions.function import ByFunction
from setwise.decisions.hamming import Hamming
from setwise.decisions.jaccard import Jaccard
from setwise.decisions.population import MacroF, MicroF
from setwise.decisions.precision_at_k import PrecisionAtK
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset

Decision = str | Rule | Callable[[Any], Labels | Decided]
"""The name of a loss, a rule, or a function from a distribution to label sets (n, L)."""

DECISIONS: dict[str, Rule] = {
    "subset": Subset(),
    "hamming": Hamming(),
    "f1": FBeta(),
    "jaccard": Jaccard(),
    "macro_f1": MacroF(),
    "micro_f1": MicroF(),
    **{f"precision_at_{k}": PrecisionAtK(k) for k in (1, 3, 5)},
}
"""The rule of each named loss."""


def resolve(decision: Decision, own: Mapping[str, Rule] | None = None) -> Rule:
    """Convert a name, a rule or a function to a rule.

    Parameters
    ----------
    decision : str, rule or callable
    own : mapping from names to rules, optional
        Additional names of this distribution, such as "vote".

    Returns
    -------
    Rule

    Examples
    --------
    >>> resolve("f1")
    FBeta(beta=1.0, both_empty=1.0)
    >>> resolve(FBeta)
    Traceback (most recent call last):
    ValueError: decision is the class FBeta; expected an instance, such as FBeta()
    """
    known = {**DECISIONS, **(own or {})}
    if isinstance(decision, str) and decision in known:
        return known[decision]
    if isinstance(decision, Rule):
        return decision
    if isinstance(decision, type):
        raise ValueError(
            f"decision is the class {decision.__name__}; expected an instance, such as {decision.__name__}()"
        )
    if callable(decision):
        return ByFunction(decision)
    names = ", ".join(map(repr, known))
    raise ValueError(f"decision is {decision!r}; expected one of {names}, a rule or a function")
