"""The report of ``reproduce``: a paper's numbers beside ours, and how far apart they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from setwise.evaluation.protocol import LOSSES
from setwise.papers.layout import layout
from setwise.papers.left_out import left_out
from setwise.papers.margins import margins
from setwise.papers.one_row import SHOWN, Row, RowFigure
from setwise.papers.reproduction import Line, Reproduction
from setwise.papers.studies import Study
from setwise.papers.verdicts import Verdict
from setwise.plotting import ComponentsDisplay, LearningCurveDisplay, MethodScoresDisplay
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section
from setwise.views import Table

JUDGED: tuple[Verdict, ...] = ("better", "level", "worse", "open")


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
    sections = [
        Section("", [table, *_laid_out(made, lines)], _figures(lines))
        for table, lines in zip(made.tables(), made.groups())
    ]
    if made.paper.rivals and made.lines:
        sections.append(Section("", [margins(made.lines, made.paper.own, made.paper.rivals)]))
    sections += [Section("", [study.table(made.result)], _drawn(study, made)) for study in made.studies]
    missing = left_out(made)
    if missing.rows:
        sections.append(Section("", [missing]))
    return Report(made.paper.citation, _subtitle(made), sections)


def _laid_out(made: Reproduction, lines: list[Line]) -> list[Table]:
    table = layout(made, lines)
    return [] if table is None else [table]


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


def _drawn(study: Study | RowFigure, made: Reproduction) -> list[Figure]:
    """Draw a figure that compares nothing, or a line for each data set and measure of a curve, beside the rivals."""
    if isinstance(study, RowFigure):
        row = study.row
        return [] if row is None else [Figure(_components(row), study.title)]
    if not study.curve:
        return []
    return [
        Figure(
            LearningCurveDisplay(numbers, lines, measure, against="components or samples"),
            f"{study.title}, {name}",
        )
        for name in study.data
        for measure in study.measures
        for numbers, lines in _lines(study, made, name, measure)
    ]


def _components(row: Row) -> ComponentsDisplay:
    return ComponentsDisplay(row.gate, row.marginals, row.label_names, truth=row.truth, max_components=SHOWN)


def _lines(
    study: Study, made: Reproduction, name: str, measure: str
) -> list[tuple[list[int], dict[str, list[list[float]]]]]:
    run = {variant: study.values(made.result, name, variant, measure) for variant in study.variants}
    found = {int(variant): values for variant, values in run.items() if values is not None}
    if len(found) < 2 or len({len(values) for values in found.values()}) > 1:
        return []
    lines = {name: list(found.values())}
    for rival in study.rivals:
        values = study.values(made.result, name, rival, measure)
        if values is not None:
            lines[rival] = [values] * len(found)
    return [(list(found), lines)]


def _subtitle(made: Reproduction) -> str:
    protocols = (
        "; ".join(dict.fromkeys(str(r.get("protocol", "")) for r in made.result.records)) or "nothing run"
    )
    known = sum(not np.isnan(line.printed.value) for line in made.lines)
    compared = (
        f"{known} printed numbers. {_counts(made)} Better and worse are beyond two standard errors of ours, level "
        "within."
        if known
        else "The paper's numbers are lost in our copy: ours stand alone."
    )
    return f"{compared} Ours: {protocols}; the paper: {made.paper.protocol}. {made.cuts}" + (
        " Name the folder of the data sets with --data or SETWISE_DATA." if made.count("no data") else ""
    )


def _counts(made: Reproduction) -> str:
    """Counts of the verdicts, apart for the published forms, for ours, and for the methods compared."""
    counted: dict[str, Callable[[Verdict], int]] = {
        "The paper's methods as published": made.count_published,
        "with our defaults": lambda verdict: made.count(verdict, own=True),
        "the methods compared": lambda verdict: made.count(verdict, own=False),
    }
    parts = [
        f"{title}: {', '.join(f'{count(verdict)} {verdict}' for verdict in JUDGED)}"
        for title, count in counted.items()
    ]
    return "; ".join(parts) + "."
