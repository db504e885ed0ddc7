"""Rows that are read a block at a time, and never stay in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeVar

import numpy as np

from setwise.blocks.protocol import Blocks

Part = TypeVar("Part")


@dataclass(frozen=True)
class StreamedBlocks(Blocks):
    """Blocks that are loaded each time they are visited, one after the other.

    Parameters
    ----------
    loaders : tuple of callables
        One for each block; returns its arrays.
    steps : tuple of callables
        What is done with the arrays of a block after it was loaded; each takes and returns a tuple.
    room : int
        Bytes of the arrays that :meth:`kept` may keep in memory.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = StreamedBlocks(tuple(lambda n=n: (np.arange(n),) for n in (2, 3)))
    >>> blocks.also(lambda a: 10 * a).total(lambda a, b: int(b.sum()))
    40
    """

    loaders: tuple[Callable[[], tuple[Any, ...]], ...]
    steps: tuple[Callable[[tuple[Any, ...]], tuple[Any, ...]], ...] = ()
    room: int = 0

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Load each block and call a function with its arrays; see :class:`Blocks`."""
        for load in self.loaders:
            yield function(*_visit(load, self.steps))

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of each block by those that a function makes of them at every visit."""
        return replace(self, steps=(*self.steps, lambda arrays: function(*arrays)))

    def kept(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Keep what a function makes of the first blocks, until there is no more room; see :class:`Blocks`."""
        shelf = _Shelf(self.room)
        loaders = (_OnShelf(partial(_visit, load, self.steps), function, shelf) for load in self.loaders)
        return replace(self, loaders=tuple(loaders), steps=(), room=0)

    def also(self, function: Callable[..., Any]) -> Self:
        """Add an array to each block, made of the others at the first visit and then kept in a temporary file."""
        folder = TemporaryDirectory(prefix="setwise-")
        loaders = (
            _WithKept(partial(_visit, load, self.steps), function, number, folder)
            for number, load in enumerate(self.loaders)
        )
        return replace(self, loaders=tuple(loaders), steps=())


def _visit(
    load: Callable[[], tuple[Any, ...]], steps: tuple[Callable[[tuple[Any, ...]], tuple[Any, ...]], ...]
) -> tuple[Any, ...]:
    arrays = load()
    for step in steps:
        arrays = step(arrays)
    return arrays


@dataclass
class _Shelf:
    """The bytes that are left for arrays in memory."""

    room: int


@dataclass
class _OnShelf:
    """Loads a block, or returns the arrays that were made of it at the first visit, if they had room."""

    load: Callable[[], tuple[Any, ...]]
    function: Callable[..., tuple[Any, ...]]
    shelf: _Shelf
    made: tuple[Any, ...] | None = None

    def __call__(self) -> tuple[Any, ...]:
        if self.made is not None:
            return self.made
        arrays = self.load()
        if not self.shelf.room:
            return arrays
        made = self.function(*arrays)
        needed = sum(array.nbytes for array in made if array is not None)
        if needed > self.shelf.room:
            self.shelf.room = 0  # nor is there room for later blocks, so that nothing is made in vain
            return arrays
        self.shelf.room -= needed
        self.made = made
        return made


@dataclass(frozen=True)
class _WithKept:
    """Loads a block and the array that was added to it; the folder is deleted with the last loader of its files."""

    load: Callable[[], tuple[Any, ...]]
    function: Callable[..., Any]
    number: int
    folder: TemporaryDirectory[str]

    def __call__(self) -> tuple[Any, ...]:
        arrays, path = self.load(), Path(self.folder.name) / f"{self.number}.npy"
        if path.exists():
            return *arrays, np.load(path)
        added = self.function(*arrays)
        np.save(path, added)
        return *arrays, added
