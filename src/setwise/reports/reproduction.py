"""The report of ``reproduce``: a paper's numbers beside ours, and how far apart they are."""

from __future__ import annotations

import numpy as np

from setwise.evaluation.protocol import LOSSES
from setwise.papers.reproduction import Line, Reproduction
from setwise.plotting import MethodScoresDisplay
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section


def report_reproduction(made: Reproduction) -> Report:
    """Report how our numbers compare with a paper's, with a section for each of its tables and measures.

    Parameters
    ----------
    made : Reproduction
        Result of :func:`setwise.papers.reproduction.reproduce`.

    Returns
    -------
    Report

    Examples
    --------
    >>> from setwise.evaluation import Comparison
    >>> from setwise.papers.recipes import PAPERS
    >>> made = Reproduction(next(iter(PAPERS.values())), [], Comparison([]))
    >>> report_reproduction(made).tables()
    []
    """
    sections = [Section("", [table], _figures(lines)) for table, lines in zip(made.tables(), made.groups())]
    return Report(made.paper.citation, _subtitle(made), sections)


def _figures(lines: list[Line]) -> list[Figure]:
    """Draw our values minus the printed ones, in percent of the printed ones."""
    compared = [line for line in lines if line.ours is not None and line.printed.value > 0]
    if not compared:
        return []
    printed = np.array([line.printed.value for line in compared])
    ours = np.array(
        [(line.ours.mean, line.ours.standard_error) for line in compared if line.ours is not None]
    )
    measure = compared[0].printed.measure
    direction = "less" if measure in LOSSES else "more"
    display = MethodScoresDisplay(
        [f"{line.printed.data} {line.printed.method}" for line in compared],
        100.0 * (ours[:, 0] / printed - 1.0),
        100.0 * ours[:, 1] / printed,
        measure=f"difference from the printed value, % ({direction} is better)",
        title=f"{measure}, ± 2 standard errors of ours",
        reference=0.0,
    )
    return [Figure(display)]


def _subtitle(made: Reproduction) -> str:
    verdicts = dict.fromkeys(line.verdict for line in made.lines)
    counts = ", ".join(f"{made.count(verdict)} {verdict}" for verdict in verdicts if verdict != "-")
    protocols = (
        "; ".join(dict.fromkeys(str(r.get("protocol", "")) for r in made.result.records)) or "nothing run"
    )
    return (
        f"{len(made.lines)} printed numbers: {counts}. Level means within two standard errors of ours. "
        f"Ours: {protocols}; the paper: {made.paper.protocol}."
        + (" Name the folder of the data sets with --data or SETWISE_DATA." if made.count("no data") else "")
    )
