"""Correlation of labels overall, and given the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from setwise.blocks import row_slices
from setwise.contract import Array, Floats
from setwise.distributions import LabelDistribution
from setwise.kernels.matrices import to_dense
from setwise.nesting import in_label_order
from setwise.plotting.base.colours import SIGNED
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.plotting.base.rows import joint_and_names, one_row, spread_rows
from setwise.views.text import Names, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS = 500
"""Maximum number of rows over which the correlation given x is averaged."""


class LabelCorrelationDisplay(Display):
    """A matrix of two triangles: the correlation given x above the diagonal, the overall one below it.

    If both are similar for a pair, the features do not explain why the labels occur together; if the upper cell is
    pale, they do. Labels that often occur together are placed next to each other.

    Parameters
    ----------
    given_x : array of shape (n_labels, n_labels)
        Correlation of the labels given x.
    overall : array of shape (n_labels, n_labels)
        Correlation of the labels in the data.
    label_names : sequence of str, optional
    title : str

    Attributes
    ----------
    order_ : ndarray of shape (n_labels,)

    Examples
    --------
    >>> display = LabelCorrelationDisplay([[1, 0.1], [0.1, 1]], [[1, 0.7], [0.7, 1]], ["sea", "sand"]).plot()
    >>> display.order_.shape
    (2,)
    """

    def __init__(
        self,
        given_x: npt.ArrayLike,
        overall: npt.ArrayLike,
        label_names: Names = None,
        *,
        title: str = "",
    ) -> None:
        self.given_x, self.overall = (np.atleast_2d(np.asarray(c, np.float64)) for c in (given_x, overall))
        if self.given_x.shape != self.overall.shape or self.given_x.shape != self.given_x.T.shape:
            raise ValueError(
                f"correlations of shapes {self.given_x.shape} and {self.overall.shape}; expected (L, L) twice"
            )
        self.label_names = check_names(label_names, len(self.overall))
        self.title = title
        self.order_: Array = _clustered(self.overall)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        Y: Any,
        *,
        row: int | None = None,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw the correlation of the labels under a fitted estimator beside that in the data.

        Parameters
        ----------
        estimator : fitted estimator or pipeline
            An estimator with a joint distribution.
        X : array or DataFrame of shape (n, d)
            Rows, as the estimator takes them.
        Y : array, DataFrame or CSR of shape (n, L)
            Their labels.
        row : int, optional
            Draw the correlation given this row of ``X``. By default, the average over at most 500 rows:
            the mean covariance within a row divided by the mean variance within a row.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        LabelCorrelationDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import ConditionalTree
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> Y = np.repeat((X[:, :1] > 0).astype(int), 2, axis=1)
        >>> display = LabelCorrelationDisplay.from_estimator(ConditionalTree(l2=1.0).fit(X, Y), X, Y)
        >>> float(display.overall[0, 1].round(3))
        1.0
        """
        rows = spread_rows(X, MAX_ROWS) if row is None else one_row(X, row)
        joint, names = joint_and_names(estimator, rows)
        where = "given x, mean over rows" if row is None else f"given x of row {row}"
        labels = to_dense(in_label_order(estimator, Y)).astype(np.float64)
        overall = _normalised(np.cov(labels, rowvar=False).reshape(len(names), len(names)))
        display = cls(_within_rows(joint), overall, names, title=f"above: {where}\nbelow: overall")
        return display._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        side = max(2.2, (0.26 if len(self.label_names) <= 40 else 0.14) * len(self.label_names))
        longest = 0.07 * max(len(plain(name, 24)) for name in self.label_names)
        return side + longest + 1.0, side + longest + 0.6

    def _draw(self, ax: Axes) -> None:
        n = len(self.order_)
        square = np.ix_(self.order_, self.order_)
        shown = np.where(np.triu(np.ones((n, n), bool)), self.given_x[square], self.overall[square])
        np.fill_diagonal(shown, np.nan)
        every = np.abs(shown[~np.eye(n, dtype=bool)])
        # one strong pair among thousands must not make all others pale
        limit = max(0.1, min(every.max(), 1.5 * np.quantile(every, 0.99))) if every.size else 1.0
        image = ax.imshow(shown, cmap=SIGNED, vmin=-limit, vmax=limit)
        ax.plot([-0.5, n - 0.5], [-0.5, n - 0.5], color="black", linewidth=0.8)
        names = [plain(self.label_names[j], 24) for j in self.order_]
        size = 9 if n <= 40 else 6.5
        ax.set_xticks(range(n), names, rotation=90, fontsize=size)
        ax.set_yticks(range(n), names, fontsize=size)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.figure.colorbar(
            image,
            ax=ax,
            shrink=0.6 if n <= 40 else 0.25,
            label="correlation",
            extend="both" if every.max(initial=0.0) > limit else "neither",
        )
        ax.set_title("\n".join(plain(line, 80) for line in self.title.splitlines()))


def _within_rows(joint: LabelDistribution) -> Floats:
    """Correlation from the mean over rows of the covariance within a row."""
    total = np.zeros((joint.n_labels, joint.n_labels))
    for rows in row_slices(joint.n_rows, joint.n_labels**2):
        part = joint.take(rows)
        mean = part.marginals()
        total += part.pairwise_marginals().sum(axis=0) - mean.T @ mean
    return _normalised(total / joint.n_rows)


def _normalised(covariance: Floats) -> Floats:
    """Correlation from covariance; 0 if a label does not vary."""
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.outer(deviation, deviation)
    return np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-12)


def _clustered(correlation: Floats) -> Array:
    if len(correlation) < 3:
        return np.arange(len(correlation))
    distance = 1.0 - np.clip((correlation + correlation.T) / 2, -1.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    return np.asarray(
        leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))
    )
