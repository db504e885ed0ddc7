"""Random numbers of rows that follow from their content and a seed."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array
from setwise.random_bits import keys

POOL = 1 << 12
"""Size of the pool of draws from which rows choose by their keys; this is fast for any distribution."""


def draw_by_key(rows: Array, pool: Array, rng: np.random.Generator) -> Array:
    """Choose one entry of a ``pool`` of random draws for each of the rows with keys ``rows`` (n,).

    Equal rows draw the same entry, so a row of weight two draws as two copies do. Another call makes other choices.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> draw_by_key(np.array([7, 4, 7], np.uint64), rng.poisson(1.0, POOL), rng)
    array([0, 2, 0])
    """
    return np.asarray(pool[keys(rows, int(rng.integers(2**62))) % np.uint64(len(pool))])


def bootstrap_counts(rows: Array, rng: np.random.Generator) -> Array:
    """Draw how often each of the rows with keys ``rows`` (n,) is in a bootstrap sample.

    The counts are Poisson numbers, the limit of a bootstrap's counts; never all are zero.

    Examples
    --------
    >>> import numpy as np
    >>> bootstrap_counts(np.array([7, 4, 7], np.uint64), np.random.default_rng(0))
    array([0, 2, 0])
    """
    counts = draw_by_key(rows, rng.poisson(1.0, POOL), rng)
    return counts if counts.any() else np.ones_like(counts)
