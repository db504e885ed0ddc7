"""The report of ``compare``: a table and plots for each data set, ranks over all of them."""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats
from setwise.evaluation import Comparison
from setwise.evaluation.protocol import LOSSES, Estimate
from setwise.evaluation.statistics import paired_t_test
from setwise.plotting import CriticalDifferenceDisplay, MethodScoresDisplay
from setwise.reports.report import Figure, Report, Section
from setwise.views import Table

MEASURES = {
    "exact_match": "exact match",
    "hamming_score": "Hamming",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "joint_log_loss": "log-loss",
    "cll_loss": "CLL-loss",
}
"""Measures shown for a data set, with their titles."""
PLOTTED = ("exact_match", "micro_f1", "joint_log_loss")


def report_comparison(result: Comparison, title: str = "Comparison", subtitle: str = "") -> Report:
    """Methods in rows, measures in columns, a table for each data set; ``*`` marks the best of a column.

    Parameters
    ----------
    result : Comparison
        What :func:`setwise.evaluation.compare` gives.
    title, subtitle : str
    """
    sections = [_data_section(result, data) for data in result.data]
    ranks = [figure for measure in PLOTTED if (figure := _ranks(result, measure)) is not None]
    if ranks:
        sections.append(Section("Over all data sets", figures=ranks))
    return Report(title, subtitle, sections)


def _data_section(result: Comparison, data: str) -> Section:
    protocol = next(record.get("protocol", "") for record in result.records if record["data"] == data)
    tables = [_scores(result, data)]
    if len(result.methods) > 1 and (against := _against_best(result, data)).rows:
        tables.append(against)
    figures = [Figure(plot) for measure in PLOTTED if (plot := _plot(result, data, measure)) is not None]
    return Section(f"{data}: {protocol}", tables, figures)


def _scores(result: Comparison, data: str) -> Table:
    rows = []
    for method in result.methods:
        cells = [_cell(result, data, method, measure) for measure in MEASURES]
        seconds = result.estimate(data, method, "fit_seconds")
        peak = max(result.values(data, method, "peak_megabytes"), default=None)
        rows.append(
            [method, *cells, f"{seconds.mean:.2f}" if seconds else "-", f"{peak:.0f}" if peak else "-"]
        )
    columns = ["method", *MEASURES.values(), "fit s", "peak MB"]
    return Table(f"{data}: scores", columns, rows, _failure_notes(result, data))


def _cell(result: Comparison, data: str, method: str, measure: str) -> str:
    estimate = result.estimate(data, method, measure)
    if estimate is None:
        return "-"
    best = result.estimate(data, _best(result, data, measure) or "", measure)
    return str(estimate) + ("*" if best is not None and best.mean == estimate.mean else "")


def _best(result: Comparison, data: str, measure: str) -> str | None:
    """The method with the best mean; the first of equals, none where nothing is finite."""
    sign = -1.0 if measure in LOSSES else 1.0
    means = {m: sign * e.mean for m in result.methods if (e := result.estimate(data, m, measure)) is not None}
    return max(means, key=lambda m: means[m]) if means and max(means.values()) > -np.inf else None


def _against_best(result: Comparison, data: str, measure: str = "exact_match") -> Table:
    """Paired t-tests of the best method against each other, where there are folds to pair."""
    best = _best(result, data, measure)
    ours = result.values(data, best, measure) if best is not None else []
    rows = []
    for method in result.methods:
        theirs = result.values(data, method, measure)
        if method != best and len(theirs) == len(ours) > 1:
            test = paired_t_test(ours, theirs)
            rows.append([method, f"{test.difference:+.3f}", f"{test.p_value:.3g}", test.verdict])
    title = f"{data}: {best} against the others, {MEASURES[measure]}"
    return Table(title, ["against", "difference", "p", "it is"], rows, ["paired t-test over the folds"])


def _plot(result: Comparison, data: str, measure: str) -> MethodScoresDisplay | None:
    nothing = Estimate(np.nan, np.nan, 0)
    found = [result.estimate(data, method, measure) or nothing for method in result.methods]
    mean = np.array([estimate.mean for estimate in found])
    if not np.isfinite(mean).any():
        return None
    error = [estimate.standard_error for estimate in found]
    direction = "less is better" if measure in LOSSES else "more is better"
    return MethodScoresDisplay(
        result.methods,
        mean,
        error,
        measure=f"{MEASURES[measure]}, ± 2 s.e. ({direction})",
        title=data,
    )


def _ranks(result: Comparison, measure: str) -> Figure | None:
    """A critical-difference diagram, where every method has a finite score on at least two data sets."""
    if len(result.methods) < 3 or len(result.data) < 2:
        return None
    scores: Floats = np.array(
        [
            [e.mean if (e := result.estimate(d, m, measure)) is not None else np.nan for m in result.methods]
            for d in result.data
        ]
    )
    if not np.isfinite(scores).all():
        return None
    display = CriticalDifferenceDisplay.from_scores(
        scores, result.methods, greater_is_better=measure not in LOSSES, plot=False
    )
    return Figure(display, f"{MEASURES[measure]}: mean ranks and Nemenyi's critical difference (CD)")


def _failure_notes(result: Comparison, data: str) -> list[str]:
    failures = [record for record in result.failures if record["data"] == data]
    return [f"{r['method']}, repetition {r['repeat']} failed: {r['error']}" for r in failures]
