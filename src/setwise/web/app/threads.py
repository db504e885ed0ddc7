"""Answers are computed in threads, so that the event loop stays free for health checks and other clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.exceptions import HTTPException

from setwise.web.app.limits import Limits

T = TypeVar("T")


class Threads:
    """A few threads, and a bounded number of requests that wait for them.

    Parameters
    ----------
    limits : Limits

    Examples
    --------
    >>> threads = Threads(Limits(threads=1))
    >>> asyncio.run(threads.run(sum, [1, 2]))
    3
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="answer")
        self.busy = 0

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Compute an answer in a thread. Too much work is answered by 429, work that takes too long by 422."""
        limits = self._limits
        if self.busy >= limits.threads + limits.waiting:
            raise _too_busy(f"{self.busy} requests are being answered")
        self.busy += 1
        future = self._pool.submit(work, *arguments)
        future.add_done_callback(self._release_from(asyncio.get_running_loop()))
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), limits.seconds)
        except TimeoutError:
            if future.cancel():
                raise _too_busy(f"no thread was free for {limits.seconds:g} seconds") from None
            message = (
                f"the answer takes longer than {limits.seconds:g} seconds; send fewer rows, or ask for less"
            )
            raise HTTPException(422, message) from None

    def _release_from(self, loop: asyncio.AbstractEventLoop) -> Callable[[Future[Any]], None]:
        """A thread that is too slow counts as busy until it ends."""

        def release() -> None:
            self.busy -= 1

        def done(_: Future[Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(release)

        return done


def _too_busy(why: str) -> HTTPException:
    return HTTPException(429, f"the server is busy: {why}; try again", {"Retry-After": "1"})
