"""Lines of CSV that every reader takes apart as they were put together."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, TextIO


def write_csv_lines(file: TextIO, rows: Iterable[Iterable[Any]], delimiter: str = ",") -> None:
    """Write rows as lines of CSV that end in a line feed; fields with any line break are quoted.

    Examples
    --------
    >>> out = io.StringIO()
    >>> write_csv_lines(out, [["a\\rb", 1], ["c", 2]])
    >>> out.getvalue()
    '"a\\rb",1\\nc,2\\n'
    """
    line = io.StringIO()
    # A writer quotes what ends its own lines: a lone carriage return only where they end in one.
    writer = csv.writer(line, delimiter=delimiter, lineterminator="\r\n")
    for row in rows:
        writer.writerow(row)
        file.write(line.getvalue().removesuffix("\r\n") + "\n")
        line.seek(0)
        line.truncate()
