"""The drawing of the first page: one photo seen label by label, and as whole sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docs.tools.drawings.canvas import box, path, svg, text
from setwise.distributions import Table

LABELS = ("beach", "waves", "forest", "birds")
SETS = {("beach", "waves"): 0.40, ("forest", "birds"): 0.34, ("forest",): 0.18, ("beach",): 0.08}
WIDTH, ROW = 548, 31


def label_by_label_and_whole() -> str:
    """Marginals and their thresholded answer on the left, the joint and its answer on the right."""
    sets = [[int(label in listed) for label in LABELS] for listed in SETS]
    joint = Table(sets, np.log([list(SETS.values())]))
    by_label = joint.decide("hamming").labels
    answer = _names(by_label[0])
    mode = joint.mode()
    shapes = [
        text(0, 18, "label by label", "strong"),
        text(0, 38, "each label's probability", "soft"),
        *_bars(0, LABELS, joint.marginals()[0], answer),
        *_verdict(0, answer, float(np.exp(joint.log_prob(by_label)[0])), "two"),
        path(f"M{WIDTH / 2 - 12:g} 6 V{ROW * 4 + 112:g}"),
        text(WIDTH / 2 + 12, 18, "setwise", "strong"),
        text(WIDTH / 2 + 12, 38, "each set's probability", "soft"),
        *_bars(
            WIDTH / 2 + 12, [", ".join(s) for s in SETS], list(SETS.values()), (", ".join(next(iter(SETS))),)
        ),
        *_verdict(WIDTH / 2 + 12, _names(mode.labels[0]), float(np.exp(mode.log_prob[0])), "one"),
    ]
    title = "Label by label, the answer is forest, a set with probability 0.18. The best set is beach, waves: 0.40."
    return svg(WIDTH, ROW * 4 + 116, title, shapes)


def _names(row: np.ndarray) -> tuple[str, ...]:
    return tuple(name for name, on in zip(LABELS, row) if on)


def _bars(
    x: float, names: list[str] | tuple[str, ...], values: list[float], chosen: tuple[str, ...]
) -> Iterator[str]:
    colour = "two" if x == 0 else "one"
    for i, (name, value) in enumerate(zip(names, values)):
        y = 52 + ROW * i
        yield box(x, y, 250, 24, "box", 4)
        yield box(x, y, max(250 * value, 3), 24, f"{colour} {'half' if name in chosen else 'pale'}", 4)
        yield text(x + 8, y + 17, name, "strong" if name in chosen else "")
        yield text(x + 242, y + 17, f"{value:.2f}", "end")


def _verdict(x: float, names: tuple[str, ...], probability: float, colour: str) -> Iterator[str]:
    y = 52 + ROW * 4 + 22
    yield f'<text x="{x:g}" y="{y}">answer: <tspan class="strong">{", ".join(names)}</tspan></text>'
    yield f'<text x="{x:g}" y="{y + 24}" class="{colour} strong">right with probability {probability:.2f}</text>'
