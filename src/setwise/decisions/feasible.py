"""The label sets that are allowed as answers: sizes, fixed labels, implications, exclusions, a list of sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import FREE, Array, Bools, Labels

Literal = tuple[int, int]
"""A label and the value it should have."""


@dataclass(frozen=True)
class Feasible:
    """The label sets of ``n_labels`` labels that are allowed as answers.

    Parameters
    ----------
    n_labels : int
    least, most : int
        Smallest and largest number of labels; ``most=-1`` means no limit.
    fixed : tuple of (label, value)
        Labels whose value is given.
    clauses : tuple of pairs of (label, value)
        At least one of the two must hold: "a implies b" is ``((a, 0), (b, 1))``, "not both a and b" is
        ``((a, 0), (b, 0))``.
    among : ndarray of shape (m, L), optional
        The only sets allowed.

    Examples
    --------
    >>> import numpy as np
    >>> dogs_are_animals = Feasible(2, clauses=(((0, 0), (1, 1)),))
    >>> dogs_are_animals.holds(np.array([[0, 0], [1, 0], [1, 1]]))
    array([ True, False,  True])
    """

    n_labels: int
    least: int = 0
    most: int = -1
    fixed: tuple[Literal, ...] = ()
    clauses: tuple[tuple[Literal, Literal], ...] = ()
    among: Labels | None = None

    @property
    def largest(self) -> int:
        """The largest number of labels allowed."""
        return self.n_labels if self.most < 0 else min(self.most, self.n_labels)

    @property
    def evidence(self) -> Labels:
        """The fixed labels as evidence (L,)."""
        row = np.full(self.n_labels, FREE, dtype=np.int8)
        for label, value in self.fixed:
            row[label] = value
        return row

    def holds(self, sets: Labels) -> Bools:
        """Whether each of the sets (..., L) is allowed, (...)."""
        size, evidence = sets.sum(axis=-1), self.evidence
        fits = (size >= self.least) & (size <= self.largest)
        fits &= ((sets == evidence) | (evidence == FREE)).all(axis=-1)
        if self.among is not None:
            fits &= np.isin(_as_one(sets), _as_one(self.among))
        return np.asarray(fits & ~self.violated(sets).any(axis=-1))

    def violated(self, sets: Labels) -> Bools:
        """Which clauses (..., C) each of the sets (..., L) breaks."""
        label, value = self.arrays
        return np.asarray((sets[..., label] != value).all(axis=-1))

    @property
    def arrays(self) -> tuple[Array, Array]:
        """Labels (C, 2) and values (C, 2) of the clauses."""
        table = np.array(self.clauses, dtype=np.intp).reshape(-1, 2, 2)
        return table[:, :, 0], table[:, :, 1]


def _as_one(sets: Labels) -> Array:
    """Encode each of the sets (..., L) as one value (...)."""
    packed = np.ascontiguousarray(np.packbits(sets.astype(np.bool_), axis=-1))
    return packed.view(f"V{packed.shape[-1]}")[..., 0]
