"""Answers under constraints: sizes, labels that must or must not be there, implications, exclusions, a list of sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise.contract import Array, Decided, Floats, Joint, Labels, in_order
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import check_feasible
from setwise.decisions.named import resolve
from setwise.decisions.rule import Rule

Label = str | int


@dataclass(frozen=True)
class Constrained(Rule):
    """The best answer among those that satisfy constraints. The distribution itself does not change.

    Parameters
    ----------
    decision : str or rule
        The loss.
    contains, excludes : labels, by name or number
        Labels that every answer must have, and labels that no answer may have.
    min_labels, max_labels : int
        Limits on the number of labels; ``max_labels=None`` means no limit.
    implies : pairs of labels
        With ``("dog", "animal")``, an answer that has the first label must have the second. A hierarchy is the list of
        its edges from child to parent.
    exclusive : groups of labels
        An answer has at most one label of each group.
    among : array or DataFrame of shape (m, L), optional
        The only sets allowed, for example a catalogue, or the label sets of the training rows. The expected loss of
        each is computed, which costs about m calls of ``log_prob``. The columns of a DataFrame are matched by name.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent([[2.0, -1.0, -3.0]])
    >>> joint.decide(Constrained("subset", implies=[(0, 1)])).labels
    array([[1, 1, 0]], dtype=int8)
    >>> joint.decide(Constrained("hamming", contains=[2], exclusive=[(0, 2)])).labels
    array([[0, 0, 1]], dtype=int8)
    >>> joint.decide(Constrained("f1", among=[[0, 0, 1], [0, 1, 1], [1, 1, 1]])).labels
    array([[1, 1, 1]], dtype=int8)
    """

    decision: str | Rule = "subset"
    contains: Sequence[Label] = ()
    excludes: Sequence[Label] = ()
    min_labels: int = 0
    max_labels: int | None = None
    implies: Sequence[tuple[Label, Label]] = ()
    exclusive: Sequence[Sequence[Label]] = ()
    among: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("contains", "excludes"):
            _check_group(name, getattr(self, name), f"a list of labels, as in {name}=['a', 'b']")
        _check_pairs(self.implies)
        if isinstance(self.exclusive, (str, int)):
            raise ValueError(
                f"exclusive is {self.exclusive!r}; expected groups of labels, as in [('a', 'b')]"
            )
        for group in self.exclusive:
            _check_group("exclusive", group, "groups of labels, as in exclusive=[('a', 'b', 'c')]")

    @property
    def whole_batch(self) -> bool:
        """Whether ``decision`` is about all rows together."""
        return resolve(self.decision).whole_batch

    def loss(self, truth: Any, answer: Any) -> Floats:
        """The loss of ``decision``."""
        return resolve(self.decision).loss(truth, answer)

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers that satisfy the constraints."""
        both = self._joined(feasible, distribution)
        check_feasible(both)
        return resolve(self.decision).within(distribution, both)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        return self.within(distribution, feasible)

    def _joined(self, other: Feasible, distribution: Joint) -> Feasible:
        index = distribution.label_index
        most = other.largest if self.max_labels is None else min(other.largest, self.max_labels)
        implied = [((index(a), 0), (index(b), 1)) for a, b in self.implies]
        pairs = [pair for group in self.exclusive for pair in itertools.combinations(group, 2)]
        excluded = [((index(a), 0), (index(b), 0)) for a, b in pairs]
        on, off = ([(index(name), value) for name in names] for names, value in self._fixed())
        fixed = (*other.fixed, *on, *off)
        clash = {label for label, value in fixed if (label, 1 - value) in fixed}
        if clash or most < max(self.min_labels, other.least) or most < 0:
            raise ValueError(
                f"{self!r} leaves no answer: "
                + (
                    f"label {min(clash)} is both contained and excluded"
                    if clash
                    else f"it needs at least {max(self.min_labels, other.least)} and at most {most} labels"
                )
            )
        return Feasible(
            other.n_labels,
            max(self.min_labels, other.least),
            most,
            fixed,
            (*other.clauses, *implied, *excluded),
            self._listed(other, distribution.label_names),
        )

    def _listed(self, other: Feasible, names: Array | None) -> Labels | None:
        """The distinct sets of ``among`` (m, L); if the other constraints list sets too, those in both lists."""
        if self.among is None:
            return other.among
        sets = np.asarray(in_order(self.among, names, "among"))
        if sets.ndim != 2 or sets.shape[1] != other.n_labels:
            raise ValueError(
                f"among has shape {sets.shape}; expected a column for each of the {other.n_labels} labels"
            )
        wrong = np.argwhere(~np.isin(sets, (0, 1)))
        if len(wrong):
            row, label = wrong[0]
            raise ValueError(f"among[{row}, {label}] is {sets[row, label]!s}; expected 0 or 1")
        distinct = np.unique(sets.astype(np.int8), axis=0)
        return distinct if other.among is None else distinct[other.holds(distinct)]

    def _fixed(self) -> list[tuple[Sequence[Label], int]]:
        return [(self.contains, 1), (self.excludes, 0)]


@dataclass(frozen=True)
class Sizes(Rule):
    """The best answer with ``least`` to ``most`` labels; ``Sizes(3, 3)`` returns exactly three.

    Parameters
    ----------
    least, most : int
        Smallest and largest number of labels.
    decision : str or rule, default="subset"
        The loss.

    Examples
    --------
    >>> from setwise.distributions import ForestMixture
    >>> joint = ForestMixture.independent([[2.0, -1.0, -3.0]])
    >>> joint.decide(Sizes(2, 2)).labels
    array([[1, 1, 0]], dtype=int8)
    """

    least: int
    most: int
    decision: str | Rule = "subset"

    @property
    def whole_batch(self) -> bool:
        """Whether ``decision`` is about all rows together."""
        return resolve(self.decision).whole_batch

    def loss(self, truth: Any, answer: Any) -> Floats:
        """The loss of ``decision``."""
        return resolve(self.decision).loss(truth, answer)

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers of these sizes."""
        rule = Constrained(self.decision, min_labels=self.least, max_labels=self.most)
        return rule.within(distribution, feasible)

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        return self.within(distribution, feasible)


def _check_group(name: str, group: Any, expected: str) -> None:
    """Raise a ValueError for a bare label, which Python would read as a list of letters."""
    if isinstance(group, (str, int)):
        raise ValueError(f"{name} has the bare label {group!r}; expected {expected}")


def _check_pairs(implies: Any) -> None:
    for pair in [implies] if isinstance(implies, (str, int)) else implies:
        if isinstance(pair, (str, int)) or len(pair) != 2:
            raise ValueError(
                f"implies has {pair!r}; expected pairs of labels, as in implies=[('dog', 'animal')]: an answer with "
                "the first label has the second"
            )
