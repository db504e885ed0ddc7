"""Colours that are distinct for all kinds of colour vision: the palette of Okabe and Ito."""

from __future__ import annotations

BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREY = "#767676"
PALE = "#D9D9D9"

CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, "#000000")
"""Colours of the first, second, ... method; markers and line styles change with them."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

PROBABILITY = "Blues"
"""Colour map of probabilities: one hue, so that lightness alone shows the value."""
SIGNED = "RdBu_r"
"""Colour map of values around zero."""
