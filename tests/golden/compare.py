"""How far answers are from those that are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.answers import Answers

TOLERANCE = 1e-6
"""Of probabilities and of log-probabilities: another order of sums, another processor."""


def differences(kept: Answers, now: Answers) -> list[str]:
    """A line for each answer that differs: which, where, how far."""
    changed = [_line(name, kept.get(name), now.get(name)) for name in sorted(kept.keys() | now.keys())]
    return [line for line in changed if line]


def _line(name: str, kept: Any, now: Any) -> str:
    if kept is None or now is None:
        return f"{name}: {'new' if kept is None else 'gone'}"
    old, new = np.array(kept), np.array(now)
    if old.shape != new.shape:
        return f"{name}: shape {new.shape}, was {old.shape}"
    return _numbers(name, old, new) if old.dtype.kind == "f" else _sets(name, old, new)


def _sets(name: str, old: np.ndarray, new: np.ndarray) -> str:
    rows = np.flatnonzero((old != new).reshape(len(old), -1).any(axis=1))
    if not len(rows):
        return ""
    return (
        f"{name}: {len(rows)} of {len(old)} rows differ; row {rows[0]} is {new[rows[0]]}, was {old[rows[0]]}"
    )


def _numbers(name: str, old: np.ndarray, new: np.ndarray) -> str:
    with np.errstate(invalid="ignore"):
        far = np.nan_to_num(np.where(old == new, 0.0, np.abs(new - old)), nan=np.inf)
    if far.max(initial=0.0) <= TOLERANCE:
        return ""
    at = np.unravel_index(far.argmax(), far.shape)
    place = ", ".join(map(str, map(int, at)))
    return f"{name}: up to {far.max():.2g} away; [{place}] is {new[at]}, was {old[at]}"
