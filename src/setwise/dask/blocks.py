"""Blocks of rows on the workers of a Dask cluster."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

import cloudpickle
from dask.sizeof import sizeof
from distributed import Client, Future

from setwise.blocks import Blocks
from setwise.dask.rounds import Traffic, answers_of, check_client

Part = TypeVar("Part")

MERGED = 8
"""Results that a worker adds up at a time: the client receives one."""
SHARED_BYTES = 1 << 20
"""If the parameters would take more with every block, each worker gets them once."""
FILLED = 0.5
"""Share of their memory up to which workers keep what they could compute again; Dask writes to disk from 0.6."""
COPIES = 3
"""Memory of the arrays that are kept, beside those they are made of."""


@dataclass(frozen=True)
class DaskBlocks(Blocks):
    """Blocks held by workers. A round sends a function to the blocks, and receives one sum.

    Every task is a function of a block and of parameters, and of no earlier round: if a worker is lost, Dask makes its
    blocks again on another one, and the fit continues.

    Parameters
    ----------
    client : distributed.Client
    parts : sequence of tuples of Future
        The arrays of each block, in one tuple or in several.
    traffic : Traffic
        Counts the rounds and the bytes moved.
    """

    client: Client
    parts: Sequence[tuple[Future, ...]]
    traffic: Traffic = field(default_factory=Traffic)

    def map(self, function: Callable[..., Part]) -> Iterator[Part]:
        """Call a function with the arrays of each block, on the block's worker; see :class:`Blocks`."""
        futures = self._submit(function)
        yield from answers_of(self.client, futures, self.traffic, futures)

    def total(self, function: Callable[..., Part], combine: Callable[[Any, Any], Any] = operator.add) -> Part:
        """Combine the results on the workers, a few at a time; see :class:`Blocks`."""
        blocks = futures = self._submit(function)
        while len(futures) > 1:
            groups = [futures[first : first + MERGED] for first in range(0, len(futures), MERGED)]
            futures = self.client.map(_merged, [combine] * len(groups), groups, pure=False)
        (answer,) = answers_of(self.client, futures, self.traffic, blocks)
        result: Part = answer
        return result

    def through(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays of each block by those that a function makes of them, on its worker."""
        return replace(self, parts=[(future,) for future in self._submit(function)])

    def kept(self, function: Callable[..., tuple[Any, ...]]) -> Self:
        """Replace the arrays as :meth:`through` does, if the workers have memory for three times what they hold."""
        room = self._room()
        if room is not None and COPIES * self.total(_held) > room:
            return self
        return self.through(function)

    def _room(self) -> float | None:
        """The bytes that the blocks of all workers may still take; None without a limit."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        if not all(worker["memory_limit"] for worker in workers):
            return None
        return sum(FILLED * worker["memory_limit"] - worker["metrics"]["memory"] for worker in workers)

    def also(self, function: Callable[..., Any]) -> Self:
        """Add an array to each block, which a function makes of the others, on its worker."""
        added = self._submit(_Alone(function))
        return replace(self, parts=[(*part, more) for part, more in zip(self.parts, added)])

    def _submit(self, function: Callable[..., Any]) -> list[Future]:
        check_client(self.client)
        code: Any = cloudpickle.dumps(function)
        shared = len(code) * len(self.parts) > SHARED_BYTES
        self.traffic.sent(len(code), self.traffic.workers if shared else len(self.parts))
        if shared:  # by a task, not by scatter: the cluster can make its result again
            code = self.client.submit(_as_it_is, code, pure=False)
        futures: list[Future] = self.client.map(
            _called, [code] * len(self.parts), *zip(*self.parts), pure=False
        )
        return futures


@dataclass(frozen=True)
class _Alone:
    """A function whose array becomes a tuple of one."""

    function: Callable[..., Any]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        return (self.function(*arrays),)


def _as_it_is(code: bytes) -> bytes:
    return code


def _called(code: bytes, *parts: tuple[Any, ...]) -> Any:
    return cloudpickle.loads(code)(*(array for part in parts for array in part))


def _held(*arrays: Any) -> int:
    return sum(map(sizeof, arrays))


def _merged(combine: Callable[[Any, Any], Any], results: list[Any]) -> Any:
    merged = results[0]
    for result in results[1:]:
        merged = combine(merged, result)
    return merged
