"""The report of ``errors``: rows whose given labels look like mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import Array
from setwise.plotting import LabelErrorsDisplay
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section
from setwise.views import Table
from setwise.views.text import Names, change_text, set_text

LISTED = 200
WIDE = 200


def report_errors(
    score: npt.ArrayLike,
    given: npt.ArrayLike,
    suggested: npt.ArrayLike,
    *,
    label_names: Names = None,
    row_names: Sequence[Any] | None = None,
    title: str = "Labels that look wrong",
    proba: npt.ArrayLike | None = None,
) -> Report:
    """Report the most suspicious rows with the sets that the model predicts, and the labels most often in doubt.

    Parameters
    ----------
    score : array of shape (n,)
        How suspicious each row is.
    given, suggested : arrays of shape (n, L)
        The given labels, and those that the model predicts.
    label_names : sequence of str, optional
        Numbers by default.
    row_names : sequence, optional
        Names of the rows; their numbers by default.
    title : str
        Head of the page.
    proba : array of shape (n, L), optional
        Probability that each label is on, shown beside the labels to add and to remove.

    Returns
    -------
    Report

    Examples
    --------
    >>> report = report_errors([0.1, 4.2], [[1, 0], [1, 1]], [[1, 0], [0, 1]], label_names=["sea", "sand"])
    >>> report.tables()[0].rows[0]
    ['1', '4.200', 'sea, sand', '−sea']
    """
    display = LabelErrorsDisplay(score, given, suggested, label_names, row_names=row_names)
    figure = Figure(display, "+ labels the model would add, − labels it would remove")
    order = np.argsort(-display.score, kind="stable")
    sections = [
        Section("Rows", [_rows(display, order, None if proba is None else np.asarray(proba))], [figure]),
        Section("Labels", [_labels(display, order)]),
    ]
    changed = int((display.given != display.suggested).any(axis=1).sum())
    subtitle = f"{len(order):,} rows; the model predicts another set in {changed:,} of them"
    return Report(title, subtitle, sections)


def _rows(display: LabelErrorsDisplay, order: Array, proba: Array | None) -> Table:
    rows = [
        [
            str(display.row_names[i]),
            f"{display.score[i]:.3f}",
            set_text(display.given[i], display.label_names),
            _change(display, i, None if proba is None else proba[i]),
        ]
        for i in order[:LISTED]
    ]
    notes = [f"the {LISTED} most suspicious of {len(order):,} rows"] if len(order) > LISTED else []
    return Table("", ["row", "score", "given", "the model would add and remove"], rows, notes)


def _change(display: LabelErrorsDisplay, row: int, proba: Array | None) -> str:
    """Labels to add and to remove, with their probabilities if they are known."""
    names = [str(name) for name in display.label_names]
    if proba is not None:
        names = [f"{name} ({p:.2f})" for name, p in zip(names, proba)]
    return change_text(display.given[row], display.suggested[row], names, WIDE)


def _labels(display: LabelErrorsDisplay, order: Array) -> Table:
    """How often each label is in doubt among the rows listed."""
    top = order[:LISTED]
    added = ((display.suggested[top] == 1) & (display.given[top] != 1)).sum(axis=0)
    removed = ((display.suggested[top] == 0) & (display.given[top] == 1)).sum(axis=0)
    doubted = [j for j in np.argsort(-(added + removed), kind="stable") if added[j] + removed[j]]
    rows = [[display.label_names[j], str(added[j]), str(removed[j])] for j in doubted]
    return Table(
        f"Labels in doubt, in the {len(top):,} most suspicious rows", ["label", "missing", "too much"], rows
    )
