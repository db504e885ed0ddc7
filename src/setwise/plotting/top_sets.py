"""The most probable label sets of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import FREE
from setwise.distributions import LabelDistribution
from setwise.plotting.base.colours import BLUE, VERMILLION
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.plotting.base.rows import joint_and_names, one_row
from setwise.views.text import Names, check_names, set_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class TopSetsDisplay(Display):
    """A bar for each of the most probable sets of a row, and a number for all others together.

    Parameters
    ----------
    sets : array of shape (k, n_labels)
        Label sets, best first; rows of -1 (fewer than k sets) are left out.
    log_prob : array of shape (k,)
        Their log-probabilities.
    label_names : sequence of str, optional
    truth : array of shape (n_labels,), optional
        The true set; its bar is marked.

    Examples
    --------
    >>> import numpy as np
    >>> display = TopSetsDisplay([[1, 1], [0, 1]], np.log([0.6, 0.3]), ["sea", "sand"]).plot()
    >>> round(display.rest_, 3)
    0.1
    """

    def __init__(
        self,
        sets: npt.ArrayLike,
        log_prob: npt.ArrayLike,
        label_names: Names = None,
        *,
        truth: npt.ArrayLike | None = None,
    ) -> None:
        every = np.asarray(sets)
        present = (every != FREE).all(axis=1)
        self.sets, self.probability = every[present], np.exp(np.asarray(log_prob, np.float64)[present])
        self.label_names = check_names(label_names, every.shape[1])
        self.truth = None if truth is None else np.asarray(truth)
        self.rest_ = float(max(0.0, 1.0 - self.probability.sum()))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        row: int = 0,
        k: int = 10,
        truth: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw the most probable sets of one row.

        Parameters
        ----------
        estimator : fitted estimator, pipeline or search
            An estimator with a joint distribution.
        X : array or DataFrame of shape (n, d)
            Rows, as the estimator takes them.
        row : int
            Which row of ``X``.
        k : int
            How many sets.
        truth : array of shape (n_labels,), optional
            The row's true set; its bar is marked.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        TopSetsDisplay

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = BinaryRelevance(l2=1.0).fit(X, (X > 0).astype(int))
        >>> TopSetsDisplay.from_estimator(model, X, row=5, k=3).probability.shape
        (3,)
        """
        joint, names = joint_and_names(estimator, one_row(X, row))
        return cls.from_distribution(joint, k=k, label_names=names, truth=truth, ax=ax, plot=plot)

    @classmethod
    def from_distribution(
        cls,
        distribution: LabelDistribution,
        *,
        row: int = 0,
        k: int = 10,
        label_names: Names = None,
        truth: npt.ArrayLike | None = None,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw the most probable sets of one row of a distribution, conditioned or not.

        Parameters
        ----------
        distribution : LabelDistribution
            Result of ``distribution`` or ``condition``.
        row : int
            Which of its rows.
        k : int
            How many sets.
        label_names : sequence of str, optional
            Those of the distribution by default.
        truth : array of shape (n_labels,), optional
            The row's true set; its bar is marked.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        TopSetsDisplay

        Examples
        --------
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> TopSetsDisplay.from_distribution(joint).probability
        array([0.75, 0.25])
        """
        best = distribution.take([row]).top_k(k)
        names = distribution.label_names if label_names is None else label_names
        return cls(best.labels[0], best.log_prob[0], names, truth=truth)._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max((len(name) for name in self._names()), default=0)
        return 3.6 + 0.075 * longest, 1.0 + 0.26 * (len(self.sets) + 1)

    def _draw(self, ax: Axes) -> None:
        is_true = [self.truth is not None and np.array_equal(self.truth, row) for row in self.sets]
        longest = max(self.probability.max(initial=0.0), 1e-3)
        values = np.append(self.probability, self.rest_)
        lengths = np.append(
            self.probability, 0.0
        )  # a bar of the remaining probability could dwarf all others
        colours = [VERMILLION if true else BLUE for true in is_true]
        bars = ax.barh(range(len(values)), lengths, color=[*colours, BLUE], height=0.7)
        ax.bar_label(bars, [f"{value:.1%}" for value in values], padding=3)
        ax.set_yticks(range(len(values)), self._names())
        ax.invert_yaxis()
        ax.set_xlim(0, longest * 1.2)
        ax.set_xticks([])
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set_title(self._title(any(is_true)))

    def _names(self) -> list[str]:
        return [*(plain(set_text(row, self.label_names), 60) for row in self.sets), "all other sets"]

    def _title(self, found: bool) -> str:
        if self.truth is None:
            return "Most probable sets"
        if found:
            return "Most probable sets; orange: the true one"
        true_set = plain(set_text(self.truth, self.label_names), 44)
        return f"Most probable sets; not among them the true one:\n{true_set}"
