"""A paper's tables beside ours: same data, protocol and measures, the difference and a verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from setwise.datasets import available
from setwise.evaluation.comparison import Comparison
from setwise.evaluation.protocol import LOSSES, Estimate
from setwise.evaluation.runner import Cell, Watcher, run_cells
from setwise.papers.printed import Paper, Printed
from setwise.views import Table

Verdict = Literal["better", "level", "worse", "open", "not built", "no data", "failed", "-"]

UNJUDGED = frozenset({"fit_seconds", "predict_seconds", "cardinality"})
"""Measures without a verdict: times depend on the machine, and a larger or smaller cardinality is not better."""


class Line(NamedTuple):
    """A printed number beside ours."""

    printed: Printed
    ours: Estimate | None
    verdict: Verdict

    @property
    def difference(self) -> float | None:
        """Ours minus theirs."""
        return None if self.ours is None else self.ours.mean - self.printed.value


def judge(printed: Printed, ours: Estimate) -> Verdict:
    """Compare a number of ours with the printed one.

    Parameters
    ----------
    printed : Printed
        The paper's number.
    ours : Estimate
        Our mean and its standard error.

    Returns
    -------
    str
        ``"better"`` or ``"worse"`` only beyond two standard errors of ours, otherwise ``"level"``. Without a standard
        error the verdict is ``"open"``, unless our mean is infinite: that is worse.

    Examples
    --------
    >>> judge(Printed("Table 2", "emotions", "BR", "exact_match", 0.265), Estimate(0.25, 0.01, 10))
    'level'
    >>> judge(Printed("Table 3", "emotions", "BR", "cll_loss", 153.5), Estimate(160.0, 2.0, 10))
    'worse'
    """
    if printed.measure in UNJUDGED:
        return "-"
    sign = -1.0 if printed.measure in LOSSES else 1.0
    advantage = sign * (ours.mean - printed.value)
    if np.isnan(ours.standard_error):
        return "open" if np.isfinite(ours.mean) else "worse"
    if abs(advantage) <= 2.0 * ours.standard_error:
        return "level"
    return "better" if advantage > 0 else "worse"


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
    """

    paper: Paper
    lines: list[Line]
    result: Comparison

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
        columns = ["data", "method", "paper", "ours", "difference", "verdict"]
        return Table(
            f"{table}: {measure}", columns, [_row(line) for line in lines], [*notes, *dict.fromkeys(failures)]
        )

    def count(self, verdict: Verdict) -> int:
        """Number of lines with that verdict."""
        return sum(line.verdict == verdict for line in self.lines)


def _row(line: Line) -> list[str]:
    theirs, ours, difference = line.printed.value, line.ours, line.difference
    digits = 3 if abs(theirs) < 10 or np.isnan(theirs) else 1
    cells = [line.printed.data, line.printed.method, "-" if np.isnan(theirs) else f"{theirs:.{digits}f}"]
    if ours is None or difference is None:
        return [*cells, "-", "-", line.verdict]
    error = "" if np.isnan(ours.standard_error) else f" ± {ours.standard_error:.{digits}f}"
    gap = "-" if np.isnan(difference) else f"{difference:+.{digits}f}"
    return [*cells, f"{ours.mean:.{digits}f}{error}", gap, line.verdict]


def reproduce(
    paper: Paper,
    *,
    data: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    repeats: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    watch: Watcher | None = None,
) -> Reproduction:
    """Run a paper's experiments with the methods that setwise has.

    Parameters
    ----------
    paper : Paper
        One of ``setwise.papers.recipes.PAPERS``.
    data, methods : sequences of str, optional
        Some of the paper's data sets and methods, as printed; all by default. Cells without a printed number are not
        run.
    repeats : int, optional
        Fewer (or more) folds or partitions than the paper's.
    journal, n_jobs, watch
        See :func:`~setwise.evaluation.run_cells`.

    Returns
    -------
    Reproduction
        Printed numbers beside ours, with verdicts.
    """
    chosen_data = _chosen(data, paper.data(), "data set", paper)
    chosen_methods = _chosen(methods, list(paper.columns), "method", paper)
    here = set(available())
    printed = paper.printed() or _unprinted(paper)
    shown = {(row.data, row.method) for row in printed}
    cells = [
        _cell(paper, name, method, repeats)
        for name in chosen_data
        for method in chosen_methods
        if (name, method) in shown and paper.source(name).name in here and paper.columns[method].is_built
    ]
    result = Comparison(run_cells(cells, journal=journal, n_jobs=n_jobs, watch=watch))
    wanted = [row for row in printed if row.data in chosen_data and row.method in chosen_methods]
    return Reproduction(paper, [_line(paper, row, result, here) for row in wanted], result)


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
    measures = ("exact_match", "macro_f1", "micro_f1")
    return [
        Printed("Tables not printed here", data, method, measure, float("nan"))
        for measure in measures
        for data in paper.unprinted
        for method in paper.columns
    ]


def _line(paper: Paper, row: Printed, result: Comparison, here: set[str]) -> Line:
    if row.method in paper.columns and not paper.columns[row.method].is_built:
        return Line(row, None, "not built")
    if paper.source(row.data).name not in here:
        return Line(row, None, "no data")
    ours = result.estimate(row.data, row.method, row.measure)
    if ours is None:
        return Line(row, None, "failed")
    if row.measure == "cll_loss":  # A sum over the rows of a fold: it depends on the number of folds.
        scale = ours.repeats / paper.protocol_of(row.data, row.method).repeats
        ours = Estimate(ours.mean * scale, ours.standard_error * scale, ours.repeats)
    return Line(row, ours, "-" if np.isnan(row.value) else judge(row, ours))
