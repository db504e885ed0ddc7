"""Figure 2 of the CBM paper: the heaviest components of one row, whose set the marginals miss."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from setwise.contract import Floats, Labels
from setwise.datasets import Dataset, available, load
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.evaluation.comparison import Comparison
from setwise.evaluation.runner import Cell
from setwise.papers.printed import Paper
from setwise.views import Table

SHOWN = 4
"""Number of components, as in the paper."""


class Row(NamedTuple):
    """A test row: its components, its true set, and the labels with marginals above one half."""

    data: str
    number: int
    gate: Floats
    marginals: Floats
    truth: Labels
    likely: Labels
    label_names: npt.NDArray[np.object_]


@dataclass(frozen=True)
class RowFigure:
    """The components of a row of the first of some data sets that is here; drawn without a journal.

    Parameters
    ----------
    title : str
    data : tuple of str
        By the paper's names.
    components : int
    """

    title: str
    data: tuple[str, ...]
    components: int = 10
    curve = False

    def cells(self, paper: Paper, *, quick: bool = False) -> list[Cell]:
        """No cells: one fit takes seconds."""
        return []

    def on(self, data: Container[str]) -> Self:
        """The same figure on some of its data sets."""
        return type(self)(self.title, tuple(name for name in self.data if name in data), self.components)

    @cached_property
    def row(self) -> Row | None:
        """The test row that is shown, or None without data."""
        here = set(available())
        names = [name for name in self.data if name in here]
        return _clearest(load(names[0]), self.components) if names else None

    def table(self, result: Comparison) -> Table:
        """The probabilities of the labels that matter, in all and in each of the heaviest components."""
        if self.row is None:
            return Table(self.title, ["label"], [], ["no data set of this figure is on this machine"])
        row = self.row
        heaviest = np.argsort(-row.gate, kind="stable")[:SHOWN]
        overall = row.gate @ row.marginals
        shown = np.flatnonzero((overall > 0.05) | (row.truth == 1))
        lines = [
            [row.label_names[j], *(f"{p:.2f}" for p in (overall[j], *row.marginals[heaviest, j]))]
            for j in shown
        ]
        heads = ["label", "all", *(f"{row.gate[k]:.0%}" for k in heaviest)]
        return Table(self.title, heads, lines, [_note(row)])


def _clearest(data: Dataset, components: int) -> Row:
    """Fit a mixture to the training part; choose the likeliest true set that it answers and its marginals miss."""
    train, test = data.train(), data.test()
    mixture = ConditionalBernoulliMixture.as_published(components, random_state=0).fit(train.X, train.Y)
    Y = np.asarray(test.Y)
    likely = (mixture.predict_proba(test.X) > 0.5).astype(np.int8)
    found = (mixture.predict(test.X) == Y).all(axis=1) & (likely != Y).any(axis=1)
    number = int(np.where(found, mixture.log_prob(test.X, Y), -np.inf).argmax())
    inside = mixture.components(test.X[number : number + 1])
    names = np.asarray(data.label_names, object)
    return Row(data.name, number, inside.gate[0], inside.marginals[0], Y[number], likely[number], names)


def _note(row: Row) -> str:
    named = [", ".join(row.label_names[y == 1]) or "none" for y in (row.truth, row.likely)]
    return (
        f"row {row.number} of the test part of {row.data}: the most probable set is the true one, {named[0]}; the "
        f"labels with a probability above one half are not: {named[1]}"
    )
