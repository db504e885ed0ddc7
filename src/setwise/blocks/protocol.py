"""The protocol of rows in blocks: map a function over the blocks, merge its results, update."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar

Part = TypeVar("Part")


class Blocks(Protocol):
    """Rows in blocks, wherever the blocks are.

    A learner that needs only sums over rows is written as rounds: map a function over the blocks, merge what it
    returns, update the parameters. It then runs on rows in memory, in files or on other machines.

    A kind of blocks inherits from this class, and says how its blocks are visited and changed.
    """

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Call a function with the arrays of each block.

        Parameters
        ----------
        function : callable
            Takes the arrays of a block, returns a partial result.

        Yields
        ------
        object
            The result of each block, in the order of the rows.
        """

    def total(self, function: Callable[..., Part], combine: Callable[[Any, Any], Any] = operator.add) -> Part:
        """Call a function with the arrays of each block and combine the results, from the first to the last.

        Parameters
        ----------
        function : callable
        combine : callable, default=operator.add

        Returns
        -------
        object
        """
        return merge(self.map(function), combine)

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of each block by those that a function makes of them, where the block is.

        Parameters
        ----------
        function : callable
            Returns a tuple of arrays with the same rows, or fewer.

        Returns
        -------
        Blocks
        """

    def kept(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of blocks by those that a function makes of them, and keep these where there is memory.

        Blocks for whose arrays there is no memory stay as they are.

        Parameters
        ----------
        function : callable
            Returns a tuple of arrays with the same rows, each with its ``nbytes``, or None.

        Returns
        -------
        Blocks
        """

    def also(self, function: Callable[..., Any]) -> Self:
        """Add an array to each block, which a function makes of the others, where the block is.

        Parameters
        ----------
        function : callable
            Returns an array with the same rows.

        Returns
        -------
        Blocks
        """


def add_parts(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add two results place by place.

    Examples
    --------
    >>> add_parts((1, 2.0), (3, 4.0))
    (4, 6.0)
    """
    return tuple(a + b for a, b in zip(left, right, strict=True))


def merge(parts: Iterable[Part], combine: Callable[[Any, Any], Any] = operator.add) -> Part:
    """Combine the results of all blocks, from the first to the last.

    Results are combined in the order of the rows, not in the order in which they arrive, so that sums always round the
    same.

    Parameters
    ----------
    parts : iterable
        At least one result.
    combine : callable, default=operator.add
        Combines two results into one.

    Returns
    -------
    object

    Examples
    --------
    >>> import numpy as np
    >>> merge([np.array([1, 5]), np.array([2, 3])], np.maximum)
    array([2, 5])
    """
    result: Part = functools.reduce(combine, parts)
    return result
