"""The report of ``inspect``: what a fitted model has learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from setwise.contract import NotTractable
from setwise.kernels.matrices import to_dense
from setwise.nesting import in_label_order, last_step
from setwise.plotting import (
    ComponentCurveDisplay,
    ComponentsDisplay,
    EMTraceDisplay,
    LabelCorrelationDisplay,
    TopSetsDisplay,
    TreeDisplay,
)
from setwise.plotting.base.rows import spread_rows
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section
from setwise.views import Table
from setwise.views.text import check_names, set_text

TREES = 6
"""Maximum number of components whose trees are shown."""
EXAMPLES = 2
"""Number of rows that are explained."""
MAX_CORRELATED = 400
"""Maximum number of labels for which correlations are shown."""


def report_model(
    estimator: Any,
    X: Any = None,
    Y: Any = None,
    *,
    title: str = "",
    subtitle: str = "",
    rows: Sequence[int] | None = None,
) -> Report:
    """Report the parameters of a fitted estimator, its trees and components, how it was fitted, and examples.

    Parameters
    ----------
    estimator : fitted estimator or pipeline
    X : array of shape (n, d), optional
        Rows to explain the model by. Without them, only the content of the model itself is shown.
    Y : array of shape (n, L), optional
        Their labels, to mark the true sets and for the correlation of labels overall.
    title, subtitle : str
        Head of the page.
    rows : sequence of int, optional
        Rows of ``X`` to show; by default two that are spread over the data.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import ConditionalTree
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(60, 2)), rng.integers(0, 2, (60, 3))
    >>> [section.title for section in report_model(ConditionalTree(l2=1.0).fit(X, Y), X, Y).sections]
    ['Model', 'Which label depends on which', 'Labels that go together', 'Row 0', 'Row 59']
    """
    model = last_step(estimator)
    truth = None if Y is None else to_dense(in_label_order(model, Y))
    sections = [
        Section("Model", [_parameters(model)]),
        _fitting(model),
        _trees(estimator, model, X),
        *(
            []
            if X is None
            else [_correlation(estimator, model, X, truth), *_examples(estimator, X, truth, rows)]
        ),
    ]
    names = check_names(getattr(model, "label_names_", None), model.n_labels_)
    facts = f"{len(names):,} labels: {', '.join(names[:30])}{', …' if len(names) > 30 else ''}"
    return Report(title or type(model).__name__, subtitle or facts, [s for s in sections if s is not None])


def _parameters(model: Any) -> Table:
    chosen = [(name, value) for name, value in vars(model).items() if _is_scalar_result(name, value)]
    rows = [[name, str(value), "given"] for name, value in model.get_params().items()]
    rows += [[name, f"{value:.6g}", "learned"] for name, value in chosen]
    return Table("", ["parameter", "value", ""], rows)


def _is_scalar_result(name: str, value: object) -> bool:
    return name.endswith("_") and not name.startswith("_") and isinstance(value, (int, float, np.number))


def _fitting(model: Any) -> Section | None:
    figures = []
    if getattr(model, "trace_", None):
        figures.append(
            Figure(EMTraceDisplay.from_estimator(model, plot=False), "EM raises this in every iteration")
        )
    if getattr(model, "growth_", None) or getattr(model, "tuning_", None):
        caption = "Held-out rows chose the number of components; a dot is a trial"
        if getattr(model, "n_components", "auto") != "auto":
            caption = "Held-out rows as the components were added; their number was given"
        figures.append(Figure(ComponentCurveDisplay.from_estimator(model, plot=False), caption))
    return Section("How it was fitted", figures=figures) if figures else None


def _trees(estimator: Any, model: Any, X: Any) -> Section | None:
    parents = np.atleast_2d(getattr(model, "parents_", np.empty((0, 0))))
    linked = np.flatnonzero((parents >= 0).any(axis=1))[:TREES]
    if not linked.size:
        return None
    trees = [TreeDisplay.from_estimator(estimator, X, component=int(k), plot=False) for k in linked]
    text = "Blue lines attract, orange ones repel; the wider, the stronger."
    if trees[0].strength is None:
        text = "Rows of data would show how strongly, and whether labels attract or repel."
    if len(parents) > len(linked):
        text += f" {len(linked)} of {len(parents)} components."
    figures = [Figure(tree) for tree in trees]
    return Section("Which label depends on which", figures=figures, text=text)


def _correlation(estimator: Any, model: Any, X: Any, truth: Any) -> Section | None:
    if truth is None or not 1 < model.n_labels_ <= MAX_CORRELATED or not hasattr(model, "distribution"):
        return None
    try:
        display = LabelCorrelationDisplay.from_estimator(estimator, X, truth, plot=False)
    except NotTractable:
        return None
    caption = (
        "Above the diagonal: what the features leave unexplained. Below it: the labels alone. If both are "
        "strong, only a joint model captures it."
    )
    return Section("Labels that go together", figures=[Figure(display, caption)])


def _examples(estimator: Any, X: Any, truth: Any, rows: Sequence[int] | None) -> list[Section]:
    """Rows that were chosen, or are spread over the data: their most probable sets, and their components."""
    if rows is None:
        rows = spread_rows(np.arange(_num_samples(X)), EXAMPLES).tolist()
    try:
        return [_example(estimator, X, row, None if truth is None else truth[row]) for row in rows]
    except NotTractable:
        return []


def _example(estimator: Any, X: Any, row: int, true_set: Any) -> Section:
    sets = TopSetsDisplay.from_estimator(estimator, X, row=row, truth=true_set, plot=False)
    best = zip(sets.sets[:3], sets.probability[:3])
    cells = [[set_text(labels, sets.label_names), f"{probability:.4f}"] for labels, probability in best]
    figures = [Figure(sets)]
    if getattr(last_step(estimator), "n_components_", 1) > 1:
        figures.append(
            Figure(ComponentsDisplay.from_estimator(estimator, X, row=row, truth=true_set, plot=False))
        )
    return Section(f"Row {row}", [Table("Most probable sets", ["set", "probability"], cells)], figures)
