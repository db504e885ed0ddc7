"""Who watches a long fit: checkpoints, a progress bar, callbacks. The learners report here and know none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from setwise.learning.progress.checkpoint import Checkpoint, Saved, State

Trace = list[dict[str, Any]]


@dataclass(frozen=True)
class Progress:
    """Where a fit is: what it is doing, the EM iteration, how many there are at most, the bound."""

    task: str
    iteration: int
    max_iter: int
    bound: float


class Monitor:
    """Passes on where a fit is, and keeps its steps in a checkpoint.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
    listeners : callables, optional
        Given a :class:`Progress` after every EM iteration; True from any of them ends the fit as it is.
    """

    def __init__(
        self, checkpoint: Checkpoint | None = None, *listeners: Callable[[Progress], bool | None]
    ) -> None:
        self._checkpoint, self._listeners, self._task = checkpoint, listeners, ""

    def task(self, name: str) -> None:
        """Name what comes next."""
        self._task = name

    def report(self, iteration: int, max_iter: int, bound: float) -> bool:
        """Tell the listeners; whether one of them wants the fit to stop."""
        progress = Progress(self._task, iteration, max_iter, bound)
        return any([bool(listener(progress)) for listener in self._listeners])

    def next_step(self) -> Saved | None:
        """What a killed fit left of the step that begins."""
        return None if self._checkpoint is None else self._checkpoint.next_step()

    def save(self, state: State, record: Any, *, done: bool) -> None:
        """Keep the state of the current step."""
        if self._checkpoint is not None:
            self._checkpoint.save(state, record, done=done)

    def arrays(self, compute: Callable[[], State]) -> State:
        """A step that is arrays: read from the checkpoint if it is there, else computed."""
        saved = self.next_step()
        if saved is not None and saved.done:
            return saved.state
        state = compute()
        self.save(state, None, done=True)
        return state

    def finish(self) -> None:
        """The fit is done; its checkpoint is of no more use."""
        if self._checkpoint is not None:
            self._checkpoint.clear()
        for listener in self._listeners:
            getattr(listener, "close", lambda: None)()
