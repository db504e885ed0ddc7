"""Scores of each label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.metrics import precision_recall_fscore_support

from setwise.contract import Array, column_names
from setwise.kernels.matrices import to_dense
from setwise.metrics.label_sets import check_pair
from setwise.nesting import in_label_order, last_step
from setwise.plotting.base.colours import BLUE, GREEN, GREY, PALE, VERMILLION
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.views.text import Names, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LabelScoresDisplay(Display):
    """Precision, recall and F1 of every label, the best on top, with the number of rows that have it.

    Parameters
    ----------
    precision, recall, f1 : arrays of shape (n_labels,)
    support : array of shape (n_labels,)
        Rows that have the label.
    label_names : sequence of str, optional

    Examples
    --------
    >>> display = LabelScoresDisplay.from_predictions([[1, 1], [1, 0]], [[1, 0], [1, 1]], ["sea", "sand"])
    >>> display.f1
    array([1., 0.])
    """

    def __init__(
        self,
        precision: npt.ArrayLike,
        recall: npt.ArrayLike,
        f1: npt.ArrayLike,
        support: npt.ArrayLike,
        label_names: Names = None,
    ) -> None:
        self.precision, self.recall = np.asarray(precision, np.float64), np.asarray(recall, np.float64)
        self.f1, self.support = np.asarray(f1, np.float64), np.asarray(support)
        self.label_names = check_names(label_names, len(self.f1))
        self.order_: Array = np.lexsort((-self.support, -self.f1))

    @classmethod
    def from_predictions(
        cls,
        Y_true: Any,
        Y_pred: Any,
        label_names: Names = None,
        *,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Score and draw predicted sets; a label that is never predicted or never occurs scores 0.

        Parameters
        ----------
        Y_true, Y_pred : array, DataFrame or CSR of shape (n, L)
            True and predicted label sets.
        label_names : sequence of str, optional
            By default the columns of a DataFrame ``Y_true``, else numbers.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        LabelScoresDisplay

        Examples
        --------
        >>> LabelScoresDisplay.from_predictions([[1, 1], [1, 0]], [[1, 0], [1, 1]]).recall
        array([1., 0.])
        """
        label_names = column_names(Y_true) if label_names is None else label_names
        truth, prediction = (to_dense(Y) for Y in check_pair(Y_true, Y_pred)[:2])
        if truth.shape[1] == 1:  # scikit-learn would treat the two values of a single label as two labels
            truth, prediction = truth[:, 0], prediction[:, 0]
        precision, recall, f1, support = precision_recall_fscore_support(
            truth, prediction, labels=[True] if truth.ndim == 1 else None, zero_division=0
        )
        return cls(precision, recall, f1, support, label_names)._plot_if(plot, ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, Y: Any, *, ax: Axes | None = None, plot: bool = True
    ) -> Self:
        """Score and draw the predictions of a fitted estimator for rows that it has not seen.

        Parameters
        ----------
        estimator : fitted estimator, pipeline or search
            An estimator with ``predict``.
        X : array or DataFrame of shape (n, d)
            Rows that it was not fitted to.
        Y : array, DataFrame or CSR of shape (n, L)
            Their labels.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        LabelScoresDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import BinaryRelevance
        >>> X = np.r_[np.linspace(-2, -1, 20), np.linspace(1, 2, 20)][:, None]
        >>> Y = np.hstack([X > 0, X < 0]).astype(int)
        >>> model = BinaryRelevance(l2=1.0).fit(X[::2], Y[::2])
        >>> LabelScoresDisplay.from_estimator(model, X[1::2], Y[1::2]).f1
        array([1., 1.])
        """
        names = getattr(last_step(estimator), "label_names_", None)
        return cls.from_predictions(
            in_label_order(estimator, Y), estimator.predict(X), names, ax=ax, plot=plot
        )

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max(len(plain(name)) for name in self.label_names)
        return 4.4 + 0.075 * longest, 1.2 + 0.19 * len(self.f1)

    def _draw(self, ax: Axes) -> None:
        y = np.arange(len(self.f1))
        precision, recall, f1 = (v[self.order_] for v in (self.precision, self.recall, self.f1))
        ax.hlines(y, np.minimum(precision, recall), np.maximum(precision, recall), color=PALE, linewidth=2)
        ax.plot(precision, y, ">", color=VERMILLION, markersize=5, label="precision")
        ax.plot(recall, y, "<", color=GREEN, markersize=5, label="recall")
        ax.plot(f1, y, "o", color=BLUE, markersize=5, label="F1")
        ax.set_yticks(y, [plain(self.label_names[j]) for j in self.order_])
        for line, label in enumerate(self.order_):
            ax.text(1.04, line, f"{self.support[label]:,}", va="center", color=GREY, fontsize="small")
        ax.text(1.04, -0.9, "rows", va="center", color=GREY, fontsize="small")
        ax.set(xlim=(-0.02, 1.02), ylim=(len(y) - 0.5, -0.6))
        ax.grid(axis="x", alpha=0.3)
        ax.tick_params(axis="y", length=0)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2)
