"""Rows that are read a block at a time, and never stay in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from setwise.blocks.protocol import merge

Part = TypeVar("Part")


@dataclass(frozen=True)
class StreamedBlocks:
    """Blocks that are loaded each time they are visited, one after the other.

    What a function makes of a block is made again at every visit: nothing as long as the rows is kept.

    Parameters
    ----------
    loaders : tuple of callables
        One for each block; returns its arrays.
    steps : tuple of callables
        What is done with the arrays of a block after it was loaded; each takes and returns a tuple.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = StreamedBlocks(tuple(lambda n=n: (np.arange(n),) for n in (2, 3)))
    >>> blocks.also(lambda a: 10 * a).total(lambda a, b: int(b.sum()))
    40
    """

    loaders: tuple[Callable[[], tuple[Any, ...]], ...]
    steps: tuple[Callable[[tuple[Any, ...]], tuple[Any, ...]], ...] = ()

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Load each block and call a function with its arrays.

        Parameters
        ----------
        function : callable
            Takes the arrays of a block, returns a partial result.

        Yields
        ------
        object
            The result of each block, in the order of the rows.
        """
        for load in self.loaders:
            arrays = load()
            for step in self.steps:
                arrays = step(arrays)
            yield function(*arrays)

    def total(self, function: Callable[..., Part], combine: Callable[[Any, Any], Any] = operator.add) -> Part:
        """Call a function with the arrays of each block and combine the results; see :class:`Blocks`."""
        return merge(self.map(function), combine)

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of each block by those that a function makes of them at every visit."""
        return replace(self, steps=(*self.steps, lambda arrays: function(*arrays)))

    def also(self, function: Callable[..., Any]) -> Self:
        """Add an array to each block, which a function makes of the others at every visit."""
        return replace(self, steps=(*self.steps, lambda arrays: (*arrays, function(*arrays))))
