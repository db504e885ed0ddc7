"""Which methods differ over several data sets: Demsar's critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array
from setwise.evaluation.statistics import Friedman, friedman
from setwise.plotting.base.colours import BLUE, GREY
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 0.28
"""Inches between two names."""


class CriticalDifferenceDisplay(Display):
    """Mean ranks of methods on a line, the best on the left; a bar joins methods that do not differ.

    Parameters
    ----------
    test : Friedman
        Result of :func:`setwise.evaluation.statistics.friedman`.
    names : sequence of str
        Of the methods.
    n_sets : int, optional
        Number of data sets, for the title.

    References
    ----------
    Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_scores(scores, ["A", "B", "C"])
    >>> display.test.ranks
    array([1.  , 2.25, 2.75])
    """

    def __init__(self, test: Friedman, names: Sequence[str], n_sets: int | None = None) -> None:
        if len(names) != len(test.ranks):
            raise ValueError(f"{len(names)} names for {len(test.ranks)} methods")
        self.test, self.names, self.n_sets = test, [str(name) for name in names], n_sets

    @classmethod
    def from_scores(
        cls,
        scores: npt.ArrayLike,
        names: Sequence[str],
        *,
        greater_is_better: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Test and draw the scores of methods on data sets.

        Parameters
        ----------
        scores : array of shape (data sets, methods)
            One score of each method on each data set.
        names : sequence of str
            Of the methods.
        greater_is_better : bool
            False for losses.
        alpha : float
            Level of the tests.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        CriticalDifferenceDisplay

        Examples
        --------
        >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]]
        >>> CriticalDifferenceDisplay.from_scores(scores, ["A", "B", "C"]).n_sets
        3
        """
        table = np.asarray(scores, dtype=np.float64)
        test = friedman(table, greater_is_better=greater_is_better, alpha=alpha)
        return cls(test, names, len(table))._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        side = 0.075 * max(len(plain(name)) for name in self.names)
        half = (len(self.names) + 1) // 2
        return 5.0 + 2 * side, 1.3 + LINE * (half + 0.5 * len(self.test.groups()) + 1)

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(self.test.ranks, kind="stable")
        n = len(order)
        bars = self.test.groups()
        self._draw_scale(ax, n)
        for level, group in enumerate(bars):
            ranks = self.test.ranks[group]
            y = -0.35 - 0.5 * level
            ax.plot([ranks.min() - 0.04, ranks.max() + 0.04], [y, y], color=BLUE, linewidth=4)
        top = -0.7 - 0.5 * len(bars)
        self._draw_names(ax, order[: (n + 1) // 2], top, left=True)
        self._draw_names(ax, order[(n + 1) // 2 :], top, left=False)
        half = (n + 1) // 2
        ax.set(xlim=(0.4, n + 0.6), ylim=(top - half, 2.2))
        ax.set_axis_off()
        ax.set_title(self._title())

    def _draw_scale(self, ax: Axes, n: int) -> None:
        ax.plot([1, n], [0, 0], color="black", linewidth=1)
        for rank in range(1, n + 1):
            ax.plot([rank, rank], [0, 0.15], color="black", linewidth=1)
            ax.text(rank, 0.3, str(rank), ha="center", va="bottom")
        width = min(self.test.critical_difference, n - 1.0)
        ax.plot([1, 1 + width], [1.5, 1.5], color=GREY, marker="|", linewidth=1)
        ax.text(
            1 + width / 2,
            1.6,
            f"CD = {self.test.critical_difference:.2f}",
            ha="center",
            va="bottom",
            color=GREY,
        )

    def _draw_names(self, ax: Axes, methods: Array, top: float, *, left: bool) -> None:
        """Names beside the scale, the outermost ranks highest so that no two lines cross."""
        edge, align = (0.9, "right") if left else (len(self.names) + 0.1, "left")
        for line, method in enumerate(methods if left else methods[::-1]):
            rank, y = self.test.ranks[method], top - line
            ax.plot([rank, rank, edge], [0, y, y], color="black", linewidth=0.8)
            text = (
                f"{plain(self.names[method])}  {rank:.2f}"
                if left
                else f"{rank:.2f}  {plain(self.names[method])}"
            )
            ax.text(edge - 0.05 if left else edge + 0.05, y, text, ha=align, va="center", clip_on=False)

    def _title(self) -> str:
        over = "" if self.n_sets is None else f" over {self.n_sets} data sets"
        return f"Mean ranks{over}; joined methods do not differ\nFriedman's test: p = {self.test.p_value:.2g}"
