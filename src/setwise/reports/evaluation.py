"""The report of ``evaluate``: how good a fitted model is on rows it has not seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from setwise import metrics
from setwise.contract import Array, Floats, NotTractable, TopK
from setwise.evaluation.protocol import score
from setwise.kernels.matrices import to_dense
from setwise.nesting import in_label_order, last_step, opened
from setwise.plotting import LabelScoresDisplay, SetReliabilityDisplay
from setwise.reports.report import Report
from setwise.reports.section import Figure, Section
from setwise.reports.verdict import compared_answers, comparison_table, label_warnings, verdict
from setwise.views import Table
from setwise.views.text import Names, check_names, set_text

MEASURES = {
    "exact_match": "exact match: share of rows whose whole set is right",
    "hamming_score": "Hamming score: share of (row, label) cells that are right",
    "instance_f1": "F1 of a row, mean",
    "instance_jaccard": "Jaccard index of a row, mean",
    "micro_f1": "micro F1: of all cells together",
    "macro_f1": "macro F1: of each label, mean",
    "joint_log_loss": "joint log-loss per row, nats",
    "impossible_share": "share of rows whose true set has probability zero",
    "cardinality": "labels per row in the predictions",
    "true_cardinality": "labels per row in the data",
}
TOP_SETS = 10
CONFUSIONS = 15
EXAMPLES = 3
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Shares of the rows that are answered, the surest first."""


def report_evaluation(
    estimator: Any,
    X: Any,
    Y: Any,
    *,
    label_names: Names = None,
    title: str = "Evaluation",
    subtitle: str = "",
    warnings: Sequence[str] = (),
) -> Report:
    """Report how good a fitted estimator is on rows it has not seen, label by label and set by set.

    Parameters
    ----------
    estimator : fitted estimator or pipeline
    X : array of shape (n, d)
    Y : array or CSR of shape (n, L)
        Or classes (n,), if the estimator was fitted to classes.
    label_names : sequence of str, optional
        The estimator's by default.
    title, subtitle : str
        Head of the page.
    warnings : sequence of str
        What readers of the scores should know about the data; shown below them.

    Returns
    -------
    Report

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> Y = np.hstack([X > 0, X < 0.5]).astype(int)
    >>> report = report_evaluation(BinaryRelevance(l2=0.1).fit(X, Y), X, Y, label_names=["high", "low"])
    >>> [section.title for section in report.sections]
    ['Scores', 'Sets', 'Labels']
    """
    model = last_step(estimator)
    truth, predicted = _label_matrix(model, Y), _label_matrix(model, estimator.predict(X))
    names = getattr(model, "label_names_", None) if label_names is None else label_names
    names = check_names(names, truth.shape[1])
    answers = compared_answers(estimator, X, truth, predicted)
    beside = replace(
        comparison_table(answers, truth), notes=[*warnings, *label_warnings(truth, predicted, names)]
    )
    scores = _scores(truth, predicted, answers[0].log_prob)
    sections = [
        Section("Scores", [scores, beside], text=verdict(answers, truth, names)),
        _sets(estimator, X, truth, predicted, names),
        _labels(truth, predicted, names),
    ]
    return Report(title, subtitle or f"{len(truth):,} rows, {len(names):,} labels", sections)


def _label_matrix(model: Any, Y: Any) -> Array:
    """Convert label sets (n, L) to an array, also those of a model of one label that predicts classes."""
    labels: Array = to_dense(in_label_order(model, Y))
    return labels if labels.ndim == 2 else (labels == model.classes_[-1]).astype(np.int8)[:, None]


def _scores(truth: Array, predicted: Array, log_prob: Floats | None) -> Table:
    values = score(truth, predicted) | {"true_cardinality": metrics.cardinality(truth)}
    if log_prob is not None:
        values["joint_log_loss"] = metrics.joint_log_loss(log_prob)
        values["impossible_share"] = metrics.impossible_share(log_prob)
    rows = [[text, f"{values[name]:.4f}"] for name, text in MEASURES.items() if name in values]
    notes = [] if log_prob is not None else ["this method has no joint probability of whole sets"]
    return Table("", ["measure", "value"], rows, notes)


def _sets(estimator: Any, X: Any, truth: Array, predicted: Array, names: list[str]) -> Section:
    tables, figures = [_confusions(truth, predicted, names)], []
    best = _best_sets(estimator, X)
    if best is not None:
        right = (best.labels[:, 0] == truth).all(axis=1)
        probability = np.exp(best.log_prob[:, 0])
        tables = [_coverage(truth, best), _surest(right, probability), *tables]
        reliability = SetReliabilityDisplay.from_predictions(probability, right, plot=False)
        figures = [Figure(reliability, "Does the probability of the best set say how often it is right?")]
    return Section("Sets", tables, figures)


def _best_sets(estimator: Any, X: Any) -> TopK | None:
    """The most probable sets of each row, or None if the method has no joint or cannot search it."""
    model, features = opened(estimator, X)
    if not hasattr(model, "predict_top_k"):
        return None
    try:
        best: TopK = model.predict_top_k(features, TOP_SETS)
    except NotTractable:
        return None
    return best


def _coverage(truth: Array, best: TopK) -> Table:
    coverage = metrics.top_k_coverage(truth, best.labels)
    shown = [k for k in (1, 2, 3, 5, 10) if k <= len(coverage)]
    title = "How often the true set is among the k most probable ones"
    return Table(title, ["k", "share of rows"], [[str(k), f"{coverage[k - 1]:.4f}"] for k in shown])


def _surest(right: Array, probability: Floats) -> Table:
    """Exact match of the surest rows, if only they are answered."""
    order = np.argsort(-probability, kind="stable")
    rows = []
    for share in SHARES:
        some = order[: max(1, round(share * len(order)))]
        rows.append(
            [f"{share:.0%}".replace("%", " %"), f"{right[some].mean():.4f}", f"{probability[some[-1]]:.3f}"]
        )
    columns = ["rows that are answered", "exact match", "least probability"]
    return Table("If only the surest rows are answered", columns, rows if len(order) else [])


def _confusions(truth: Array, predicted: Array, names: list[str]) -> Table:
    wrong = (truth != predicted).any(axis=1)
    where = defaultdict(list)
    for row in np.flatnonzero(wrong).tolist():
        where[tuple(truth[row].tolist()), tuple(predicted[row].tolist())].append(row)
    pairs = Counter({pair: len(rows) for pair, rows in where.items()})
    rows = [
        [
            set_text(pair[0], names),
            set_text(pair[1], names),
            str(count),
            ", ".join(map(str, where[pair][:EXAMPLES])),
        ]
        for pair, count in pairs.most_common(CONFUSIONS)
    ]
    notes = [f"{len(pairs):,} different mistakes in {wrong.sum():,} rows"]
    return Table("Most frequent mistakes", ["true set", "answer", "rows", "such as row"], rows, notes)


def _labels(truth: Array, predicted: Array, names: list[str]) -> Section:
    display = LabelScoresDisplay.from_predictions(truth, predicted, names, plot=False)
    rows = [
        [
            names[j],
            *(f"{values[j]:.3f}" for values in (display.precision, display.recall, display.f1)),
            str(int(display.support[j])),
            str(int(predicted[:, j].sum())),
        ]
        for j in display.order_
    ]
    columns = ["label", "precision", "recall", "F1", "rows", "answered"]
    return Section("Labels", [Table("", columns, rows)], [Figure(display, "Every label, the best on top")])
