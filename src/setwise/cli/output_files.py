"""Files that the commands write. They are checked before any work, and written completely or not at all."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from setwise.atomic import check_target, replacing
from setwise.cli.streams import STANDARD, write_standard_output
from setwise.errors import InputError


def check_outputs(outputs: Iterable[str | None], read: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse a file that could not be written, that is also read, or that would be written twice.

    An output that is None is not written; ``-`` is standard output.
    """
    asked = [output for output in outputs if output not in (None, STANDARD)]
    for output in asked:
        check_target(str(output))
    _check_apart([str(output) for output in asked], read)


def check_reports(options: argparse.Namespace, read: Iterable[str | os.PathLike[str]]) -> None:
    """:func:`check_outputs` of the report files, and of the journal of a command that has one."""
    read = list(read)
    files = {"--csv": options.csv, "--markdown": options.markdown, "--html": options.html}
    for option, file in files.items():
        if file == STANDARD:
            raise InputError(f"{option} - would mix with what is printed", hint="name a file, or use --json")
    check_outputs(files.values(), read)
    journal = getattr(options, "journal", None)  # a journal makes its folder itself
    _check_apart([file for file in (*files.values(), journal) if file is not None], read)


class Output(Protocol):
    """Where bytes are written."""

    def write(self, content: bytes, /) -> object:
        """Write some bytes."""


class _StandardOutput:
    def write(self, content: bytes, /) -> None:
        write_standard_output(content)


@contextmanager
def opened_output(output: str | None) -> Iterator[Output]:
    """A file that appears complete or not at all, or standard output."""
    if output in (None, STANDARD):
        yield _StandardOutput()
        return
    with replacing(str(output)) as file:
        yield file


def write_output(content: bytes, output: str | None) -> None:
    """Write to a file, or to standard output."""
    with opened_output(output) as file:
        file.write(content)


def _check_apart(outputs: list[str], read: Iterable[str | os.PathLike[str]]) -> None:
    taken = [path for path in read if Path(path).is_file()]
    written = [output for output in outputs if Path(output).is_file() or not Path(output).exists()]
    for place, output in enumerate(written):
        if any(_is_same(output, path) for path in taken):
            raise InputError("this file is also read", file=output, hint="name another")
        if any(_is_same(output, other) for other in written[:place]):
            raise InputError("this file would be written twice", file=output, hint="name two files")


def _is_same(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to the same file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)
