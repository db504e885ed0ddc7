"""Corrections as a patch: one line of CSV for every label that changed."""

from __future__ import annotations

import io
from collections.abc import Sequence

from setwise.contract import Labels
from setwise.tables.files.csv_safety import safe_cell
from setwise.views.csv_lines import write_csv_lines
from setwise.web.explorer.corrections.journal import CorrectionJournal
from setwise.web.explorer.corrections.labels import corrected_labels

HEADER = ("row", "label", "given", "corrected", "action", "note", "time")


def patch_csv(given: Labels, label_names: Sequence[str], journal: CorrectionJournal) -> str:
    """The changed labels, safe to open in a spreadsheet.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = CorrectionJournal(f"{folder}/j.jsonl", "d", ["calm", "=1+1"])
    ...     _ = journal.add(0, "edit", ["=1+1"])
    ...     text = patch_csv(np.array([[1, 0]], dtype=np.int8), ["calm", "=1+1"], journal)
    >>> [line.split(",")[:4] for line in text.splitlines()[1:]]
    [['0', 'calm', '1', '0'], ['0', "'=1+1", '0', '1']]
    """
    corrected = corrected_labels(given, label_names, journal)
    lines: list[Sequence[object]] = [HEADER]
    for entry in journal.current():
        for label in (given[entry.row] != corrected[entry.row]).nonzero()[0]:
            name, was, is_now = (
                label_names[label],
                int(given[entry.row, label]),
                int(corrected[entry.row, label]),
            )
            lines.append(
                (entry.row, safe_cell(name), was, is_now, entry.action, safe_cell(entry.note), entry.time)
            )
    out = io.StringIO()
    write_csv_lines(out, lines)
    return out.getvalue()
