"""Shapes of the drawings. Colours are variables, so that a page with its own theme can set them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

STYLE = """
.drawing { --ink: #1f2937; --soft: #5b6472; --paper: #f3f6fa; --line: #9aa7b8; --one: #0072b2; --two: #b35900;
  font: 15px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  .drawing { --ink: #e8ecf1; --soft: #aab4c2; --paper: #1d2733; --line: #64748b; --one: #56b4e9; --two: #f0a030; }
}
.drawing text { fill: var(--ink); } .drawing .soft { fill: var(--soft); font-size: 13px; }
.drawing .strong { font-weight: 600; } .drawing .code { font-family: ui-monospace, monospace; font-size: 13.5px; }
.drawing .middle { text-anchor: middle; } .drawing .end { text-anchor: end; }
.drawing .box { fill: var(--paper); stroke: var(--line); }
.drawing .line { fill: none; stroke: var(--line); stroke-width: 1.6; }
.drawing .head { fill: var(--line); }
.drawing .one { fill: var(--one); } .drawing .two { fill: var(--two); }
.drawing .pale { opacity: .22; } .drawing .half { opacity: .6; }
.drawing .on { fill: var(--one); stroke: var(--one); } .drawing .off { fill: none; stroke: var(--line); }
"""


def svg(width: float, height: float, title: str, shapes: Iterable[str]) -> str:
    """The whole file."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" viewBox="0 0 {width:g} {height:g}" role="img">'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *shapes, "</svg>", ""]
    )


def moved(x: float, y: float, shapes: Iterable[str]) -> list[str]:
    """The same shapes elsewhere."""
    return [f'<g transform="translate({x:g} {y:g})">', *shapes, "</g>"]


def text(x: float, y: float, words: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str = "box", radius: float = 7) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" class="{kind}"/>'


def circle(x: float, y: float, radius: float, kind: str = "box") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}"/>'


def path(points: str, kind: str = "line") -> str:
    return f'<path d="{points}" class="{kind}"/>'


def node(x: float, y: float, name: str, radius: float = 17) -> list[str]:
    """A variable of a graph: a circle with its name."""
    return [circle(x, y, radius), text(x, y + 5, name, "middle")]


def arrow(
    start: tuple[float, float], end: tuple[float, float], clear: float = 19, bend: float = 0
) -> list[str]:
    """An arrow between two nodes that stops before both circles; ``bend`` moves its middle sideways."""
    (x0, y0), (x1, y1) = start, end
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    across = (-(y1 - y0) / length * bend, (x1 - x0) / length * bend)
    middle = ((x0 + x1) / 2 + across[0], (y0 + y1) / 2 + across[1])
    begin, tip, way = _towards(start, middle, clear), _towards(end, middle, clear), _unit(middle, end)
    neck = (tip[0] - 8 * way[0], tip[1] - 8 * way[1])
    curve = f"M{begin[0]:.1f} {begin[1]:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    left = (neck[0] - 4 * way[1], neck[1] + 4 * way[0])
    right = (neck[0] + 4 * way[1], neck[1] - 4 * way[0])
    head = f"M{tip[0]:.1f} {tip[1]:.1f} L{left[0]:.1f} {left[1]:.1f} L{right[0]:.1f} {right[1]:.1f} Z"
    return [path(curve), path(head, "head")]


def _towards(start: tuple[float, float], end: tuple[float, float], step: float) -> tuple[float, float]:
    way = _unit(start, end)
    return start[0] + step * way[0], start[1] + step * way[1]


def _unit(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    x, y = end[0] - start[0], end[1] - start[1]
    length = (x * x + y * y) ** 0.5
    return x / length, y / length
