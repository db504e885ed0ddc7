"""The errors of data files."""

from __future__ import annotations

import os

from setwise.errors import InputError, Parameter


class DataFormatError(InputError):
    """Raised for a data file that violates its format, or exceeds a limit.

    Parameters
    ----------
    message : str
    **fields
        As in :class:`~setwise.errors.InputError`.

    Examples
    --------
    >>> print(DataFormatError("expected 3 fields, found 2", file="a.csv", line=7, position=3))
    a.csv:7:3: expected 3 fields, found 2
    """


RAISE_LIMITS = (
    "if you trust the file, read it ",
    Parameter("raise_limits", 10, python="with setwise.datasets.raised_limits(10)"),
)


def too_large(message: str, path: str | os.PathLike[str] | None, line: int | None = None) -> DataFormatError:
    """The error of a file that goes beyond a limit; its hint says how to raise the limits."""
    return DataFormatError(message, file=path, line=line, hint=RAISE_LIMITS)
