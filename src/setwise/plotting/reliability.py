"""Reliability diagrams: are sets predicted with probability 70 % right in 70 of 100 rows?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from setwise.contract import Array, Floats
from setwise.kernels.matrices import to_dense
from setwise.metrics import Calibration, set_calibration
from setwise.nesting import in_label_order, opened
from setwise.plotting.base.colours import BLUE, GREY, PALE
from setwise.plotting.base.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SetReliabilityDisplay(Display):
    """How often the predicted set is right, against its predicted probability.

    Points on the diagonal are calibrated; the bars are 95 % intervals (Wilson), and the strip at the
    bottom is where the rows are.

    Parameters
    ----------
    calibration : Calibration
        Result of :func:`setwise.metrics.set_calibration`.
    name : str
        Of the method, for the legend.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.random(500)
    >>> display = SetReliabilityDisplay.from_predictions(probability, rng.random(500) < probability)
    >>> display.calibration.error < 0.1
    True
    """

    def __init__(self, calibration: Calibration, *, name: str = "") -> None:
        self.calibration, self.name = calibration, name

    @classmethod
    def from_predictions(
        cls,
        probability: npt.ArrayLike,
        correct: npt.ArrayLike,
        *,
        n_bins: int = 10,
        name: str = "",
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw how often predicted sets are right, by their probability.

        Parameters
        ----------
        probability : array of shape (n,)
            Probability of each predicted set.
        correct : array of shape (n,)
            Whether it was right.
        n_bins : int
            Groups of rows, as large as each other.
        name : str
            Of the method, for the title.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        SetReliabilityDisplay

        Examples
        --------
        >>> SetReliabilityDisplay.from_predictions([0.9, 0.9, 0.1], [True, True, False], n_bins=2).ax_.get_ylabel()
        'share of rows where it is right'
        """
        display = cls(set_calibration(probability, correct, n_bins=n_bins), name=name)
        return display._plot_if(plot, ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        Y: Any,
        *,
        n_bins: int = 10,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw how often the most probable sets are right, on rows that the estimator has not seen.

        Parameters
        ----------
        estimator : fitted estimator, pipeline or search
            An estimator with ``predict_top_k``.
        X : array or DataFrame of shape (n, d)
            Rows that it was not fitted to.
        Y : array, DataFrame or CSR of shape (n, L)
            Their labels.
        n_bins : int
            Groups of rows, as large as each other.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        SetReliabilityDisplay

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = np.linspace(-1, 1, 40)[:, None]
        >>> Y = np.hstack([X > 0, X < 0]).astype(int)
        >>> model = BinaryRelevance(l2=1.0).fit(X[::2], Y[::2])
        >>> SetReliabilityDisplay.from_estimator(model, X[1::2], Y[1::2]).name
        'BinaryRelevance'
        """
        model, features = opened(estimator, X)
        best = model.predict_top_k(features, 1)
        labels = to_dense(in_label_order(estimator, Y))
        correct = (best.labels[:, 0] == labels).all(axis=1)
        probability = np.exp(best.log_prob[:, 0])
        return cls.from_predictions(
            probability, correct, n_bins=n_bins, name=type(model).__name__, ax=ax, plot=plot
        )

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 4.2, 4.2

    def _draw(self, ax: Axes) -> None:
        curve = self.calibration
        low, high = wilson_interval(curve.accuracy, curve.n_rows)
        bars = np.stack([curve.accuracy - low, high - curve.accuracy])
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        share = curve.n_rows / curve.n_rows.sum()
        ax.bar(curve.confidence, 0.2 * share / share.max(), width=0.03, color=PALE, zorder=0)
        ax.errorbar(
            curve.confidence,
            curve.accuracy,
            yerr=np.maximum(bars, 0.0),
            color=BLUE,
            marker="o",
            markersize=4,
            linewidth=1.2,
            elinewidth=0.8,
        )
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set(xlabel="probability of the predicted set", ylabel="share of rows where it is right")
        ax.set_title(
            f"{self.name or 'Predicted sets'}: {curve.n_rows.sum()} rows\n"
            f"calibration error {curve.error:.3f}, Brier score {curve.brier:.3f}"
        )


def wilson_interval(share: Floats, n_rows: Array, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's interval of a share observed in ``n_rows``.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = wilson_interval(np.array([0.5]), np.array([100]))
    >>> low.round(3), high.round(3)
    (array([0.404]), array([0.596]))
    """
    z2 = ndtri(0.5 + confidence / 2) ** 2
    centre = (share + z2 / (2 * n_rows)) / (1 + z2 / n_rows)
    half = np.sqrt(z2 * share * (1 - share) / n_rows + z2**2 / (4 * n_rows**2)) / (1 + z2 / n_rows)
    return centre - half, centre + half
