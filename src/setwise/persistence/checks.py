"""What must hold of parts whose arrays compiled code reads as places in other arrays.

A file made by hand can hold any numbers. Most parts are matrices that NumPy multiplies, and wrong ones raise; these
would send a kernel outside its arrays, or round in circles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.kernels.tree_scores import TreeScores
from setwise.persistence.errors import ModelFileError


def check_part(name: str, value: Any) -> None:
    """A ModelFileError where a part could not have been made by a fit."""
    if name in CHECKS and not CHECKS[name](value):
        raise ModelFileError(f"the arrays of a {type(value).__name__} do not fit together")


def _trees_fit_together(scores: TreeScores) -> bool:
    """Children come after their parents and inside the nodes, so every walk ends at a leaf."""
    nodes, n = (
        (scores.feature, scores.threshold, scores.left, scores.right, scores.value),
        len(scores.feature),
    )
    integers = (scores.feature, scores.left, scores.right, scores.root, scores.score)
    if not all(array.ndim == 1 for array in scores) or {len(array) for array in nodes} != {n}:
        return False
    if not all(array.dtype == np.int32 for array in integers) or len(scores.root) != len(scores.score):
        return False
    inner = np.flatnonzero(scores.feature >= 0)
    after = all(
        (inner < child[inner]).all() and (child[inner] < n).all() for child in (scores.left, scores.right)
    )
    return bool(after and _within(scores.root, n) and _within(scores.score, len(scores.intercept)))


def _within(places: Any, size: int) -> bool:
    return bool(((places >= 0) & (places < size)).all())


CHECKS: dict[str, Callable[[Any], bool]] = {"part.TreeScores": _trees_fit_together}
