"""The labels of the rows once the corrections are applied."""

from __future__ import annotations

from collections.abc import Sequence

from setwise.contract import Labels
from setwise.web.explorer.corrections.journal import CorrectionJournal

CHANGING = ("accept", "edit")
"""Actions that may change the labels of a row."""


def corrected_labels(given: Labels, label_names: Sequence[str], journal: CorrectionJournal) -> Labels:
    """The given labels with the corrections of the journal.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = CorrectionJournal(f"{folder}/j.jsonl", "d", ["calm", "sad"])
    ...     _ = journal.add(1, "edit", ["sad"])
    ...     corrected_labels(np.array([[1, 0], [1, 0]], dtype=np.int8), ["calm", "sad"], journal)
    array([[1, 0],
           [0, 1]], dtype=int8)
    """
    place = {name: label for label, name in enumerate(label_names)}
    corrected = given.copy()
    for entry in journal.current():
        if entry.action in CHANGING:
            corrected[entry.row] = 0
            corrected[entry.row, [place[name] for name in entry.labels]] = 1
    return corrected
