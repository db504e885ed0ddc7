"""Standard input, output and error, also if they are closed or cannot show every character."""

from __future__ import annotations

import codecs
import os
import re
import sys
from typing import IO

from setwise.errors import InputError
from setwise.printable import printable

STANDARD = "-"
"""The name of standard input or output on the command line."""

_PLAIN = {"±": "+-", "━": "#", "─": "-", "…": "...", "−": "-", "·": ".", "█": "#"}
"""Replacements for the characters of tables and bars, for a terminal whose encoding lacks them."""


def prepare_streams() -> None:
    """Make the streams usable: an unknown character is replaced, and a closed stream is named in an error."""
    codecs.register_error("setwise.plain", _plain)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, it stays open until the end
    if sys.stdout is None:
        raise InputError("standard output is closed", hint="send it to a file, or to /dev/null")
    for stream in (sys.stdout, sys.stderr):
        if not (stream.encoding or "utf-8").lower().startswith("utf"):
            getattr(stream, "reconfigure", lambda **_: None)(errors="setwise.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    shown = "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return shown, error.end


def standard_input() -> IO[bytes]:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise InputError("standard input is closed", hint="name a file, or pipe CSV into the command")
    if sys.stdin.isatty():
        print("setwise: reading CSV from standard input; end it with Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer


def write_standard_output(content: bytes) -> None:
    """Write UTF-8 to standard output; on a terminal, control characters are escaped."""
    if sys.stdout.isatty():
        parts = re.split(r"([\n\t])", content.decode())
        sys.stdout.write("".join(part if part in "\n\t" else printable(part) for part in parts))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
