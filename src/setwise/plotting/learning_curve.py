"""Scores by the number of training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import learning_curve

from setwise.contract import Array, Floats
from setwise.datasets import IterativeStratification
from setwise.metrics import scorer
from setwise.plotting.base.colours import CYCLE, MARKERS
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LearningCurveDisplay(Display):
    """A measure on held-out rows against the number of rows learned from, for one or several methods.

    Parameters
    ----------
    n_rows : array of shape (sizes,)
    scores : mapping of method to array of shape (sizes, folds)
    measure : str
        Name of the scores.
    against : str
        Name of the numbers on the other axis.

    Examples
    --------
    >>> display = LearningCurveDisplay([100, 200], {"BR": [[0.1, 0.2], [0.3, 0.3]]}, "exact match").plot()
    >>> display.ax_.get_ylabel()
    'exact match'
    """

    def __init__(
        self,
        n_rows: npt.ArrayLike,
        scores: Mapping[str, npt.ArrayLike],
        measure: str = "score",
        *,
        against: str = "rows learned from",
    ) -> None:
        self.n_rows: Array = np.asarray(n_rows)
        self.scores: dict[str, Floats] = {
            name: np.atleast_2d(np.asarray(values, np.float64)) for name, values in scores.items()
        }
        self.measure = measure
        self.against = against
        for name, values in self.scores.items():
            if len(values) != len(self.n_rows):
                raise ValueError(f"{name!r} has scores of {len(values)} sizes; there are {len(self.n_rows)}")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        Y: Any,
        *,
        measure: str = "exact_match",
        cv: Any = None,
        train_sizes: npt.ArrayLike = (0.1, 0.25, 0.5, 0.75, 1.0),
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Fit clones on growing parts of the training folds, and draw their scores.

        Parameters
        ----------
        estimator : unfitted estimator, or mapping of name to estimator
            One line is drawn for each.
        X : array or DataFrame of shape (n, d)
            Rows to train and test on.
        Y : array, DataFrame or CSR of shape (n, L)
            Their labels.
        measure : str
            A name of :data:`setwise.metrics.SCORERS`.
        cv : cross-validator or int, optional
            Three stratified folds by default.
        train_sizes : array
            Shares of the training rows.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        LearningCurveDisplay

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> Y = (X > 0).astype(int)
        >>> display = LearningCurveDisplay.from_estimator(BinaryRelevance(l2=1.0), X, Y, train_sizes=[0.5, 1.0])
        >>> display.n_rows
        array([20, 40])
        """
        methods = estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        folds = IterativeStratification(3, shuffle=True, random_state=0) if cv is None else cv
        scores, n_rows = {}, np.empty(0)
        for name, method in methods.items():
            n_rows, _, scores[name] = learning_curve(
                method, X, Y, cv=folds, scoring=scorer(measure), train_sizes=np.asarray(train_sizes)
            )
        return cls(n_rows, scores, measure.replace("_", " "))._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 5.4, 3.6

    def _draw(self, ax: Axes) -> None:
        for i, (name, values) in enumerate(self.scores.items()):
            mean, colour = values.mean(axis=1), CYCLE[i % len(CYCLE)]
            ax.plot(
                self.n_rows, mean, color=colour, marker=MARKERS[i % len(MARKERS)], label=f" {plain(name)}"
            )
            if values.shape[1] > 1:
                error = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
                ax.fill_between(
                    self.n_rows, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0
                )
        ax.legend()
        ax.grid(axis="y", alpha=0.3)
        ax.set(xlabel=self.against, ylabel=self.measure, title="Learning curve, ± one standard error")
