"""Why a few points are enough for F1: the integrand of 1 / (s + r) with the points of a Gauss-Legendre rule."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docs.tools.drawings.canvas import circle, path, svg, text

LEFT, BOTTOM, WIDTH, HEIGHT = 46, 178, 390, 150


def quadrature() -> str:
    """Draw t^(s + r - 1) for three sizes, each with the same five points."""
    points = (np.polynomial.legendre.leggauss(5)[0] + 1) / 2
    shapes = [path(f"M{LEFT} {BOTTOM - HEIGHT - 8} V{BOTTOM} H{LEFT + WIDTH + 8}")]
    for power in (1, 3, 7):
        shapes += _curve(power, points)
    shapes += [
        text(LEFT, BOTTOM + 20, "0", "soft middle"),
        text(LEFT + WIDTH, BOTTOM + 20, "t = 1", "soft middle"),
    ]
    return svg(
        500,
        206,
        "Powers of t between 0 and 1, and the five points of a rule that integrates them exactly",
        shapes,
    )


def _curve(power: int, points: np.ndarray) -> Iterator[str]:
    t = np.linspace(0, 1, 60)
    line = " L".join(f"{_x(a):.1f} {_y(a**power):.1f}" for a in t)
    yield path(f"M{line}")
    yield from (circle(_x(a), _y(a**power), 4, "one") for a in points)
    height = {1: 0.3, 3: 0.16, 7: 0.045}[power]
    yield text(
        _x(height ** (1 / power)) + 8, _y(height) + 12 - 14 * (power == 7), f"s + r = {power + 1}", "soft"
    )


def _x(t: float) -> float:
    return LEFT + WIDTH * t


def _y(value: float) -> float:
    return BOTTOM - HEIGHT * value
