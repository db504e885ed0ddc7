"""What the page of a class documents: methods that no base has on a page of its own, and links to all others."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

from docs.tools.api_page import HOMES, names_of


def own_methods(module: str, name: str) -> list[str]:
    """The methods and properties to document on the page of a class."""
    cls = getattr(importlib.import_module(module), name)
    described = inspect.getdoc(cls) or ""
    return [
        member
        for member, value in sorted(_members(cls).items())
        if _page_of(cls, member) is cls and not (isinstance(value, property) and f"\n{member} :" in described)
    ]


def inherited_links(module: str, name: str) -> str:
    """Links to the methods that are documented on the pages of bases, as reStructuredText; perhaps empty."""
    cls = getattr(importlib.import_module(module), name)
    return ", ".join(
        f":py:meth:`{member} <{_homes()[page]}.{member}>`"
        for member, value in sorted(_members(cls).items())
        if (page := _page_of(cls, member)) is not cls and not isinstance(value, property)
    )


@functools.cache
def _homes() -> dict[Any, str]:
    """Public classes and where to import them from."""
    found: dict[Any, str] = {}
    for home in HOMES:
        for name, value in names_of(home):
            if inspect.isclass(value):
                found.setdefault(value, f"{home.module}.{name}")
    return found


def _members(cls: type) -> dict[str, Any]:
    """Public methods and properties of ours, as the nearest base defines them."""
    found: dict[str, Any] = {}
    for base in cls.__mro__ if cls.__module__.startswith("setwise") else ():
        for name, value in vars(base).items() if base.__module__.startswith("setwise") else ():
            if not name.startswith("_") and name not in found:
                found[name] = value
    kinds = (classmethod, staticmethod, property)
    return {n: v for n, v in found.items() if (inspect.isfunction(v) or isinstance(v, kinds)) and v.__doc__}


def _page_of(cls: type, member: str) -> type:
    """The class whose page documents a member: the farthest public base that has the same one."""
    same = inspect.getattr_static(cls, member)
    bases = [base for base in cls.__mro__ if base in _homes()]
    return next((base for base in reversed(bases) if inspect.getattr_static(base, member, None) is same), cls)
