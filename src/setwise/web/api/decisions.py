"""Decisions as JSON has them: the name of a loss, or a rule with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from setwise import decisions
from setwise.decisions import Decision, Rule
from setwise.errors import InputError, quote_some
from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import Limits, Scope, check_record
from setwise.persistence.records import Record
from setwise.persistence.schemas import find_schema
from setwise.persistence.schemas.decisions import RULES

RULE = "rule"
"""Key of the name of a rule; the others are its parameters."""
DEPTH = 4
"""Rules inside rules."""

PlainDecision = str | Mapping[str, Any]
"""``"f1"``, or a rule such as ``{"rule": "Costs", "false_negative": {"sea": 9}}``."""


def rules() -> dict[str, type[Rule]]:
    """The rules that can be sent, by name: those that a model file may hold.

    Examples
    --------
    >>> list(rules())[:3]
    ['Abstain', 'Constrained', 'Costs']
    """
    return {name: getattr(decisions, name) for name in RULES if hasattr(decisions, name)}


def read_decision(given: PlainDecision | None) -> Decision | None:
    """A decision of the library; None stays None, the decision of the model.

    Examples
    --------
    >>> read_decision({"rule": "Abstain", "confidence": 0.8, "decision": {"rule": "FBeta", "beta": 2}})
    Abstain(confidence=0.8, decision=FBeta(beta=2, both_empty=1.0))
    """
    if given is None or isinstance(given, str):
        return given
    return _rule(given, DEPTH)


def _rule(given: Mapping[str, Any], depth: int) -> Rule:
    if not depth:
        raise InputError(f"more than {DEPTH} rules are nested", parameter="decision")
    cls = rules().get(str(given.get(RULE)))
    if cls is None:
        message = f"expected the name of a rule as {RULE!r}: {', '.join(rules())}"
        raise InputError(message, parameter="decision")
    parameters = {name: value for name, value in given.items() if name != RULE}
    _check_names(cls, parameters)
    inner = {name: _rule(value, depth - 1) for name, value in parameters.items() if _is_rule(name, value)}
    _check_values(cls, {name: value for name, value in parameters.items() if name not in inner})
    return cls(**(parameters | inner))


def _is_rule(name: str, value: Any) -> bool:
    return name == "decision" and isinstance(value, Mapping)


def _check_names(cls: type[Rule], parameters: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        message = (
            f"{cls.__name__} has no parameter {unknown[0][:60]!r}; it has {quote_some(known, 8) or 'none'}"
        )
        raise InputError(message, parameter="decision")


def _check_values(cls: type[Rule], parameters: Mapping[str, Any]) -> None:
    """Compare the parameters with the declaration of the rule in model files: types, ranges, numbers of pairs."""
    defaults = {f.name: f.default for f in fields(cls) if f.default is not MISSING}  # type: ignore[arg-type]
    try:
        record = Record(f"part.{cls.__name__}", {}, {**defaults, **parameters})
        check_record(record, cls.__name__, Scope(find_schema, Limits()))
    except ModelFileError as error:
        raise InputError(str(error), parameter="decision") from None
