"""Exhaustive search: every label set, with shared prefixes (PCC).

K. Dembczynski, W. Cheng and E. Huellermeier, "Bayes optimal multilabel classification via probabilistic classifier
chains", ICML 2010.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.blocks import row_slices
from setwise.contract import FREE, Labels, NotTractable, TopK
from setwise.inference.chains.conditionals import Conditionals
from setwise.inference.chains.levels import search_levels
from setwise.limits import LISTED_LABELS

CELLS_PER_SET = 4
"""Numbers that a search holds for an open set."""


@dataclass(frozen=True)
class Exhaustive:
    """Score every set that agrees with the evidence; always certified. For at most 20 labels that were not observed.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.array([[3.0, -3.0]]), np.zeros((2, 2)))
    >>> Exhaustive()(chain, np.full((1, 2), -1, dtype=np.int8), k=4).log_prob.round(2)
    array([[-0.1, -3.1, -3.1, -6.1]])
    """

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` most probable sets; see :class:`ChainSearch`."""
        free = int((evidence == FREE).sum(axis=1).max(initial=0))
        if free > LISTED_LABELS:
            raise NotTractable(
                f"2^{free} label sets are too many to search exhaustively (at most {LISTED_LABELS} labels); "
                "search='best_first' is exact too"
            )
        parts = [
            search_levels(conditionals.take(rows), evidence[rows], k, width=2**free, min_labels=min_labels)
            for rows in row_slices(len(evidence), CELLS_PER_SET * 2**free)
        ]
        return TopK(*(np.concatenate(column) for column in zip(*parts)))
