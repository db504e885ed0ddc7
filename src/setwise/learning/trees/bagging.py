"""Which training rows each tree of a decision forest sees: chosen by the content of a row."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Array, Bools
from setwise.random_bits import keys

BAG_SHARE = 0.632
"""Share of the rows in a tree's bag: as many as a bootstrap sample has distinct rows."""


def tree_seeds(seed: int, first: int, n_trees: int) -> Array:
    """Seeds (n_trees,) of the trees from number ``first`` on."""
    numbers = np.arange(first + 1, first + n_trees + 1, dtype=np.uint64)
    return keys(numbers, seed + 1)


def bags(row_keys: Array, seeds: Array) -> Bools:
    """Draw the rows (T, n) of each tree; rows with equal keys are in the same bags.

    A bag without any row takes all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.random_bits import keys
    >>> in_bag = bags(keys(np.arange(1000, dtype=np.uint64), 7), tree_seeds(0, 0, 3))
    >>> bool((abs(in_bag.mean(axis=1) - BAG_SHARE) < 0.05).all())
    True
    """
    limit = np.uint64(int(BAG_SHARE * 2**64))
    in_bag = np.stack([keys(row_keys ^ seed, 1) < limit for seed in seeds])
    in_bag[~in_bag.any(axis=1)] = True
    return np.asarray(in_bag)
