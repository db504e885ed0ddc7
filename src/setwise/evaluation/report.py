"""A table as text, CSV and a self-contained HTML page; whatever the cells hold is escaped."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass, field

import numpy as np

from setwise.evaluation.comparison import Comparison
from setwise.evaluation.protocol import LOSSES, Estimate


@dataclass(frozen=True)
class Table:
    """Rows of text under a title, with notes below.

    Examples
    --------
    >>> print(Table("Scores", ["method", "score"], [["BR", "0.265"], ["SC", "0.322"]], ["ten folds"]))
    Scores
    method  score
    ------  -----
    BR      0.265
    SC      0.322
    * ten folds
    """

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        cells = [self.columns, *self.rows]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, lines[0], rule, *lines[1:], *(f"* {note}" for note in self.notes)])

    def to_csv(self) -> str:
        """The table as CSV, header first."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()

    def to_html(self) -> str:
        """The table as a section of a page."""
        escape = html.escape
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        body = "\n".join(
            f'<tr class="{escape(_class_of(row))}">'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row)
            + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<h2>{escape(self.title)}</h2>\n<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n"
            f"<ul>{notes}</ul>"
        )


VERDICTS = ("better", "reached", "short", "not built", "failed", "no data")


def _class_of(row: list[str]) -> str:
    return next((verdict.replace(" ", "-") for verdict in VERDICTS if verdict in row), "plain")


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222 }}
table {{ border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }}
th, td {{ padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #ddd }}
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) {{ text-align: left }}
th {{ border-bottom: 2px solid #888 }}
tr.better td:last-child {{ color: #0a6b2d; font-weight: 600 }}
tr.reached td:last-child {{ color: #0a6b2d }}
tr.short td:last-child, tr.failed td:last-child {{ color: #a11; font-weight: 600 }}
tr.not-built td, tr.no-data td {{ color: #888 }}
</style></head><body>
<h1>{title}</h1>
<p>{subtitle}</p>
{sections}
</body></html>
"""


def page(title: str, subtitle: str, tables: list[Table]) -> str:
    """A self-contained HTML page of tables: no scripts, nothing fetched.

    Examples
    --------
    >>> "<script>" in page("<script>", "", [Table("<script>", ["<script>"], [["<script>"]])])
    False
    """
    sections = "\n".join(table.to_html() for table in tables)
    return PAGE.format(title=html.escape(title), subtitle=html.escape(subtitle), sections=sections)


MEASURES = {
    "exact_match": "exact match",
    "hamming_score": "Hamming",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "joint_log_loss": "log-loss",
    "cll_loss": "CLL-loss",
}
"""Measures shown for a data set, with their titles."""


def comparison_tables(result: Comparison) -> list[Table]:
    """One table per data set: methods in rows, measures in columns; ``*`` marks the best of a column."""
    return [_data_table(result, data) for data in result.data]


def _data_table(result: Comparison, data: str) -> Table:
    rows = []
    for method in result.methods:
        cells = [_cell(result, data, method, measure) for measure in MEASURES]
        seconds = result.estimate(data, method, "fit_seconds")
        peak = max(result.values(data, method, "peak_megabytes"), default=None)
        rows.append(
            [method, *cells, f"{seconds.mean:.2f}" if seconds else "-", f"{peak:.0f}" if peak else "-"]
        )
    protocol = next(record.get("protocol", "") for record in result.records if record["data"] == data)
    columns = ["method", *MEASURES.values(), "fit s", "peak MB"]
    return Table(f"{data}: {protocol}", columns, rows, _failure_notes(result, data))


def _cell(result: Comparison, data: str, method: str, measure: str) -> str:
    estimate = result.estimate(data, method, measure)
    if estimate is None:
        return "-"
    best = "*" if _is_best(result, data, measure, estimate) else ""
    return _number(estimate) + best


def _number(estimate: Estimate) -> str:
    digits = 3 if abs(estimate.mean) < 10 else 1
    error = "" if np.isnan(estimate.standard_error) else f" ± {estimate.standard_error:.{digits}f}"
    return f"{estimate.mean:.{digits}f}{error}"


def _is_best(result: Comparison, data: str, measure: str, estimate: Estimate) -> bool:
    all_means = [
        other.mean
        for method in result.methods
        if (other := result.estimate(data, method, measure)) is not None
    ]
    return estimate.mean == (min if measure in LOSSES else max)(all_means)


def _failure_notes(result: Comparison, data: str) -> list[str]:
    failures = [record for record in result.failures if record["data"] == data]
    return [f"{r['method']}, repetition {r['repeat']} failed: {r['error']}" for r in failures]
