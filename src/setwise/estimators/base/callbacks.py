"""Scikit-learn's callbacks, if its version has them: a long fit reports every iteration to them."""

from __future__ import annotations

from typing import Any

from setwise.learning.progress.monitor import Progress

__all__ = ["CallbackListener", "CallbackSupport", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """An empty base class, for versions of scikit-learn without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


class CallbackListener:
    """Reports a fit as a tree of tasks: the fit, its parts such as EM runs, their iterations.

    Parameters
    ----------
    estimator : estimator with callbacks, or without any
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator: Any = estimator
        self._fit: Any = None
        self._run: Any = None
        self._last: Progress | None = None
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self._fit = estimator._init_callback_context(max_subtasks=None)
            self._fit.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, progress: Progress) -> bool:
        """Report one iteration. Return whether a callback asks the run to stop."""
        if self._fit is None:
            return False
        if self._begins(progress):
            self._end_run()
            self._run = self._fit.subcontext(task_name=progress.task, max_subtasks=progress.max_iter + 1)
            self._run.call_on_fit_task_begin(estimator=self._estimator)
        self._last = progress
        leaf = self._run.subcontext(task_name="iteration")
        leaf.call_on_fit_task_begin(estimator=self._estimator)
        return bool(leaf.call_on_fit_task_end(estimator=self._estimator))

    def _begins(self, progress: Progress) -> bool:
        """Whether this is the first report of a run: another task, or the same one from the start."""
        last = self._last
        return last is None or progress.task != last.task or progress.iteration <= last.iteration

    def close(self) -> None:
        """Report that the fit is done."""
        self._end_run()
        if self._fit is not None:
            self._fit.call_on_fit_task_end(estimator=self._estimator)

    def _end_run(self) -> None:
        if self._run is not None:
            self._run.call_on_fit_task_end(estimator=self._estimator)
            self._run = None
