"""Linear chains: what draws and beams need of any chain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from setwise.contract import Array, Floats, Labels

Logits = Callable[[int, Array, Labels], Floats]
"""``logits(position, rows, prefix)`` (m,), asked once a level for rows (m,) and their earlier labels (m, position)."""


def linear_logits(offsets: Floats, coupling: Floats) -> Logits:
    """Logits ``offsets[row, position] + sum of coupling[i, position]`` over the earlier positions i that are on."""
    return lambda position, rows, prefix: np.asarray(
        offsets[rows, position] + prefix @ coupling[:position, position]
    )
