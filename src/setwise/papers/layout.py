"""A table as the papers lay it out: data sets by methods, markers of significance, and wins, ties and losses below."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.evaluation.protocol import LOSSES
from setwise.evaluation.statistics import MARKERS, WinTieLoss, paired_t_test
from setwise.evaluation.statistics import Verdict as Compared
from setwise.papers.printed import PLAIN
from setwise.papers.reproduction import Line, Reproduction
from setwise.views import Table

ALPHA = 0.05
"""Level of the paired t-tests, as in MC and ML-ME."""
PRINTED_MARKERS: dict[str, Compared] = {"better": "better", "worse": "worse", "": "tie"}


class _Pair(NamedTuple):
    """A cell of the table: printed and ours, each compared with the paper's own method."""

    printed: float
    printed_verdict: Compared
    ours: float | None
    verdict: Compared | None


def layout(made: Reproduction, lines: list[Line]) -> Table | None:
    """Lay out a table of a paper that marks significance, each cell "printed / ours".

    Parameters
    ----------
    made : Reproduction
    lines : list of Line
        The lines of one table and measure.

    Returns
    -------
    Table or None
        None if the paper prints no markers. ``*`` marks a method that the paper's own one is significantly better than,
        ``⊛`` one that it is worse than. Ours are tested on the same folds against the published form of the paper's
        method, or against our default if that was not run.
    """
    if not made.paper.own or not any(row.marker for row in made.paper.printed()):
        return None
    methods = list(dict.fromkeys(line.printed.method for line in lines))
    data = list(dict.fromkeys(line.printed.data for line in lines))
    cells = {(line.printed.data, line.printed.method): _pair(made, line) for line in lines}
    rows = [[name, *(_shown(cells.get((name, method))) for method in methods)] for name in data]
    counts = [
        "win/tie/loss",
        *(_counts([c for (_, m), c in cells.items() if m == method]) for method in methods),
    ]
    return Table(
        f"{lines[0].printed.table} as laid out: {lines[0].printed.measure}, printed / ours",
        ["data", *methods],
        [*rows, counts],
        [
            f"An asterisk: {made.paper.own} is significantly better; ⊛: worse (paired t-test at {ALPHA}).",
            f"Wins, ties and losses of {made.paper.own}, printed / ours, are those of the data sets measured; some "
            "printed markers are lost in our copy.",
        ],
    )


def _pair(made: Reproduction, line: Line) -> _Pair:
    theirs = PRINTED_MARKERS[line.printed.marker]
    own, ours = _folds(made, line, made.paper.own), _folds(made, line, line.printed.method)
    if not ours:
        return _Pair(line.printed.value, theirs, None, None)
    verdict: Compared | None = None
    if line.printed.method != made.paper.own and len(own) == len(ours) > 1:
        better = line.printed.measure not in LOSSES
        verdict = paired_t_test(own, ours, greater_is_better=better, alpha=ALPHA).verdict
    return _Pair(line.printed.value, theirs, float(np.mean(ours)), verdict)


def _folds(made: Reproduction, line: Line, method: str) -> list[float]:
    """Our values in each fold, of the published form if it was run."""
    plain = made.result.values(line.printed.data, f"{method}{PLAIN}", line.printed.measure)
    return plain or made.result.values(line.printed.data, method, line.printed.measure)


def _shown(pair: _Pair | None) -> str:
    if pair is None:
        return "-"
    digits = 3 if abs(pair.printed) < 10 else 1
    ours = "-" if pair.ours is None else f"{pair.ours:.{digits}f}{MARKERS[pair.verdict or 'tie']}"
    return f"{pair.printed:.{digits}f}{MARKERS[pair.printed_verdict]} / {ours}"


def _counts(pairs: list[_Pair]) -> str:
    printed = [pair.printed_verdict for pair in pairs]
    ours = [pair.verdict for pair in pairs if pair.verdict is not None]
    if not ours:
        return "-"
    return " / ".join(
        str(WinTieLoss(of.count("better"), of.count("tie"), of.count("worse"))) for of in (printed, ours)
    )
