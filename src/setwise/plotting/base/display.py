"""The base class of plots: data in plain arrays, drawn on given or new axes."""

from __future__ import annotations

import io
import warnings
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from setwise.plotting.base.colours import CYCLE

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
    """A plot in the style of scikit-learn's displays.

    The methods ``from_estimator``, ``from_predictions`` and the like draw at once. A display made from arrays by its
    constructor is drawn by :meth:`plot`. A subclass keeps its data as attributes, and defines its size and how it is
    drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after the display is drawn.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> from setwise.plotting import Display, TreeDisplay
    >>> isinstance(TreeDisplay([-1, 0]), Display)
    True
    """

    ax_: Axes
    figure_: Figure

    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the data; they grow with the number of labels.

        Returns
        -------
        tuple of float

        Examples
        --------
        >>> from setwise.plotting import EMTraceDisplay
        >>> EMTraceDisplay([-120.0, -100.0]).size()
        (5.0, 3.2)
        """

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw on the axes."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on given axes, or on a new figure of a size that suits the data.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        Display
            The display itself, with ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from setwise.plotting import TreeDisplay
        >>> TreeDisplay([-1, 0], label_names=["sea", "sand"]).plot().ax_
        <Axes: >
        """
        matplotlib = _matplotlib()
        if ax is not None:
            return self._drawn(ax)
        from matplotlib import pyplot

        with matplotlib.rc_context(_style(matplotlib)):
            return self._drawn(pyplot.subplots(figsize=self.size(), layout="constrained")[1])

    def _plot_if(self, plot: bool, ax: Axes | None) -> Self:
        """Return the display of a ``from_...`` method, drawn at once like scikit-learn's, unless ``plot`` is False."""
        return self.plot(ax) if plot else self

    def to_svg(self) -> str:
        """Draw the plot as an SVG document, without a window and without any global state of matplotlib.

        Returns
        -------
        str

        Examples
        --------
        >>> from setwise.plotting import TreeDisplay
        >>> TreeDisplay([-1, 0], label_names=["sea", "sand"]).to_svg()[:5]
        '<?xml'
        """
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
