"""Monitors of a long fit: checkpoints, a progress bar, callbacks. Learners report without knowing the listeners."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from setwise.learning.progress.checkpoint import Checkpoint, Saved, State
from setwise.learning.progress.time_limit import check_time

T = TypeVar("T")
Trace = list[dict[str, Any]]


@dataclass(frozen=True)
class Progress:
    """The progress of a fit: its task, the iterations done, their largest number, and EM's bound if it has one."""

    task: str
    iteration: int
    max_iter: int
    bound: float | None = None


class Monitor:
    """Reports the progress of a fit to listeners, and keeps its steps in a checkpoint.

    As a context it is the monitor of the fit that runs inside: see :func:`current_monitor`.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
    listeners : callables, optional
        Called with a :class:`Progress` after every iteration. If one returns True, EM stops where it is.

    Examples
    --------
    >>> with Monitor(None, print):
    ...     for letter in current_monitor().steps("letters", "ab"):
    ...         pass
    Progress(task='letters', iteration=1, max_iter=2, bound=None)
    Progress(task='letters', iteration=2, max_iter=2, bound=None)
    """

    def __init__(
        self, checkpoint: Checkpoint | None = None, *listeners: Callable[[Progress], bool | None]
    ) -> None:
        self._checkpoint, self._listeners, self._task = checkpoint, listeners, ""
        self._token: Token[Monitor] | None = None

    def __enter__(self) -> Self:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        assert self._token is not None
        _CURRENT.reset(self._token)
        if kind is None:
            self.finish()

    def task(self, name: str) -> None:
        """Name the task that begins."""
        self._task = name

    def steps(self, task: str, items: Collection[T]) -> Iterator[T]:
        """Yield ``items`` and report each when it is done; silently if they are part of another task."""
        if self._task:
            for item in items:
                check_time()
                yield item
            return
        self._task = task
        try:
            for done, item in enumerate(items, start=1):
                yield item
                self.report(done, len(items))
        finally:
            self._task = ""

    def report(self, iteration: int, max_iter: int, bound: float | None = None) -> bool:
        """Inform the listeners. Return whether one of them asks the fit to stop.

        Raises ``OutOfTime`` if the time of the fit is limited and up.
        """
        check_time()
        progress = Progress(self._task, iteration, max_iter, bound)
        return any([bool(listener(progress)) for listener in self._listeners])

    def next_step(self) -> Saved | None:
        """Move to the next step, and return its saved state if an earlier fit was interrupted there."""
        return None if self._checkpoint is None else self._checkpoint.next_step()

    def save(self, state: State, record: Any, *, done: bool) -> None:
        """Save the state of the current step."""
        if self._checkpoint is not None:
            self._checkpoint.save(state, record, done=done)

    def arrays(self, compute: Callable[[], State]) -> State:
        """Compute arrays as one step, or read them from the checkpoint if an earlier fit got that far."""
        saved = self.next_step()
        if saved is not None and saved.done:
            return saved.state
        state = compute()
        self.save(state, None, done=True)
        return state

    def finish(self) -> None:
        """Clear the checkpoint and close the listeners: the fit is done."""
        if self._checkpoint is not None:
            self._checkpoint.clear()
        for listener in self._listeners:
            getattr(listener, "close", lambda: None)()


_CURRENT: ContextVar[Monitor] = ContextVar("monitor")


def current_monitor() -> Monitor:
    """Return the monitor of the running fit, or a silent one."""
    return _CURRENT.get(None) or Monitor()
