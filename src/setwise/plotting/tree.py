"""The forest over the labels as an outline: every label on its own line below its parent."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Array, Floats
from setwise.distributions import ForestMixture, SeenSets
from setwise.nesting import last_step, opened
from setwise.plotting.base.colours import BLUE, GREY, PALE, VERMILLION
from setwise.plotting.base.display import Display
from setwise.plotting.base.names import plain
from setwise.plotting.base.rows import joint_and_names, spread_rows
from setwise.views.text import Names, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_ROWS = 1000
"""Rows over which the strength of an edge is averaged."""
ROOT = -1
INDENT = 0.35
LINE = 0.19
"""Indent of a level of the outline, and distance between lines, in inches."""


class TreeDisplay(Display):
    """The dependence of each label on its parent, and its strength.

    It is an outline rather than a graph, so that a hundred labels are as readable as six. The wider the
    line to a label, the more strongly it depends on its parent. Blue lines attract, orange ones repel, grey
    ones have no known strength. Labels without any edge are listed below.

    Parameters
    ----------
    parents : array of shape (n_labels,)
        Parent of each label, -1 for a root.
    strength : array of shape (n_labels,), optional
        Signed strength of the edge to each label; values of roots are ignored.
    label_names : sequence of str, optional
    strength_name : str
        Name of the strength.
    title : str

    Examples
    --------
    >>> display = TreeDisplay([-1, 0, 0], [0.0, 2.1, -1.3], ["sea", "sand", "city"]).plot()
    >>> display.order_.tolist()
    [0, 1, 2]
    """

    def __init__(
        self,
        parents: npt.ArrayLike,
        strength: npt.ArrayLike | None = None,
        label_names: Names = None,
        *,
        strength_name: str = "strength",
        title: str = "",
    ) -> None:
        self.parents = np.asarray(parents, dtype=np.intp)
        self.label_names = check_names(label_names, len(self.parents))
        self.strength = None if strength is None else np.asarray(strength, dtype=np.float64)
        if self.strength is not None and self.strength.shape != self.parents.shape:
            raise ValueError(f"strength has shape {self.strength.shape}; expected {self.parents.shape}")
        self.strength_name, self.title = strength_name, title
        self.order_, self.depth_ = _outline(self.parents, self._size_of_edges())
        linked = np.isin(np.arange(len(self.parents)), self.parents) | (self.parents != ROOT)
        self._alone = [j for j in self.order_ if not linked[j]]
        self._lines = [j for j in self.order_ if linked[j]]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        component: int = 0,
        ax: Axes | None = None,
        plot: bool = True,
    ) -> Self:
        """Draw the forest of a fitted tree, or of one component of a mixture of trees.

        Parameters
        ----------
        estimator : fitted ConditionalTree, MixtureOfTrees or MixtureOfTreeExperts, or a pipeline ending in one
            Its ``parents_`` are drawn.
        X : array of shape (n, d), optional
            Rows to average over. The strength of an edge is then what the parent adds to the
            label's log-odds if it is on. Without rows, and for a single tree, it is what the edge adds to the held-out
            log-likelihood.
        component : int
            Which component of a mixture.
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.
        plot : bool
            False keeps the data without drawing, for :meth:`plot` or :meth:`to_svg` later.

        Returns
        -------
        TreeDisplay

        Examples
        --------
        >>> from setwise import ConditionalTree
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> Y = np.repeat((X[:, :1] > 0).astype(int), 2, axis=1)
        >>> display = TreeDisplay.from_estimator(ConditionalTree(l2=1.0).fit(X, Y), X)
        >>> display.strength_name
        'log-odds added when the label above is on'
        """
        model, features = (last_step(estimator), None) if X is None else opened(estimator, X)
        if not hasattr(model, "parents_"):
            raise TypeError(
                f"{type(model).__name__} has no tree of labels; ConditionalTree and MixtureOfTrees do"
            )
        every = np.atleast_2d(model.parents_)
        if not 0 <= component < len(every):
            raise ValueError(f"component is {component}; the model has {len(every)}")
        parents, names = every[component], model.label_names_
        strength, strength_name = _strength(model, features, component, parents)
        title = "" if len(every) == 1 else f"Component {component + 1} of {len(every)}"
        display = cls(parents, strength, names, strength_name=strength_name, title=title)
        return display._plot_if(plot, ax)

    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        longest = max(len(plain(name)) for name in self.label_names)
        width = max(4.5, INDENT * self.depth_.max() + 0.075 * longest + 1.6)
        return width, 1.0 + LINE * (len(self._lines) + len(self._footer()))

    def _draw(self, ax: Axes) -> None:
        height = {label: -line for line, label in enumerate(self._lines)}
        scale = max(1e-12, np.abs(self._size_of_edges()[self.parents != ROOT]).max(initial=0.0))
        for label, y in height.items():
            x = self.depth_[label]
            if self.parents[label] != ROOT:
                self._draw_edge(ax, label, height[self.parents[label]], y, scale)
            ax.plot(x, y, "o", color="black", markersize=3)
            ax.text(x + 0.25, y, self._line(label), va="center")
        for line, text in enumerate(self._footer(), start=len(self._lines)):
            ax.text(-0.2, -line - 0.5, text, va="center", color=GREY)
        lines = len(self._lines) + len(self._footer())
        ax.set(xlim=(-0.3, self.size()[0] / INDENT - 1), ylim=(-lines, 1))
        ax.set_axis_off()
        ax.set_title(self._heading())

    def _draw_edge(self, ax: Axes, label: int, top: float, y: float, scale: float) -> None:
        x = self.depth_[label]
        ax.plot([x - 1, x - 1], [top, y], color=PALE, linewidth=1, zorder=0)
        colour, width = GREY, 0.8
        if self.strength is not None:
            colour = BLUE if self.strength[label] >= 0 else VERMILLION
            width += 4.0 * abs(self.strength[label]) / scale
        ax.plot([x - 1, x], [y, y], color=colour, linewidth=width, solid_capstyle="butt")

    def _line(self, label: int) -> str:
        name = plain(self.label_names[label])
        if self.strength is None or self.parents[label] == ROOT:
            return name
        return f"{name}\N{EN SPACE}\N{EN SPACE}{self.strength[label]:+.2g}"

    def _heading(self) -> str:
        explained = "" if self.strength is None else f"numbers: {self.strength_name}"
        return "\n".join(line for line in (plain(self.title, 80), explained) if line)

    def _footer(self) -> list[str]:
        if not self._alone:
            return []
        names = ", ".join(self.label_names[j] for j in self._alone)
        return [plain(line, 80) for line in textwrap.wrap(f"Without edges: {names}", 72)]

    def _size_of_edges(self) -> Floats:
        return np.ones(len(self.parents)) if self.strength is None else np.abs(self.strength)


def _strength(model: Any, X: Any, component: int, parents: Array) -> tuple[Floats | None, str]:
    if X is None and hasattr(model, "gains_"):
        gains = model.gains_[parents, np.arange(len(parents))]
        return np.where(parents == ROOT, 0.0, gains), "held-out log-likelihood the edge adds"
    if X is None:
        return None, ""
    joint, _ = joint_and_names(model, spread_rows(X, MAX_ROWS))
    joint = joint.joint if isinstance(joint, SeenSets) else joint
    assert isinstance(joint, ForestMixture)
    logits = joint.forests.logits[:, component].astype(np.float64)
    if logits.shape[2] == 1:
        return np.zeros(len(parents)), "no edges"
    return (logits[:, :, 1] - logits[:, :, 0]).mean(axis=0), "log-odds added when the label above is on"


def _outline(parents: Array, strength: Floats) -> tuple[Array, Array]:
    """Labels in the order of the outline, strongest children and largest trees first, and their depths."""
    n = len(parents)
    children: list[list[int]] = [[] for _ in range(n)]
    for label in np.argsort(-strength, kind="stable"):
        if parents[label] != ROOT:
            children[parents[label]].append(int(label))
    order, depth, seen = [], np.zeros(n, dtype=np.intp), np.zeros(n, dtype=bool)
    trees = []
    for root in np.flatnonzero(parents == ROOT):
        tree, stack = [], [int(root)]
        while stack:
            label = stack.pop()
            seen[label] = True
            tree.append(label)
            depth[children[label]] = depth[label] + 1
            stack.extend(reversed(children[label]))
        trees.append(tree)
    if not seen.all():
        raise ValueError(f"label {int(np.argmin(seen))} is on a cycle of parents")
    for tree in sorted(trees, key=len, reverse=True):
        order.extend(tree)
    return np.array(order, dtype=np.intp), depth
