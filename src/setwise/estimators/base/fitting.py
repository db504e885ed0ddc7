"""What every fit has besides data: a seed, a progress line and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import clone
from sklearn.utils import check_random_state

from setwise.contract import Floats, Labels, Matrix
from setwise.estimators.base.callbacks import CallbackListener, CallbackSupport
from setwise.estimators.base.seeds import seeded
from setwise.learning.progress.line import ProgressLine
from setwise.learning.progress.monitor import Monitor, Progress


class Fitting(CallbackSupport):
    """An estimator with the parameters ``random_state`` and ``verbose``."""

    random_state: Any = None
    verbose: int = 0

    def _seed(self) -> int:
        """Draw a seed from ``random_state``."""
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _seeded(self, estimator: Any) -> Any:
        """Clone an estimator inside this one; seed it if this one has a seed and it has none."""
        return clone(estimator) if self.random_state is None else seeded(estimator, self._seed())

    def _monitor(self, X: Matrix, Y: Labels, weights: Floats | None) -> Monitor:
        """What watches this fit: its callbacks, and a progress line if it is verbose."""
        return Monitor(None, *self._listeners())

    def _listeners(self) -> list[Callable[[Progress], bool | None]]:
        lines = [ProgressLine(type(self).__name__, self.verbose)] if self.verbose else []
        return [CallbackListener(self), *lines]
