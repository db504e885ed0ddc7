"""The cells of a paper's tables that were not run: why not, and how long they would take."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from setwise.datasets.registry import KNOWN
from setwise.papers.printed import PLAIN, Paper
from setwise.papers.reproduction import Line, Outcome, Reproduction
from setwise.views import Table

UNKNOWN = "not known: the method was not run anywhere yet"


def left_out(made: Reproduction) -> Table:
    """List the cells without a number of ours, with the reason and an estimate of the time that they would take.

    Parameters
    ----------
    made : Reproduction

    Returns
    -------
    Table
        The estimate scales the median time of the method's other cells by rows, features and labels.
    """
    cells: dict[tuple[str, str], str] = {}
    for line in made.lines:
        key = line.printed.data, line.printed.method
        for title, outcome in _outcomes(line):
            if outcome.ours is None:
                cells[key[0], title] = outcome.verdict
            elif outcome.ours.repeats < made.paper.protocol_of(key[0], title).repeats and not made.cuts:
                cells[key[0], title] = f"time: repetitions run: {outcome.ours.repeats}"
    rows = [[*cell, REASONS.get(reason, reason), _time(made, *cell)] for cell, reason in cells.items()]
    return Table("Cells not run", ["data", "method", "reason", "estimated time"], rows)


def _outcomes(line: Line) -> Iterator[tuple[str, Outcome]]:
    """Ours, and the published form, by their names in the journal."""
    yield line.printed.method, Outcome(line.ours, line.verdict)
    if line.published is not None:
        yield line.printed.method + PLAIN, line.published


REASONS = {
    "not run": "time",
    "no data": "the data set is not on this machine",
    "failed": "the method failed: see the tables",
}


def _time(made: Reproduction, data: str, method: str) -> str:
    size = _size(made.paper, data)
    known = [
        record["seconds"] / _size(made.paper, record["data"])
        for record in made.result.records
        if record["method"] == method and "scores" in record
    ]
    if not known:
        return UNKNOWN
    seconds = median(known) * size * made.paper.protocol_of(data, method).repeats
    return _duration(seconds)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _size(paper: Paper, data: str) -> float:
    entry = KNOWN.get(paper.source(data).name)
    return (
        float(paper.source(data).rows())
        if entry is None
        else float(entry.rows) * entry.features * entry.labels
    )
