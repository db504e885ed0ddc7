"""What answers of several rows share."""

from __future__ import annotations

from setwise.arrays import Array, Bools
from setwise.views.text import count


def replace_rows(answer: tuple[Array, ...], rows: Array, part: tuple[Array, ...]) -> None:
    """Write ``part`` into the ``rows`` of ``answer``: what a second, longer search found for them."""
    for whole, found in zip(answer, part):
        whole[rows] = found


def uncertified(certified: Bools) -> list[str]:
    """Remark in how many rows an answer is not proved to be the best."""
    n_rows = int((~certified).sum())
    return [f"not proved to be the best in {count(n_rows, 'row')}"] if n_rows else []
