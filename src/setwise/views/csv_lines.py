"""Lines of CSV that every reader splits in the same way."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, TextIO


def write_csv_lines(
    file: TextIO, rows: Iterable[Iterable[Any]], delimiter: str = ",", newline: str = "\n"
) -> None:
    """Write rows as lines of CSV that end in ``newline``; fields with any line break are quoted.

    Examples
    --------
    >>> out = io.StringIO()
    >>> write_csv_lines(out, [["a\\rb", 1], ["c", 2]])
    >>> out.getvalue()
    '"a\\rb",1\\nc,2\\n'
    """
    line = io.StringIO()
    # The csv module quotes its own line terminator only; a lone carriage return must be quoted too.
    writer = csv.writer(line, delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        writer.writerow(row)
        file.write(line.getvalue().removesuffix("\r\n") + newline)
        line.seek(0)
        line.truncate()
