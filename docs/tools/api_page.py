"""The reference of the Python names, from ``__all__``, the signatures and the docstrings themselves."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import setwise
from setwise.distributions import LabelDistribution
from setwise.distributions.chain import SEARCHES
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.metrics import SCORERS

HEAD = """\
# The Python names

Made from `__all__` and the docstrings by `python -m docs.tools.pages api`; a test fails when it is out of date.
One line a name: a short signature, where `...` stands for more options, and the first sentence of the docstring;
`help(name)` has the rest. Names are grouped by the module to import them from.
"""

WIDTH = 88
"""Signatures longer than this leave out options."""


def api() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *_sections()])


class Home(NamedTuple):
    """A module to import names from, and which of its names a section of the reference shows."""

    title: str
    module: str
    wanted: Callable[[Any], bool] = lambda value: True
    base: type | None = None


def _is_estimator(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, SetClassifier)


def _is_not_estimator(value: Any) -> bool:
    return not _is_estimator(value)


def _is_not_in_setwise(value: Any) -> bool:
    return all(value is not getattr(setwise, name) for name in setwise.__all__)


HOMES = (
    Home("Estimators", "setwise", _is_estimator, SetClassifier),
    Home("Files, label errors, and words of the contract", "setwise", _is_not_estimator),
    Home("Distributions", "setwise.distributions", base=LabelDistribution),
    Home("Decisions", "setwise.decisions"),
    Home("Explanations", "setwise.explanations"),
    Home("Data", "setwise.datasets"),
    Home("Rows in blocks", "setwise.blockwise"),
    Home("Rows on a cluster", "setwise.dask"),
    Home("Metrics", "setwise.metrics"),
    Home("Evaluation", "setwise.evaluation"),
    Home("Is a difference chance", "setwise.evaluation.statistics"),
    Home("Plots", "setwise.plotting"),
    Home("Reports", "setwise.reports"),
    Home("Model files", "setwise.persistence", _is_not_in_setwise),
    Home("Answers, and checks for those who add a family", "setwise.contract", _is_not_in_setwise),
)
"""The sections of the reference, here and on the site."""


def _sections() -> Iterator[str]:
    after = {
        "Estimators": _every_estimator,
        "Files, label errors, and words of the contract": _contract,
        "Distributions": _searches,
        "Metrics": _scorers,
    }
    for home in HOMES:
        yield from _section(f"{home.title}: `{home.module}`", _own(home))
        yield from after.get(home.title, tuple)()


def _every_estimator() -> Iterator[str]:
    title = "What every estimator has: `setwise.estimators.base.set_classifier.SetClassifier`"
    return _section(title, _methods(SetClassifier))


def _contract() -> Iterator[str]:
    title = "The contract, what every distribution answers: `setwise.LabelDistribution`"
    return _section(title, _methods(LabelDistribution))


def _searches() -> Iterator[str]:
    rows = (_line(search.__name__, search) for search in SEARCHES.values())
    return _section("Searches of a chain, each in a module of `setwise.inference`", rows)


def _scorers() -> Iterator[str]:
    yield f"Scorers by name: {', '.join(f'`{name}`' for name in SCORERS)}.\n"


def _section(title: str, rows: Iterator[str]) -> Iterator[str]:
    yield f"## {title}\n\n| name | |\n|---|---|"
    yield from rows
    yield ""


def names_of(home: Home) -> Iterator[tuple[str, Any]]:
    """The wanted names of a module, with their values."""
    module = importlib.import_module(home.module)
    for name in public_names(module):
        if home.wanted(value := getattr(module, name)):
            yield name, value


def _own(home: Home) -> Iterator[str]:
    """The wanted names of a module, with the methods that classes have beyond those of the base."""
    for name, value in names_of(home):
        yield _line(name, value, importlib.import_module(home.module))
        if home.base is not None and isinstance(value, type):
            yield from _methods(value, home.base, f"{name}.")


def public_names(module: ModuleType) -> list[str]:
    """Its ``__all__``; where it has none, the public functions and classes it defines."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=lambda name: (name.islower(), name.lower()))
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and callable(value)
    ]


def _methods(cls: type, base: type | None = None, prefix: str = "") -> Iterator[str]:
    for name, member in inspect.getmembers_static(cls):
        ours = any(name in vars(home) for home in cls.__mro__ if home.__module__.startswith("setwise."))
        if name.startswith("_") or not ours or (base is not None and hasattr(base, name)):
            continue
        value = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if inspect.isfunction(value) and inspect.getdoc(value):
            skipped = not isinstance(member, staticmethod)
            yield _row(f"{prefix}{name}{_signature(value, skipped)}", inspect.getdoc(value) or "")
        elif isinstance(member, property):
            yield _row(f"{prefix}{name}", inspect.getdoc(member) or "")


def _line(name: str, value: Any, home: ModuleType | None = None) -> str:
    if isinstance(value, type) and value.__name__ == name:
        shown = "" if issubclass(value, BaseException) or inspect.isabstract(value) else _signature(value)
        return _row(name + shown, inspect.getdoc(value) or "")
    if inspect.isfunction(value):
        return _row(name + _signature(value), inspect.getdoc(value) or "")
    shown = f" = {value!r}" if isinstance(value, (int, str)) else ""
    return _row(name + shown, "" if home is None else _constant_doc(home, name))


def _signature(value: Any, skip_first: bool = False) -> str:
    """Names and short defaults, without types; options that make it long are left out."""
    parameters = list(inspect.signature(value).parameters.values())[int(skip_first) :]
    by_name = [i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY][:1]
    parts = [("*, " if i in by_name else "") + _parameter(p) for i, p in enumerate(parameters)]
    whole = f"({', '.join(parts)})"
    if len(whole) <= WIDTH:
        return whole
    required = [p.name for p in parameters if p.default is p.empty]
    return f"({', '.join(required or parts[:1])}, ...)" if len(required) < len(parts) else whole


def _parameter(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return str(parameter.replace(annotation=parameter.empty))
    default = repr(parameter.default)
    return f"{parameter.name}={default if len(default) <= 14 and '<' not in default else '...'}"


def _row(shown: str, documented: str) -> str:
    shown = shown.replace("|", "\\|")
    return f"| `{shown}` | {first_sentence(documented)} |"


def first_sentence(documented: str) -> str:
    """The first sentence of a docstring as Markdown.

    Examples
    --------
    >>> first_sentence("Like :class:`~setwise.decisions.Rule` [1]_, for ``X``. And more.")
    'Like `Rule`, for `X`.'
    """
    text = " ".join(documented.split("\n\n")[0].split())
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text.replace("``", "`"))
    text = re.sub(r" \[\d+\]_", "", text).replace("|", "\\|")
    return re.split(r"(?<=[.?!]) (?=[A-Z*`])", text)[0]


def _constant_doc(module: ModuleType, name: str) -> str:
    """The string below the assignment of a name, in the module that assigns it."""
    body = ast.parse(inspect.getsource(module)).body
    for statement, below in zip(body, [*body[1:], None]):
        targets = (
            statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            documented = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            return inspect.cleandoc(str(below.value.value)) if documented else ""  # type: ignore[union-attr]
        if isinstance(statement, ast.ImportFrom) and name in [alias.name for alias in statement.names]:
            return _constant_doc(importlib.import_module(str(statement.module)), name)
    homes = getattr(module, "_HOMES", {})
    return _constant_doc(importlib.import_module(homes[name]), name) if name in homes else ""
