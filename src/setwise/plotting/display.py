"""What every plot is: data kept as plain arrays, drawn on given axes or on new ones."""

from __future__ import annotations

import io
import warnings
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from setwise.plotting.colours import CYCLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    # text stays text, so that the reader's fonts show any script, and equal plots give equal files
    "svg.fonttype": "none",
    "svg.hashsalt": "setwise",
}


class Display(ABC):
    """A plot of the kind scikit-learn has: make it from arrays or an estimator, then :meth:`plot` it.

    A subclass keeps its data as attributes and says how large it wants to be and how it is drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on, after :meth:`plot`.
    figure_ : matplotlib Figure
    """

    ax_: Axes
    figure_: Figure

    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the data; they grow with the number of labels."""

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw on the axes."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure of a size that suits the data."""
        matplotlib = _matplotlib()
        if ax is not None:
            return self._drawn(ax)
        from matplotlib import pyplot

        with matplotlib.rc_context(_style(matplotlib)):
            return self._drawn(pyplot.subplots(figsize=self.size(), layout="constrained")[1])

    def to_svg(self) -> str:
        """The plot as an SVG document; no window and no global state of matplotlib is touched."""
        matplotlib = _matplotlib()
        from matplotlib.figure import Figure

        out = io.StringIO()
        with matplotlib.rc_context(_style(matplotlib)), warnings.catch_warnings():
            # the reader's browser has the glyphs that matplotlib's font lacks
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure = Figure(figsize=self.size(), layout="constrained")
            self._drawn(figure.add_subplot())
            figure.savefig(out, format="svg", metadata={"Date": None})
        return out.getvalue()

    def _drawn(self, ax: Axes) -> Self:
        figure = ax.get_figure(root=True)
        assert figure is not None
        self.ax_, self.figure_ = ax, figure
        self._draw(ax)
        return self


def _style(matplotlib: Any) -> dict[str, Any]:
    return STYLE | {"axes.prop_cycle": matplotlib.cycler(color=CYCLE)}


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'setwise[plot]'") from None
    return matplotlib
