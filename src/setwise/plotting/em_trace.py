"""The bound of EM over its iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from setwise.nesting import last_step
from setwise.plotting.base.colours import BLUE, VERMILLION
from setwise.plotting.base.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EMTraceDisplay(Display):
    """The penalized log-likelihood after each EM iteration, a line per run; dropped components are marked.

    Parameters
    ----------
    bound : array of shape (iterations,)
    components : array of shape (iterations,), optional
        Number of components in each iteration.
    run : array of shape (iterations,), optional
        Which run of EM an iteration belongs to.

    Examples
    --------
    >>> display = EMTraceDisplay([-120.0, -100.0, -98.0], [3, 3, 2]).plot()
    >>> len(display.ax_.lines)
    2
    """

    def __init__(
        self,
        bound: Sequence[float],
        components: Sequence[int] | None = None,
        run: Sequence[int] | None = None,
    ) -> None:
        self.bound = np.asarray(bound, dtype=np.float64)
        count = np.ones(len(self.bound)) if components is None else np.asarray(components)
        self.run = np.zeros(len(self.bound), int) if run is None else np.asarray(run)
        self.iteration = np.arange(len(self.run)) - np.searchsorted(self.run, self.run)
        self.lost = np.flatnonzero((np.diff(count) < 0) & (np.diff(self.run) == 0)) + 1

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, plot: bool = True) -> Self:
        """Draw the trace of a fitted mixture.

        Parameters
        ----------
        estimator : fitted mixture, or a pipeline or search ending in one
            Its ``trace_`` is drawn.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        EMTraceDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import ConditionalBernoulliMixture
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> model = ConditionalBernoulliMixture(2, l2=1.0, gate_l2=1.0, tuning=False, max_iter=2, random_state=0)
        >>> display = EMTraceDisplay.from_estimator(model.fit(X, (X > 0).astype(int)))
        >>> bool((np.diff(display.bound) >= 0).all())
        True
        """
        model = last_step(estimator)
        if not hasattr(model, "trace_"):
            raise TypeError(f"{type(model).__name__} is not fitted by EM; the mixtures are")
        return cls.from_trace(model.trace_, ax=ax, plot=plot)

    @classmethod
    def from_trace(
        cls, trace: Sequence[Mapping[str, Any]], *, ax: Axes | None = None, plot: bool = True
    ) -> Self:
        """Draw a stored trace.

        Parameters
        ----------
        trace : sequence of mappings
            The ``trace_`` of a mixture: dicts with ``bound``, ``components`` and, for several mixtures, ``mixture``.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        EMTraceDisplay

        Examples
        --------
        >>> trace = [{"bound": -120.0, "components": 3}, {"bound": -100.0, "components": 3}]
        >>> EMTraceDisplay.from_trace(trace).bound
        array([-120., -100.])
        """
        bound, components = ([row[name] for row in trace] for name in ("bound", "components"))
        display = cls(bound, components, [row.get("mixture", 0) for row in trace])
        return display._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 5.0, 3.2

    def _draw(self, ax: Axes) -> None:
        for run in np.unique(self.run):
            ax.plot(self.bound[self.run == run], color=BLUE, marker="o", markersize=3)
        self._zoom(ax)
        if self.lost.size:
            ax.plot(
                self.iteration[self.lost],
                self.bound[self.lost],
                "x",
                color=VERMILLION,
                label="components died",
            )
            ax.legend()
        ax.locator_params(axis="x", integer=True)
        ax.grid(axis="y", alpha=0.3)
        ax.set(xlabel="EM iteration", ylabel="penalised log-likelihood", title="EM's bound")

    def _zoom(self, ax: Axes) -> None:
        """Leave the start below the axes if its jump would flatten everything after it."""
        later = self.bound[self.iteration > 0]
        if len(self.bound) < 4 or np.ptp(later) > 0.2 * np.ptp(self.bound):
            return
        room = max(float(np.ptp(later)), 1e-9)
        ax.set_ylim(later.min() - 0.15 * room, later.max() + 0.05 * room)
        ax.annotate(f"start: {self.bound[0]:.6g}", (0.98, 0.02), xycoords="axes fraction", ha="right")
