"""The held-out log-likelihood by the number of components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array, Floats
from setwise.nesting import last_step
from setwise.plotting.base.colours import BLUE, GREY, VERMILLION
from setwise.plotting.base.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComponentCurveDisplay(Display):
    """Held-out log-likelihood against the number of components.

    A point is a trial (several penalties may have been tried with the same number). The line joins the best trial of
    each number, and the chosen number is marked. A model grown several times, on different held-out rows, has
    a line per growth.

    Parameters
    ----------
    components : array of shape (trials,)
    held_out : array of shape (trials,)
        Log-likelihood of held-out rows.
    chosen : int, optional
        By default the number with the largest log-likelihood.
    growth : array of shape (trials,), optional
        Which growth a trial belongs to.

    Examples
    --------
    >>> display = ComponentCurveDisplay([1, 3, 3, 6], [-90.0, -80.0, -82.0, -81.0]).plot()
    >>> display.chosen
    3
    """

    def __init__(
        self,
        components: npt.ArrayLike,
        held_out: npt.ArrayLike,
        chosen: int | None = None,
        growth: npt.ArrayLike | None = None,
    ) -> None:
        self.components = np.asarray(components, dtype=np.intp)
        self.held_out = np.asarray(held_out, dtype=np.float64)
        if (
            self.components.ndim != 1
            or self.components.shape != self.held_out.shape
            or not self.held_out.size
        ):
            raise ValueError(
                f"components have shape {self.components.shape} and held_out {self.held_out.shape}; "
                "expected the same number of trials, at least one"
            )
        self.chosen = int(self.components[self.held_out.argmax()]) if chosen is None else chosen
        self.growth = np.zeros(len(self.components), int) if growth is None else np.asarray(growth)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, plot: bool = True) -> Self:
        """Draw the trials of a fitted mixture: its ``growth_`` or its ``tuning_``.

        Parameters
        ----------
        estimator : fitted mixture, or a pipeline or search ending in one
            Fitted with ``n_components="auto"``, or a method that grows its components.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        ComponentCurveDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import MixtureOfTrees
        >>> X = np.random.default_rng(0).normal(size=(120, 2))
        >>> model = MixtureOfTrees(l2=1.0, random_state=0).fit(X, (X > 0).astype(int))
        >>> ComponentCurveDisplay.from_estimator(model).ax_.get_xlabel()
        'components'
        """
        model = last_step(estimator)
        trials = getattr(model, "growth_", None) or getattr(model, "tuning_", None)
        if not trials:
            raise TypeError(
                f"this {type(model).__name__} did not try several numbers of components; a mixture fitted with "
                "n_components='auto' did"
            )
        name = "components" if "components" in trials[0] else "n_components"
        tried = [row[name] for row in trials]
        growth = [row.get("mixture", 0) for row in trials]
        chosen = model.n_components_ if name == "components" else model.mixture_sizes_.max()
        return cls(tried, [row["held_out"] for row in trials], int(chosen), growth)._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 5.0, 3.2

    def _draw(self, ax: Axes) -> None:
        ax.plot(self.components, self.held_out, ".", color=GREY, alpha=0.6, markersize=5)
        growths = np.unique(self.growth)
        for growth in growths:
            numbers, best = self._best_of_each_number(self.growth == growth)
            ax.plot(numbers, best, color=BLUE, marker="o", markersize=4)
            if len(growths) > 1:
                kept = best.argmax()
                ax.plot(numbers[kept], best[kept], "o", color=VERMILLION, markersize=7)
        if len(growths) == 1:
            self._mark_chosen(ax)
        ax.locator_params(axis="x", integer=True)
        ax.grid(axis="y", alpha=0.3)
        ax.set(xlabel="components", ylabel="held-out log-likelihood", title=self._title(len(growths)))

    def _title(self, growths: int) -> str:
        return "Number of components" if growths == 1 else f"{growths} growths, {self.chosen} trees in all"

    def _best_of_each_number(self, of: npt.NDArray[np.bool_]) -> tuple[Array, Floats]:
        numbers = np.unique(self.components[of])
        return numbers, np.array([self.held_out[of & (self.components == k)].max() for k in numbers])

    def _mark_chosen(self, ax: Axes) -> None:
        ax.axvline(self.chosen, color=VERMILLION, linestyle="--", linewidth=1)
        ax.annotate(
            f"chosen: {self.chosen}",
            (self.chosen, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(4, 0),
            textcoords="offset points",
            color=VERMILLION,
        )
