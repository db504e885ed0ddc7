"""The paper's method minus its best rival, as in Table 9 of the NaiBX paper."""

from __future__ import annotations

from setwise.evaluation.protocol import LOSSES
from setwise.papers.reproduction import Line
from setwise.papers.verdicts import UNJUDGED
from setwise.views import Table


def margins(lines: list[Line], own: str, rivals: frozenset[str]) -> Table:
    """List what a method gains on its best rival, printed and as measured, for each data set and measure.

    Parameters
    ----------
    lines : list of Line
    own : str
        The method.
    rivals : frozenset of str

    Returns
    -------
    Table
        Positive if the method is better. The best rivals are chosen apart among printed numbers and among ours.
    """
    rows = []
    for data, measure in dict.fromkeys((line.printed.data, line.printed.measure) for line in lines):
        here = [line for line in lines if (line.printed.data, line.printed.measure) == (data, measure)]
        mine = [line for line in here if line.printed.method == own]
        others = [line for line in here if line.printed.method in rivals]
        run = any(line.ours is not None for line in mine + others)
        if mine and others and run and measure not in UNJUDGED:
            rows.append([data, measure, *_gaps(mine[0], others)])
    columns = ["data", "measure", "printed", "published form", "ours", "rivals run"]
    return Table(
        f"{own} minus its best rival",
        columns,
        rows,
        [f"positive: {own} is better; ours against the rivals that were run"],
    )


def _gaps(mine: Line, others: list[Line]) -> list[str]:
    sign = -1.0 if mine.printed.measure in LOSSES else 1.0
    theirs = max(sign * line.printed.value for line in others)
    run = [sign * line.ours.mean for line in others if line.ours is not None]
    plain = None if mine.published is None else mine.published.ours
    shown = [
        "-" if estimate is None or not run else f"{sign * estimate.mean - max(run):+.3f}"
        for estimate in (plain, mine.ours)
    ]
    return [f"{sign * mine.printed.value - theirs:+.3f}", *shown, str(len(run))]
