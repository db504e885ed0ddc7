"""The rows whose given labels are most likely wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array
from setwise.nesting import in_label_order, last_step
from setwise.plotting.base.colours import BLUE
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.views.answer import row_names_of
from setwise.views.text import Names, change_text, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LabelErrorsDisplay(Display):
    """A bar for each of the most suspicious rows, with what the model would change.

    Parameters
    ----------
    score : array of shape (n,)
        How suspicious each row is, e.g. ``estimator.outlier_score(X, Y)``.
    given, suggested : arrays of shape (n, n_labels)
        The given labels, and those that the model predicts.
    label_names : sequence of str, optional
    row_names : sequence, optional
        Names of the rows; their numbers by default.
    k : int
        Number of rows shown.

    Attributes
    ----------
    rows_ : ndarray of shape (k,)
        The rows shown, the most suspicious first.

    Examples
    --------
    >>> display = LabelErrorsDisplay([0.1, 4.2], [[1, 0], [1, 1]], [[1, 0], [0, 1]], ["sea", "sand"]).plot()
    >>> display.rows_
    array([1, 0])
    """

    def __init__(
        self,
        score: npt.ArrayLike,
        given: npt.ArrayLike,
        suggested: npt.ArrayLike,
        label_names: Names = None,
        *,
        row_names: Sequence[Any] | None = None,
        k: int = 20,
    ) -> None:
        self.score = np.asarray(score, dtype=np.float64)
        self.given, self.suggested = np.asarray(given), np.asarray(suggested)
        if self.given.shape != self.suggested.shape or len(self.given) != len(self.score):
            raise ValueError(
                f"score has shape {self.score.shape}, given {self.given.shape} and suggested "
                f"{self.suggested.shape}; expected (n,), (n, L) and (n, L)"
            )
        self.label_names = check_names(label_names, self.given.shape[1])
        self.row_names = list(range(len(self.score)) if row_names is None else row_names)
        self.rows_: Array = np.argsort(-self.score, kind="stable")[:k]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        Y: npt.ArrayLike,
        *,
        k: int = 20,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Score labels by an estimator fitted to *other* rows, and draw the most suspicious rows.

        Parameters
        ----------
        estimator : fitted estimator
            One that was not fitted to these rows: a model doubts its own training rows less.
        X : array or DataFrame of shape (n, d)
            Rows; the index of a DataFrame names them.
        Y : array or DataFrame of shape (n, L)
            Their labels as given.
        k : int
            Number of rows shown.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        LabelErrorsDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import BinaryRelevance
        >>> X = np.linspace(-1, 1, 40)[:, None]
        >>> Y = np.hstack([X > 0, X < 0]).astype(int)
        >>> model = BinaryRelevance(l2=1.0).fit(X[::2], Y[::2])
        >>> wrong = Y[1::2].copy()
        >>> wrong[3] = [1, 0]
        >>> int(LabelErrorsDisplay.from_estimator(model, X[1::2], wrong).rows_[0])
        3
        """
        given = np.asarray(in_label_order(estimator, Y))
        names = getattr(last_step(estimator), "label_names_", None)
        score = estimator.outlier_score(X, given)
        display = cls(score, given, estimator.predict(X), names, row_names=row_names_of(X), k=k)
        return display._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max((len(name) for name in self._names()), default=10)
        return 3.6 + 0.075 * longest, 1.1 + 0.24 * len(self.rows_)

    def _draw(self, ax: Axes) -> None:
        shown = self.score[self.rows_]
        finite = np.where(np.isfinite(shown), shown, 1.1 * shown[np.isfinite(shown)].max(initial=1.0))
        bars = ax.barh(range(len(shown)), finite, color=BLUE, height=0.7)
        ax.bar_label(bars, [f"{value:.2g}" for value in shown], padding=3)
        ax.set_yticks(range(len(shown)), self._names())
        ax.set_xlim(min(0.0, 1.3 * finite.min(initial=0.0)), max(finite.max(initial=0.0), 1e-9) * 1.15)
        ax.invert_yaxis()
        ax.set_xticks([])
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set_title("Most suspicious rows,\nand what the model would change")

    def _names(self) -> list[str]:
        return [f"{plain(self.row_names[i], 16)}: {plain(self._change(i), 48)}" for i in self.rows_]

    def _change(self, row: int) -> str:
        return change_text(self.given[row], self.suggested[row], self.label_names)
