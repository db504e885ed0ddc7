"""The report of ``compare``: a table and plots for each data set, ranks over all of them."""

from __future__ import annotations

import numpy as np

from setwise.contract import Floats
from setwise.evaluation.comparison import MEASURES, Comparison
from setwise.evaluation.protocol import LOSSES, Estimate
from setwise.evaluation.statistics import paired_t_test
from setwise.plotting import CriticalDifferenceDisplay, MethodScoresDisplay
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section
from setwise.views import Table

PLOTTED = ("exact_match", "micro_f1", "joint_log_loss")


def report_comparison(result: Comparison, title: str = "Comparison", subtitle: str = "") -> Report:
    """Report how methods compare: a table for each data set, and ranks over all of them.

    Parameters
    ----------
    result : Comparison
        Result of :func:`setwise.evaluation.compare`.
    title, subtitle : str
        Head of the page.

    Returns
    -------
    Report

    Examples
    --------
    >>> records = [{"data": "toy", "method": "BR", "repeat": 0, "scores": {"exact_match": 0.5}}]
    >>> report_comparison(Comparison(records)).tables()[0].rows
    [['BR', '0.500*']]
    """
    sections = [_data_section(result, data) for data in result.data]
    ranks = [figure for measure in PLOTTED if (figure := _ranks(result, measure)) is not None]
    if ranks:
        sections.append(Section("Over all data sets", figures=ranks))
    return Report(title, subtitle, sections)


def _data_section(result: Comparison, data: str) -> Section:
    protocol = next(record.get("protocol", "") for record in result.records if record["data"] == data)
    tables = [result.table(data)]
    if len(result.methods) > 1 and (against := _against_best(result, data)).rows:
        tables.append(against)
    figures = [Figure(plot) for measure in PLOTTED if (plot := _plot(result, data, measure)) is not None]
    return Section(f"{data}: {protocol}", tables, figures)


def _against_best(result: Comparison, data: str, measure: str = "exact_match") -> Table:
    """Paired t-tests of the best method against each other one, if there are folds to pair."""
    best = result.best(data, measure)
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
    """A critical-difference diagram, if every method has a finite score on at least two data sets."""
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
