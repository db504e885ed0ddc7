"""The drawing of the first page: one photo seen label by label, and as whole sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docs.tools.drawings.canvas import box, moved, path, svg, text
from setwise.distributions import Table

LABELS = ("beach", "waves", "forest", "birds")
SETS = {("beach", "waves"): 0.40, ("forest", "birds"): 0.34, ("forest",): 0.18, ("beach",): 0.08}
PANEL, ROW, GAP = 250, 31, 48
HEIGHT = ROW * 4 + 116


def label_by_label_and_whole(narrow: bool = False) -> str:
    """Marginals and their thresholded answer, then the joint and its answer: beside each other, or below."""
    sets = [[int(label in listed) for label in LABELS] for listed in SETS]
    joint = Table(sets, np.log([list(SETS.values())]))
    by_label, mode = joint.decide("hamming").labels, joint.mode()
    answer, best = _names(by_label[0]), _names(mode.labels[0])
    left = [
        text(0, 18, "label by label", "strong"),
        text(0, 38, "each label's probability", "soft"),
        *_bars(LABELS, joint.marginals()[0], answer, "two"),
        *_verdict(answer, float(np.exp(joint.log_prob(by_label)[0])), "two"),
    ]
    right = [
        text(0, 18, "setwise", "strong"),
        text(0, 38, "each set's probability", "soft"),
        *_bars([", ".join(s) for s in SETS], list(SETS.values()), (", ".join(best),), "one"),
        *_verdict(best, float(np.exp(mode.log_prob[0])), "one"),
    ]
    title = "Label by label, the answer is forest, a set with probability 0.18. The best set is beach, waves: 0.40."
    if narrow:
        return svg(PANEL + 2, 2 * HEIGHT, title, [*left, *moved(0, HEIGHT, right)])
    line = path(f"M{PANEL + GAP / 2:g} 6 V{HEIGHT - 4:g}")
    return svg(2 * PANEL + GAP + 2, HEIGHT, title, [*left, line, *moved(PANEL + GAP, 0, right)])


def _names(row: np.ndarray) -> tuple[str, ...]:
    return tuple(name for name, on in zip(LABELS, row) if on)


def _bars(
    names: list[str] | tuple[str, ...], values: list[float], chosen: tuple[str, ...], colour: str
) -> Iterator[str]:
    for i, (name, value) in enumerate(zip(names, values)):
        y = 52 + ROW * i
        yield box(1, y, PANEL, 24, "box", 4)
        yield box(1, y, max(PANEL * value, 3), 24, f"{colour} {'half' if name in chosen else 'pale'}", 4)
        yield text(9, y + 17, name, "strong" if name in chosen else "")
        yield text(PANEL - 7, y + 17, f"{value:.2f}", "end")


def _verdict(names: tuple[str, ...], probability: float, colour: str) -> Iterator[str]:
    y = 52 + ROW * 4 + 22
    yield f'<text x="0" y="{y}">answer: <tspan class="strong">{", ".join(names)}</tspan></text>'
    yield f'<text x="0" y="{y + 24}" class="{colour} strong">right with probability {probability:.2f}</text>'
