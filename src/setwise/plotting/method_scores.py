"""Scores of several methods on one measure, with printed values of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from setwise.plotting.base.colours import BLUE, VERMILLION
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MethodScoresDisplay(Display):
    """A dot with two standard errors for each method, and a diamond for a printed value.

    Parameters
    ----------
    names : sequence of str
        Of the methods, top to bottom.
    mean : array of shape (methods,)
        NaN if nothing was measured; an infinite mean is written at the edge.
    standard_error : array of shape (methods,), optional
        NaN if unknown.
    printed : array of shape (methods,), optional
        Values to compare with; NaN if there is none.
    measure, title : str
    reference : float, optional
        Position of a vertical line.

    Examples
    --------
    >>> display = MethodScoresDisplay(["BR", "SC"], [0.25, 0.34], [0.01, 0.01], measure="exact match").plot()
    >>> display.ax_.get_xlabel()
    'exact match'
    """

    def __init__(
        self,
        names: Sequence[str],
        mean: npt.ArrayLike,
        standard_error: npt.ArrayLike | None = None,
        printed: npt.ArrayLike | None = None,
        *,
        measure: str = "score",
        title: str = "",
        reference: float | None = None,
    ) -> None:
        self.names, self.mean = [str(name) for name in names], np.asarray(mean, dtype=np.float64)
        missing = np.full(len(self.names), np.nan)
        self.standard_error = missing if standard_error is None else np.asarray(standard_error, np.float64)
        self.printed = missing if printed is None else np.asarray(printed, np.float64)
        self.measure, self.title, self.reference = measure, title, reference
        if not len(self.names) == len(self.mean) == len(self.standard_error) == len(self.printed):
            raise ValueError(f"{len(self.names)} names for {len(self.mean)} methods")

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max((len(plain(name)) for name in self.names), default=0)
        return 3.6 + 0.075 * longest, 1.2 + 0.26 * len(self.names)

    def _draw(self, ax: Axes) -> None:
        y = np.arange(len(self.names))
        if self.reference is not None:
            ax.axvline(self.reference, color=VERMILLION, linewidth=1)
        width = np.nan_to_num(2 * self.standard_error, posinf=0.0)
        shown = np.where(np.isfinite(self.mean), self.mean, np.nan)
        for line in np.flatnonzero(np.isinf(self.mean)).tolist():
            ax.text(1.0, line, "∞", transform=ax.get_yaxis_transform(), ha="right", va="center", color=BLUE)
        ax.errorbar(shown, y, xerr=width, fmt="o", color=BLUE, markersize=5, elinewidth=1.2, label="ours")
        if np.isfinite(self.printed).any():
            ax.plot(
                self.printed, y, "D", color=VERMILLION, markersize=6, markerfacecolor="none", label="printed"
            )
            ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2)
        ax.set_yticks(y, [plain(name) for name in self.names])
        ax.set_ylim(len(y) - 0.5, -0.5)
        ax.grid(axis="x", alpha=0.3)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(plain(self.measure, 80))
        title = plain(self.title, 60)
        if np.isfinite(self.printed).any():
            ax.set_title(title, pad=20)
        else:
            ax.set_title(title)
