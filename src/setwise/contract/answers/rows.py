"""Functions on the rows of answers."""

from __future__ import annotations

from setwise.arrays import Array, Bools
from setwise.views.text import count


def replace_rows(answer: tuple[Array, ...], rows: Array, part: tuple[Array, ...]) -> None:
    """Replace some rows of an answer, for example by the result of a longer search.

    Parameters
    ----------
    answer : tuple of arrays
        An answer for all rows; its arrays are changed.
    rows : int array of shape (m,)
        The rows to replace.
    part : tuple of arrays
        The answer for these rows.

    Examples
    --------
    >>> import numpy as np
    >>> answer = (np.zeros(3), np.ones(3))
    >>> replace_rows(answer, np.array([1]), (np.array([7.0]), np.array([8.0])))
    >>> answer
    (array([0., 7., 0.]), array([1., 8., 1.]))
    """
    for whole, found in zip(answer, part):
        whole[rows] = found


def uncertified(certified: Bools) -> list[str]:
    """Count the rows whose answer is not proved optimal, for a remark."""
    n_rows = int((~certified).sum())
    return [f"not proved optimal in {count(n_rows, 'row')}"] if n_rows else []
