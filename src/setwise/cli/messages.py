"""Errors and warnings as lines of the command, with the names of its options.

The library names parameters as in Python. Only this file knows the corresponding options of the command.
"""

from __future__ import annotations

import shlex
from typing import Any

from setwise.errors import UNSET, InputProblem, Parameter
from setwise.printable import printable

OPTIONS = {
    "columns": "--columns",
    "cv": "--folds",
    "decimal": "--decimal",
    "decision": "--decision",
    "delimiter": "--delimiter",
    "group": "--group",
    "ignore": "--ignore",
    "keep": "--keep",
    "labels": "--labels",
    "min_rows": "--min-rows",
    "n_splits": "--folds",
    "raise_limits": "--raise-limits",
    "tag_separator": "--tag-separator",
    "test_size": "--test-size",
    "time": "--time",
    "time_budget": "--time-budget",
}
"""Parameters of the library that are options of the command. Any other is a parameter of the model, for ``--set``."""


def spell(parameter: Parameter) -> str:
    """Write a parameter as an option of the command.

    Examples
    --------
    >>> spell(Parameter("tag_separator", ";")), spell(Parameter("labels")), spell(Parameter("l2", -1))
    ("--tag-separator ';'", '--labels', '--set l2=-1')
    """
    values = [] if parameter.value is UNSET else _words(parameter.value)
    if parameter.name in OPTIONS:
        return " ".join([OPTIONS[parameter.name], *values])
    return " ".join(["--set", "=".join([parameter.name, *values])])


def _words(value: Any) -> list[str]:
    """A value as words of a shell; a tab is typed as a backslash and a t."""
    if isinstance(value, dict):
        value = [f"{name}={item}" for name, item in value.items()]
    items = value if isinstance(value, (list, tuple)) else [value]
    return [shlex.quote(str(item).replace("\t", "\\t")) for item in items]


def one_line(problem: BaseException) -> str:
    """Write an error or a warning as one line without control characters."""
    text = problem.render(spell) if isinstance(problem, InputProblem) else str(problem)
    if isinstance(problem, OSError) and problem.strerror and problem.filename is not None:
        text = f"{problem.filename}: {problem.strerror}"
    if isinstance(problem, MemoryError):
        text = f"not enough memory{': ' if text else ''}{text}; use fewer rows or columns, or a smaller model"
    return printable(" ".join(text.split())) or type(problem).__name__


def is_wrong_usage(error: Exception) -> bool:
    """Whether the command line or its input is wrong, and not the machine or the program."""
    from setwise.contract import NotTractable  # it imports NumPy, which --help does without

    if isinstance(error, OSError):
        return isinstance(error, (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError))
    # NotTractable is a question that this kind of model cannot answer; a missing package is named with the remedy
    return isinstance(error, (ValueError, ImportError, NotTractable))
