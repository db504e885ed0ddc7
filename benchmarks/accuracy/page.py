"""The page of the study: scores, ranks, and how often a method is first or level with the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from setwise.evaluation.statistics import holm, wilcoxon_holm

MEASURES = {
    "exact match": True,
    "Hamming loss": False,
    "instance F1": True,
    "micro F1": True,
    "macro F1": True,
    "mean AP": True,
    "log-loss": False,
}
"""Measures, and whether larger values are better."""
SECONDS = {"fit_seconds": "processor seconds of a fit", "predict_seconds": "processor seconds of all answers"}
OURS = "automatic choice"
PLAIN = ("BinaryRelevance", "ClassifierChain")
Results = Mapping[tuple[str, str], list[dict[str, Any]]]
"""The records of the splits of each data set and method."""


def page(results: Results, methods: list[str], names: list[str]) -> list[str]:
    """The tables as lines of Markdown; data sets are ranked when all methods have ended on them."""
    whole = [name for name in names if _is_whole([results.get((name, method), []) for method in methods])]
    lines = [f"Ranked: {len(whole)} of {len(names)} data sets ({', '.join(whole) or 'none'}).", ""]
    for measure, greater in MEASURES.items():
        lines += _table(results, methods, names, measure, measure)
        lines += [*_ranks(results, methods, whole, measure, greater), ""]
    for measure, title in SECONDS.items():
        lines += [*_table(results, methods, names, measure, title), ""]
    return [
        *lines,
        *_level(results, methods, whole),
        *_where_behind(results, methods, whole),
        "",
        *_choices(results),
        *_failures(results),
    ]


def _table(results: Results, methods: list[str], names: list[str], measure: str, title: str) -> list[str]:
    """A title, and the means of a measure: a row for each data set with results."""
    lines = [f"## {title[0].upper()}{title[1:]}", "", _row(["data", *methods])]
    lines.append(_row(["---"] * (len(methods) + 1)))
    for name in names:
        cells = [_cell(results.get((name, method), []), measure) for method in methods]
        if any(cells):
            lines.append(_row([name, *cells]))
    return lines


def _ranks(results: Results, methods: list[str], whole: list[str], measure: str, greater: bool) -> list[str]:
    if not whole:
        return []
    table = np.array([[_mean(results[name, method], measure) for method in methods] for name in whole])
    losses = np.nan_to_num(-table if greater else table, nan=np.inf)  # a task without a result is the worst
    ranks = rankdata(losses, axis=1).mean(axis=0)
    lines = [_row(["**mean rank**", *(f"{rank:.2f}" for rank in ranks)])]
    if len(whole) > 1 and OURS in methods:
        lines.append(_row(["p, Wilcoxon-Holm", *_p_values(table, methods.index(OURS))]))
    return lines


def _p_values(table: Any, ours: int) -> list[str]:
    """Wilcoxon's p of each method against ours, adjusted by Holm among them."""
    others = [column for column in range(table.shape[1]) if column != ours]
    raw = [_p_value(table[:, [ours, other]]) for other in others]
    adjusted = dict(zip(others, holm(raw)))
    return ["" if column == ours else f"{adjusted[column]:.3f}" for column in range(table.shape[1])]


def _p_value(pair: Any) -> float:
    """Wilcoxon's p of two methods on the data sets where both have a result; 1 if these are too few."""
    both = pair[~np.isnan(pair).any(axis=1)]
    return float(wilcoxon_holm(both)[0, 1]) if len(both) > 1 else 1.0


def _level(results: Results, methods: list[str], whole: list[str]) -> list[str]:
    """On how many data sets each method is first, or within one paired standard error of the first."""
    lines = ["## First, or within one paired standard error of the first", "", _row(["measure", *methods])]
    lines.append(_row(["---"] * (len(methods) + 1)))
    for measure in ("exact match", "log-loss"):
        sign = 1.0 if MEASURES[measure] else -1.0
        counts = [sum(_is_level(results, methods, name, m, measure, sign) for name in whole) for m in methods]
        lines.append(_row([measure, *(f"{count} of {len(whole)}" for count in counts)]))
    return lines


def _is_level(
    results: Results, methods: list[str], name: str, method: str, measure: str, sign: float
) -> bool:
    if np.isnan(_mean(results[name, method], measure)):
        return False
    behind = _behind(results, methods, name, method, measure, sign)[1]
    return bool(behind.mean() <= behind.std() / np.sqrt(len(behind)))


def _behind(
    results: Results, methods: list[str], name: str, method: str, measure: str, sign: float
) -> tuple[str, Any]:
    """The best of some methods, and by how much a method is behind it in each row."""
    best = max(methods, key=lambda m: np.nan_to_num(sign * _mean(results[name, m], measure), nan=-np.inf))
    return best, sign * (_rows(results[name, best], measure) - _rows(results[name, method], measure))


def _where_behind(results: Results, methods: list[str], whole: list[str]) -> list[str]:
    """Where the automatic choice is more than a standard error behind the first, and behind the two plain methods."""
    if OURS not in methods:
        return []
    lines = ["", "## Where the automatic choice is more than one standard error behind", ""]
    for measure in ("exact match", "log-loss"):
        sign = 1.0 if MEASURES[measure] else -1.0
        for name in (name for name in whole if not np.isnan(_mean(results[name, OURS], measure))):
            for among, what in ((methods, ""), (PLAIN, ", a plain method")):
                rivals = [method for method in among if method in methods]
                if rivals and not _is_level(results, [*rivals, OURS], name, OURS, measure, sign):
                    best, rows = _behind(results, rivals, name, OURS, measure, sign)
                    error = rows.std() / np.sqrt(len(rows))
                    lines.append(f"- {measure}, {name}: {best}{what}, by {rows.mean():.4f} ± {error:.4f}")
    return lines if lines[3:] else [*lines, "Nowhere."]


def _rows(records: list[dict[str, Any]], measure: str) -> Any:
    return np.concatenate([np.asarray(record["rows"][measure], dtype=float) for record in records])


def _choices(results: Results) -> list[str]:
    """What the automatic choice took on each data set, in its own words."""
    said = [
        f"- {name}: {record['reason']}"
        for (name, method), records in results.items()
        if method == OURS
        for record in records[:1]
        if "reason" in record
    ]
    return ["## What the automatic choice took (of folds, in the first)", "", *said, ""] if said else []


def _failures(results: Results) -> list[str]:
    failed = [
        f"- {name}, {method}: {record['error']}"
        for (name, method), records in results.items()
        for record in records
        if "error" in record
    ]
    return ["## Tasks without a result", "", *failed, ""] if failed else []


def _is_whole(records: list[list[dict[str, Any]]]) -> bool:
    """Whether every method has a result, or an error, of every split."""
    most = max(map(len, records))
    return all(len(own) == most > 0 or any("error" in record for record in own) for own in records)


def _cell(records: list[dict[str, Any]], measure: str) -> str:
    if not records:
        return ""
    mean = _mean(records, measure)
    return "failed" if np.isnan(mean) else f"{mean:.{1 if measure in SECONDS else 4}f}"


def _mean(records: list[dict[str, Any]], measure: str) -> float:
    """The mean over splits; NaN if one has no result."""
    return float(np.mean([record.get(measure, np.nan) for record in records]))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
