"""Check the docstrings of everything public with numpydoc: ``python -m docs.tools.docstrings``, part of ``make lint``.

Public is what a user can import from the modules below, and the methods of those classes. A method that overrides one
of ours answers the same question, so only the first in the line of classes needs the full text.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from typing import Any

from numpydoc.validate import validate

MODULES = (
    "setwise",
    "setwise.contract",
    "setwise.datasets",
    "setwise.decisions",
    "setwise.distributions",
    "setwise.evaluation",
    "setwise.evaluation.statistics",
    "setwise.metrics",
    "setwise.persistence",
    "setwise.plotting",
    "setwise.reports",
)
CHECKS = {"GL08", "SS01", "SS03", "SS05", "PR01", "PR02", "PR03", "PR04", "RT01", "RT02", "EX01"}
"""Missing docstring or summary; undocumented, unknown, disordered or untyped parameters; no Returns; no example."""


def main() -> int:
    """Print what is wrong, a line each; the exit code is 1 if anything is."""
    wrong = sorted({line for name, value in public_objects() for line in faults(name, value)})
    print("\n".join(wrong) or "Docstrings are complete.")
    return int(bool(wrong))


def public_objects() -> Iterator[tuple[str, Any]]:
    """Every public class and function with its import name, and the methods that classes introduce."""
    for module in MODULES:
        home = importlib.import_module(module)
        for name in getattr(home, "__all__", vars(home)):
            value = getattr(home, name)
            if not getattr(value, "__module__", "").startswith("setwise"):
                continue
            if inspect.isclass(value):
                yield f"{module}.{name}", value
                yield from methods(f"{module}.{name}", value)
            elif inspect.isfunction(value):
                yield f"{module}.{name}", value


def methods(prefix: str, cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods that a class of ours introduces, not those that it overrides."""
    ours = [base for base in cls.__mro__[1:] if base.__module__.startswith("setwise")]
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function) or function.__doc__ is None:
            continue
        if not any(name in vars(base) for base in ours):
            yield f"{prefix}.{name}", function


def faults(name: str, value: Any) -> Iterator[str]:
    """What numpydoc finds wrong with one docstring."""
    place = f"{value.__module__}.{value.__qualname__}"
    ignored = set() if inspect.isfunction(value) else {"RT01"}
    takes_nothing = inspect.isfunction(value) and not set(inspect.signature(value).parameters) - {"self"}
    if takes_nothing and "." in value.__qualname__:
        ignored |= {"PR01"}
    for code, message in validate(place)["errors"]:
        if code in CHECKS - ignored:
            yield f"{place}: {code} {message}"


if __name__ == "__main__":
    sys.exit(main())
