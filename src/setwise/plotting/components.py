"""The components of a mixture in one row, as in Figure 2 of the CBM paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array
from setwise.nesting import opened
from setwise.plotting.base.colours import PROBABILITY, VERMILLION
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.plotting.base.rows import one_row
from setwise.views.text import Names, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComponentsDisplay(Display):
    """The weights of a row's components and the label probabilities of each.

    The first column is the mixture, the others its heaviest components. Only the labels that matter to
    the row are shown; the title says how much is left out.

    Parameters
    ----------
    gate : array of shape (n_components,)
        Weights of the components.
    marginals : array of shape (n_components, n_labels)
        P(y_j = 1 | x) of each component.
    label_names : sequence of str, optional
    truth : array of shape (n_labels,), optional
        The row's true set; its labels are marked.
    max_components, max_labels : int
        How many are shown at most.

    Attributes
    ----------
    components_, labels_ : ndarray
        Those shown, the heaviest first.

    Examples
    --------
    >>> display = ComponentsDisplay([0.25, 0.75], [[0.1, 0.9], [0.8, 0.7]], ["sea", "sand"]).plot()
    >>> display.components_, display.labels_
    (array([1, 0]), array([1, 0]))
    """

    def __init__(
        self,
        gate: npt.ArrayLike,
        marginals: npt.ArrayLike,
        label_names: Names = None,
        *,
        truth: npt.ArrayLike | None = None,
        max_components: int = 6,
        max_labels: int = 20,
    ) -> None:
        self.gate, self.marginals = np.asarray(gate, np.float64), np.asarray(marginals, np.float64)
        if self.gate.ndim != 1 or self.marginals.ndim != 2 or len(self.gate) != len(self.marginals):
            raise ValueError(
                f"gate has shape {self.gate.shape} and marginals {self.marginals.shape}; expected (K,) and (K, L)"
            )
        self.label_names = check_names(label_names, self.marginals.shape[1])
        self.truth = None if truth is None else np.asarray(truth)
        self.components_: Array = np.argsort(-self.gate, kind="stable")[:max_components]
        weight = self.gate @ self.marginals
        self.labels_: Array = np.argsort(-weight, kind="stable")[:max_labels]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        row: int = 0,
        truth: npt.ArrayLike | None = None,
        max_components: int = 6,
        max_labels: int = 20,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw the components of one row in a fitted mixture.

        Parameters
        ----------
        estimator : fitted mixture, or a pipeline or search ending in one
            An estimator with the method ``components``.
        X : array or DataFrame of shape (n, d)
            Rows, as the estimator takes them.
        row : int
            Which row of ``X``.
        truth : array of shape (n_labels,), optional
            The row's true set; its labels are marked.
        max_components, max_labels : int
            How many are shown at most.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        ComponentsDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import ConditionalBernoulliMixture
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> model = ConditionalBernoulliMixture(2, l2=1.0, gate_l2=1.0, tuning=False, max_iter=2, random_state=0)
        >>> display = ComponentsDisplay.from_estimator(model.fit(X, (X > 0).astype(int)), X, row=3)
        >>> display.marginals.shape
        (2, 2)
        """
        model, features = opened(estimator, one_row(X, row))
        if not hasattr(model, "components"):
            raise TypeError(f"{type(model).__name__} has no components; the mixtures do")
        inside = model.components(features)
        return cls(
            inside.gate[0],
            inside.marginals[0],
            model.label_names_,
            truth=truth,
            max_components=max_components,
            max_labels=max_labels,
        )._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max(len(plain(self.label_names[j])) for j in self.labels_)
        columns = len(self.components_) + 1
        return max(3.8, 0.8 + 0.62 * columns) + 0.075 * longest, 1.2 + 0.24 * len(self.labels_)

    def _draw(self, ax: Axes) -> None:
        overall = self.gate @ self.marginals
        shown = np.column_stack([overall, self.marginals[self.components_].T])[self.labels_]
        ax.imshow(shown, cmap=PROBABILITY, vmin=0.0, vmax=1.0, aspect="auto")
        for (i, j), value in np.ndenumerate(shown):
            colour = "white" if value > 0.6 else "black"
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize="small")
        ax.axvline(0.5, color="white", linewidth=4)
        heads = ["all", *(f"{self.gate[k]:.0%}" for k in self.components_)]
        ax.set_xticks(range(len(heads)), heads)
        ax.xaxis.tick_top()
        ax.set_yticks(range(len(self.labels_)), [plain(self.label_names[j]) for j in self.labels_])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        self._mark_truth(ax)
        ax.set_title(self._title())

    def _mark_truth(self, ax: Axes) -> None:
        if self.truth is None:
            return
        for tick, label in zip(ax.get_yticklabels(), self.labels_):
            if self.truth[label] == 1:
                tick.set(color=VERMILLION, fontweight="bold")

    def _title(self) -> str:
        weight = self.gate[self.components_].sum()
        lines = ["P(label | x): all, and the components by weight"]
        if len(self.components_) < len(self.gate):
            lines.append(
                f"{len(self.components_)} of {len(self.gate)} components, {weight:.0%} of the weight"
            )
        if len(self.labels_) < len(self.label_names):
            lines.append(f"the {len(self.labels_)} most probable of {len(self.label_names)} labels")
        if self.truth is not None:
            lines.append("bold: the true set")
        return "\n".join(lines)
