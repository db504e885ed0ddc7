"""The rounds of a comparison: in each, some rows are held out and judged by models of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.contract import Array, Labels, Matrix
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys, shuffle_by_key

MAX_HELD_OUT = 500
"""Largest number of rows that a round holds out: they are enough to compare candidates, and more take longer."""
ENOUGH = 400
"""Judged rows that a candidate needs to be chosen, if there are as many."""
JUDGED = 600
"""Judged rows below which the folds are repeated: in small data a wrong choice costs most."""
MAX_REPEATS = 3


class Round(NamedTuple):
    """Training rows in the order in which fits to fewer take them, and held-out rows."""

    train: Array
    held_out: Array

    def first(self, n_rows: int) -> Array:
        """The first training rows, in the order of the data."""
        return np.sort(self.train[:n_rows])


class Rounds:
    """All rounds of a comparison, made when they are asked for.

    Every row is held out once by ``n_folds`` rounds. Repetitions have one fold more each, which parts the rows in
    another way. Many rows are parted into more folds, of which the first ``n_folds`` are used.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> rounds = Rounds(X, (X > 0).astype(np.int8), 5)
    >>> len(rounds), rounds.needed
    (18, 18)
    """

    def __init__(self, X: Matrix, Y: Labels, n_folds: int) -> None:
        n = X.shape[0]
        repeats = int(np.clip(-(-JUDGED // max(n, 1)), 1, MAX_REPEATS))
        most = max(n_folds, -(-n // MAX_HELD_OUT))
        parts = [row_folds(X, most + extra, outer=True) for extra in range(repeats)]
        self.folds = [part for part in parts if part is not None]
        self.places = [
            (part, fold)
            for part, folds in enumerate(self.folds)
            for fold in range(n_folds if part == 0 else folds.max() + 1)
        ]
        self.order = shuffle_by_key(example_keys(X, Y), 0)
        self.held_out_rows = -(-n // most)
        self.needed = min(len(self.places), -(-ENOUGH // self.held_out_rows))

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> Round:
        part, fold = self.places[number]
        held_out = self.folds[part] == fold
        return Round(self.order[~held_out[self.order]], np.flatnonzero(held_out))
