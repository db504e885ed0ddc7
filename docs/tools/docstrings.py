"""Check the docstrings of everything public with numpydoc: ``python -m docs.tools.docstrings``, part of ``make lint``.

Public is what users can import from the modules below, and the methods of those classes. A method that overrides one of
ours answers the same question, so it is enough if one of the classes in between documents it in full.
"""

from __future__ import annotations

import functools
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
    wrong = sorted({line for definitions in public_objects() for line in least_faults(definitions)})
    print("\n".join(wrong) or "Docstrings are complete.")
    return int(bool(wrong))


def public_objects() -> Iterator[list[Any]]:
    """Yield the definitions of every public class, function and method; a method can have several."""
    for module in MODULES:
        home = importlib.import_module(module)
        for name in getattr(home, "__all__", vars(home)):
            value = getattr(home, name)
            if not getattr(value, "__module__", "").startswith("setwise"):
                continue
            if inspect.isclass(value) or inspect.isfunction(value):
                yield [value]
            if inspect.isclass(value):
                yield from methods(value).values()


def methods(cls: type) -> dict[str, list[Any]]:
    """Find the definitions of each public method in a class and its bases, the nearest first."""
    found: dict[str, list[Any]] = {}
    for base in cls.__mro__:
        for name, member in vars(base).items() if base.__module__.startswith("setwise") else ():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                found.setdefault(name, []).append(function)
    return found


def least_faults(definitions: list[Any]) -> list[str]:
    """The faults of the definition with the best docstring."""
    return min(map(faults, definitions), key=len)


@functools.cache
def faults(value: Any) -> list[str]:
    """List what numpydoc finds wrong with one docstring."""
    place = f"{value.__module__}.{value.__qualname__}"
    ignored = set() if inspect.isfunction(value) else {"RT01"}
    takes_nothing = inspect.isfunction(value) and not set(inspect.signature(value).parameters) - {"self"}
    if takes_nothing and "." in value.__qualname__:
        ignored |= {"PR01"}
    found = validate(place)["errors"]
    return [f"{place}: {code} {message}" for code, message in found if code in CHECKS - ignored]


if __name__ == "__main__":
    sys.exit(main())
