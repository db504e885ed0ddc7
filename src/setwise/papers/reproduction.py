"""A paper's tables beside ours: same data, protocol and measures, the difference and a verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from setwise.datasets import available
from setwise.evaluation.comparison import Comparison
from setwise.evaluation.protocol import Estimate
from setwise.evaluation.runner import Cell, Watcher, run_cells
from setwise.papers.one_row import RowFigure
from setwise.papers.printed import PLAIN, Paper, Printed
from setwise.papers.studies import Study
from setwise.papers.verdicts import Verdict, judge
from setwise.views import Table

Form = Literal["published", "ours", "both"]
"""Which forms of the paper's own methods to run: as published, with our defaults, or both."""
QUICK_ROWS = 3000
QUICK_REPEATS = 2
QUICK_SECONDS = 240.0


class Outcome(NamedTuple):
    """A number of ours, and how it compares with the printed one."""

    ours: Estimate | None
    verdict: Verdict


class Line(NamedTuple):
    """A printed number beside ours; the paper's own methods also have an outcome of their published form."""

    printed: Printed
    ours: Estimate | None
    verdict: Verdict
    published: Outcome | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus theirs."""
        return None if self.ours is None else self.ours.mean - self.printed.value


@dataclass(frozen=True)
class Reproduction:
    """The lines of a paper's tables and the run behind them.

    Parameters
    ----------
    paper : Paper
        What was printed.
    lines : list of Line
        Printed numbers beside ours.
    result : Comparison
        The run.
    cuts : str
        What a quick run left out.
    studies : sequence of Study
        Figures and ablations that were asked for.
    """

    paper: Paper
    lines: list[Line]
    result: Comparison
    cuts: str = ""
    studies: Sequence[Study | RowFigure] = ()

    def tables(self) -> list[Table]:
        """One table for each table and measure of the paper."""
        return [self._table(lines) for lines in self.groups()]

    def groups(self) -> list[list[Line]]:
        """The lines of each table and measure of the paper."""
        groups: dict[tuple[str, str], list[Line]] = {}
        for line in self.lines:
            groups.setdefault((line.printed.table, line.printed.measure), []).append(line)
        return list(groups.values())

    def _table(self, lines: list[Line]) -> Table:
        table, measure = lines[0].printed.table, lines[0].printed.measure
        notes = dict.fromkeys(note for line in lines for note in self.paper.remarks_on(line.printed))
        failures = [f"{r['data']}, {r['method']}: {r['error']}" for r in self.result.failures]
        columns = ["data", "method", "paper", "published form", "verdict", "ours", "difference", "verdict"]
        return Table(
            f"{table}: {measure}", columns, [_row(line) for line in lines], [*notes, *dict.fromkeys(failures)]
        )

    def count(self, verdict: Verdict, *, own: bool | None = None) -> int:
        """Number of lines with that verdict: of all methods, of the paper's own, or of the others."""
        mine = self.paper.own_methods
        return sum(
            line.verdict == verdict
            for line in self.lines
            if own is None or own == (line.printed.method in mine)
        )

    def count_published(self, verdict: Verdict) -> int:
        """Number of published forms with that verdict."""
        return sum(line.published is not None and line.published.verdict == verdict for line in self.lines)


def _row(line: Line) -> list[str]:
    theirs, difference = line.printed.value, line.difference
    digits = 3 if abs(theirs) < 10 or np.isnan(theirs) else 1
    cells = [line.printed.data, line.printed.method, "-" if np.isnan(theirs) else f"{theirs:.{digits}f}"]
    plain = (
        ["-", "-"]
        if line.published is None
        else [_shown(line.published.ours, digits), line.published.verdict]
    )
    gap = "-" if difference is None or np.isnan(difference) else f"{difference:+.{digits}f}"
    return [*cells, *plain, _shown(line.ours, digits), gap, line.verdict]


def _shown(ours: Estimate | None, digits: int) -> str:
    if ours is None:
        return "-"
    error = "" if np.isnan(ours.standard_error) else f" ± {ours.standard_error:.{digits}f}"
    return f"{ours.mean:.{digits}f}{error}"


def reproduce(
    paper: Paper,
    *,
    data: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    form: Form = "both",
    studies: Sequence[Study | RowFigure] = (),
    repeats: int | None = None,
    quick: bool = False,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    watch: Watcher | None = None,
    seconds: float | None = None,
) -> Reproduction:
    """Run a paper's experiments with the methods that setwise has.

    Parameters
    ----------
    paper : Paper
        One of ``setwise.papers.recipes.PAPERS``.
    data, methods : sequences of str, optional
        Some of the paper's data sets and methods, as printed; all by default. Cells without a printed number are not
        run.
    form : {"published", "ours", "both"}, default="both"
        Forms of the paper's own methods: as published, with our defaults, or both.
    studies : sequence of Study
        Figures and ablations to run after the tables, of ``setwise.papers.figures.STUDIES``.
    repeats : int, optional
        Fewer (or more) folds or partitions than the paper's.
    quick : bool, default=False
        Two folds of the small data sets, a few minutes at most; the result says what was cut.
    journal, n_jobs, watch, seconds
        See :func:`~setwise.evaluation.run_cells`.

    Returns
    -------
    Reproduction
        Printed numbers beside ours, with verdicts.
    """
    chosen_data = _chosen(data, paper.data(), "data set", paper)
    chosen_methods = _chosen(methods, list(paper.columns), "method", paper)
    cuts = ""
    if quick:
        small = [name for name in chosen_data if paper.source(name).rows() <= QUICK_ROWS]
        cuts = _cuts([name for name in chosen_data if name not in small])
        chosen_data, repeats, seconds = small, repeats or QUICK_REPEATS, seconds or QUICK_SECONDS
    here = set(available())
    printed = [
        row
        for row in paper.printed() or _unprinted(paper)
        if row.data in chosen_data and row.method in chosen_methods
    ]
    shown = dict.fromkeys((row.data, row.method) for row in printed)
    cells = [
        _cell(paper, name, title, repeats)
        for name, method in shown
        if paper.source(name).is_here(here) and paper.columns[method].is_built
        for title in _titles(paper, method, form)
    ]
    cells += [cell for study in studies for cell in study.cells(paper, quick=quick)]
    result = Comparison(run_cells(cells, journal=journal, n_jobs=n_jobs, watch=watch, seconds=seconds))
    return Reproduction(
        paper, [_line(paper, row, result, here, repeats) for row in printed], result, cuts, studies
    )


def _cuts(large: list[str]) -> str:
    left = f", without {', '.join(large)}" if large else ""
    return (
        f"A quick run: {QUICK_REPEATS} folds or partitions, at most {QUICK_SECONDS / 60:.0f} minutes{left}."
    )


def _titles(paper: Paper, method: str, form: Form) -> list[str]:
    """The forms of a method to run, by their names in the journal."""
    plain = [f"{method}{PLAIN}"] if method in paper.published and form != "ours" else []
    return plain + ([] if plain and form == "published" else [method])


def _cell(paper: Paper, data: str, method: str, repeats: int | None) -> Cell:
    protocol = paper.protocol_of(data, method)
    if repeats is not None and protocol.kind != "official":
        protocol = replace(protocol, repeats=repeats)
    return Cell(data, method, paper.source(data), paper.recipe(data, method).build(), protocol)


def _chosen(asked: Sequence[str] | None, known: list[str], kind: str, paper: Paper) -> list[str]:
    unknown = [name for name in asked or () if name not in _names(known, kind, paper)]
    if unknown:
        raise ValueError(f"{paper.key} has no {kind} {unknown[0]!r}; it has {', '.join(known)}")
    return known if asked is None else [_names(known, kind, paper)[name] for name in asked]


def _names(known: list[str], kind: str, paper: Paper) -> dict[str, str]:
    """Map the paper's names, and our names of its data sets, to the paper's names."""
    ours = {paper.source(name).name: name for name in known} if kind == "data set" else {}
    return ours | {name: name for name in known}


def _unprinted(paper: Paper) -> list[Printed]:
    tables = {"Table 1": "exact_match", "Table 2": "macro_f1", "Table 3": "micro_f1"}
    return [
        Printed(table, data, method, measure, float("nan"))
        for table, measure in tables.items()
        for data in paper.unprinted
        for method in paper.columns
    ]


def _line(paper: Paper, row: Printed, result: Comparison, here: set[str], repeats: int | None) -> Line:
    plain = None
    if row.method in paper.published:
        plain = _outcome(paper, row, f"{row.method}{PLAIN}", result, here, repeats)
    return Line(row, *_outcome(paper, row, row.method, result, here, repeats), plain)


def _outcome(
    paper: Paper, row: Printed, title: str, result: Comparison, here: set[str], repeats: int | None
) -> Outcome:
    if row.method in paper.columns and not paper.columns[row.method].is_built:
        return Outcome(None, "not built")
    if not paper.source(row.data).is_here(here):
        return Outcome(None, "no data")
    ours = result.estimate(row.data, title, row.measure)
    if ours is None:
        failed = any(r["data"] == row.data and r["method"] == title for r in result.failures)
        return Outcome(None, "failed" if failed else "not run")
    if ours.repeats < (repeats or paper.protocol_of(row.data, title).repeats):
        return Outcome(ours, "open")
    if row.measure == "cll_loss" and repeats is not None:  # A sum over a fold depends on the number of folds.
        scale = repeats / paper.protocol_of(row.data, title).repeats
        ours = Estimate(ours.mean * scale, ours.standard_error * scale, ours.repeats)
    return Outcome(ours, judge(row, ours))
