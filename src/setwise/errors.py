"""Errors and warnings about an input, with the parameter, file, column or label as attributes.

The message is built from those attributes when it is shown. Python shows ``labels=``; the command line shows the same
error with ``--labels``, because it passes another way to spell parameters to :meth:`InputProblem.render`.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self, TypedDict, Unpack


class _Unset(Enum):
    """Marks a parameter that is mentioned without a value; None could be a value."""

    UNSET = "unset"


UNSET = _Unset.UNSET


@dataclass(frozen=True)
class Parameter:
    """A parameter as a message mentions it.

    Parameters
    ----------
    name : str
    value : object, optional
        The value that was passed, or that should be.
    python : str, optional
        How Python spells it, for what is not an argument of a function.

    Examples
    --------
    >>> str(Parameter("delimiter", ";")), str(Parameter("labels"))
    ("delimiter=';'", 'labels=')
    """

    name: str
    value: Any = UNSET
    python: str | None = None

    def __str__(self) -> str:
        if self.python is not None:
            return self.python
        return f"{self.name}=" + ("" if self.value is UNSET else repr(self.value))


Hint = str | Sequence[str | Parameter]
"""What to do, with the parameters to pass among the words."""


class Fields(TypedDict, total=False):
    """The input that an error or a warning is about.

    Attributes
    ----------
    parameter : str or Parameter
        The parameter it is about.
    file : path
    line, position : int
        Place in the file, counted from 1: the line, and in it the field of a table or the character.
    column : str
        Name of a column or feature.
    row : int
        Number of a row, counted from 0.
    label : str
        Name of a label.
    hint : str or sequence of str and Parameter
        What to do.
    """

    parameter: str | Parameter | None
    file: str | os.PathLike[str] | None
    line: int | None
    position: int | None
    column: str | None
    row: int | None
    label: str | None
    hint: Hint


class InputProblem(Exception):
    """An error or a warning about an input."""

    def __init__(self, message: str, **fields: Unpack[Fields]) -> None:
        super().__init__(message)
        parameter, file, hint = fields.get("parameter"), fields.get("file"), fields.get("hint", ())
        self.message = message
        self.parameter = Parameter(parameter) if isinstance(parameter, str) else parameter
        self.file = None if file is None else str(file)
        self.line = fields.get("line")
        self.position = fields.get("position")
        self.column = fields.get("column")
        self.row = fields.get("row")
        self.label = fields.get("label")
        self.hint: tuple[str | Parameter, ...] = (hint,) if isinstance(hint, str) else tuple(hint)

    def __str__(self) -> str:
        return self.render()

    def with_file(self, file: str) -> Self:
        """Copy the error, with another file.

        Parameters
        ----------
        file : str

        Returns
        -------
        InputProblem

        Examples
        --------
        >>> str(InputError("too short", file="/tmp/a.csv").with_file("standard input"))
        'standard input: too short'
        """
        other = copy.copy(self)
        other.file = file
        return other

    def render(self, spell: Callable[[Parameter], str] = str) -> str:
        """Put the message together: file and place, parameter, what is wrong, what to do.

        Parameters
        ----------
        spell : callable, default=str
            Gives the words for a :class:`Parameter`.

        Returns
        -------
        str

        Examples
        --------
        >>> error = InputError("expected 0 or 1, found '2'", file="a.csv", line=3, parameter="labels")
        >>> error.render(lambda parameter: f"--{parameter.name}")
        "a.csv:3: --labels: expected 0 or 1, found '2'"
        """
        place = ":".join(str(part) for part in (self.file, self.line, self.position) if part is not None)
        about = "" if self.parameter is None else spell(self.parameter)
        hint = "".join(part if isinstance(part, str) else spell(part) for part in self.hint)
        start = ": ".join(part for part in (place, about, self.message) if part)
        return "; ".join(part for part in (start, hint) if part)


class InputError(InputProblem, ValueError):
    """An input that cannot be used: a parameter, a file, or a cell of one.

    Parameters
    ----------
    message : str
        What was expected and what was found, without the file or the parameter.
    **fields
        What it is about: ``parameter``, ``file``, ``line`` and ``position`` (counted from 1), ``column``, ``row``
        (counted from 0), ``label``, and a ``hint`` that says what to do. All are attributes too, None if not passed.

    Examples
    --------
    >>> error = InputError("column 'blue' not found", file="a.csv", parameter="labels", column="blue",
    ...                    hint=["leave it out, or pass ", Parameter("ignore", ["blue"])])
    >>> print(error)
    a.csv: labels=: column 'blue' not found; leave it out, or pass ignore=['blue']
    >>> error.column, error.parameter.name
    ('blue', 'labels')
    """


class InputWarning(InputProblem, UserWarning):
    """A warning about an input that is used, but perhaps not as intended.

    Parameters
    ----------
    message : str
    **fields
        As in :class:`InputError`.

    Examples
    --------
    >>> print(InputWarning("ignoring columns of free text: 'note'", file="a.csv", column="note"))
    a.csv: ignoring columns of free text: 'note'
    """


def quote_some(names: Sequence[Any], most: int = 6) -> str:
    """List the first names and count the others.

    Examples
    --------
    >>> quote_some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
