"""What the page of a class says of the methods that it inherits: where each of them is documented."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from docs.tools.api_page import HOMES, names_of


def inherited_links(module: str, name: str) -> str:
    """Links to the public methods of a class that one of its bases documents, as reStructuredText; perhaps empty."""
    cls = getattr(importlib.import_module(module), name)
    homes = {
        value: f"{home.module}.{shown}"
        for home in HOMES
        for shown, value in names_of(home)
        if inspect.isclass(value)
    }
    return ", ".join(
        f":py:meth:`{method} <{homes[owner]}.{method}>`"
        for method in sorted(_methods(cls) - set(vars(cls)))
        if (owner := _documented(cls, method, homes)) is not None
    )


def _methods(cls: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(cls, inspect.isfunction) if not name.startswith("_")}


def _documented(cls: type, method: str, homes: dict[Any, str]) -> type | None:
    """The nearest base with a page of its own that defines the method."""
    return next((base for base in cls.__mro__[1:] if method in vars(base) and base in homes), None)
