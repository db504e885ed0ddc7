"""One graph a family of joints, for the page of the theory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from docs.tools.drawings.canvas import arrow, box, node, path, svg, text

Point = tuple[float, float]
Edges = list[tuple[int, int]]
NAMES = ("y₁", "y₂", "y₃", "y₄")


def _graph(title: str, places: list[Point], edges: Edges, bend: float = 0, note: str = "") -> str:
    """Labels on places with arrows between them; x points to all of them."""
    shapes = [*_features(places), *_labels(places, edges, bend)]
    if note:
        shapes.append(text(230, 178, note, "soft middle"))
    return svg(460, 186 if note else 166, title, shapes)


def _features(places: list[Point]) -> Iterator[str]:
    yield from node(30, 80, "x")
    for place in places:
        yield path(f"M50 80 L{place[0] - 24:g} {place[1]:g}", "line pale")


def _labels(
    places: list[Point], edges: Edges, bend: float = 0, names: tuple[str, ...] = NAMES
) -> Iterator[str]:
    for parent, child in edges:
        yield from arrow(places[parent], places[child], bend=bend)
    for place, name in zip(places, names):
        yield from node(*place, name)


def _mixture() -> str:
    """Two trees with different edges, and a gate that weighs them."""
    left = [(150.0, 45.0), (110.0, 110.0), (190.0, 110.0)]
    right = [(x + 210, y) for x, y in left]
    shapes = [
        *node(30, 80, "x"),
        box(82, 14, 136, 130, "box", 10),
        box(292, 14, 136, 130, "box", 10),
        path("M49 80 L80 80"),
        path("M30 98 V186 H360 V172"),
        text(150, 166, "with weight w₁(x)", "soft middle"),
        text(360, 166, "with weight w₂(x)", "soft middle"),
        *_labels(left, [(0, 1), (0, 2)]),
        *_labels(right, [(1, 0), (0, 2)]),
    ]
    return svg(440, 192, "A mixture of two trees: a gate weighs them by the features", shapes)


def _table() -> str:
    """Some listed sets as rows of squares, with probabilities."""
    listed = [("1 1 0 0", 0.46), ("0 0 1 1", 0.31), ("1 0 0 1", 0.15), ("0 1 1 0", 0.08)]
    shapes = [*node(30, 80, "x"), path("M50 80 L92 80", "line pale")]
    for j, name in enumerate(NAMES):
        shapes.append(text(115 + 30 * j, 20, name, "middle"))
    for i, (bits, share) in enumerate(listed):
        y = 32 + 32 * i
        shapes += [
            box(104 + 30 * j, y, 22, 22, "on" if bit == "1" else "off", 4)
            for j, bit in enumerate(bits.split())
        ]
        shapes += [box(246, y, 320 * share, 22, "one", 4), text(256 + 320 * share, y + 16, f"{share:.2f}")]
    return svg(460, 166, "A table: listed sets with their probabilities", shapes)


def _cascade() -> str:
    """First how many labels, then which, one after another."""
    shapes = [*node(30, 40, "x"), path("M50 40 L70 40", "line pale")]
    steps = [("how many? 3", 110), ("beach", 74), ("waves", 74), ("birds", 74)]
    x = 72
    for step, width in steps:
        shapes += [box(x, 22, width, 36, "box", 8), text(x + width / 2, 45, step, "middle")]
        if x > 72:
            shapes += arrow((x - 20, 40), (x, 40), clear=1)
        x += width + 20
    shapes.append(text(x / 2, 84, "the orders of one set are summed", "soft middle"))
    return svg(x, 94, "A cascade: the size first, then one label after another", shapes)


ROW: list[Point] = [(130, 80), (220, 80), (310, 80), (400, 80)]
SQUARE: list[Point] = [(170, 40), (340, 40), (340, 125), (170, 125)]
TREE: list[Point] = [(250, 30), (160, 80), (340, 80), (270, 135)]
APART: list[Point] = [(200, 22), (200, 62), (200, 102), (200, 142)]
CHAIN: Edges = [(0, 1), (1, 2), (2, 3)]
LOOPS: Edges = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)]

FAMILIES = {
    "product": partial(_graph, "Independent labels: no arrows between them", APART, []),
    "tree": partial(_graph, "A tree: every label has at most one parent", TREE, [(0, 1), (0, 2), (2, 3)]),
    "chain": partial(
        _graph, "A chain: every label depends on all before it", SQUARE, [*CHAIN, (0, 2), (0, 3), (1, 3)]
    ),
    "mixture": _mixture,
    "table": _table,
    "network": partial(_graph, "A dependency network: arrows in both directions", SQUARE, LOOPS, 14),
    "cascade": _cascade,
}
"""What draws each family, by the name of its file."""
