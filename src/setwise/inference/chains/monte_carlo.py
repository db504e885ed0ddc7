"""Monte Carlo search: the most probable of some draws and of the greedy set.

J. Read, L. Martino and D. Luengo, "Efficient Monte Carlo methods for multi-dimensional learning with classifier
chains", Pattern Recognition 47, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import FREE, Labels, TopK
from setwise.inference.chains.conditionals import (
    Conditionals,
    log_prob,
    row_numbers,
    sample,
)
from setwise.inference.chains.levels import search_levels
from setwise.inference.sets.candidates import ROUNDING, best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.limits import SEARCH_DRAWS


@dataclass(frozen=True)
class MonteCarlo:
    """Take the best of ``n_draws`` sets drawn from the chain, never a worse one than the greedy set.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.array([[3.0, -3.0]]), np.zeros((2, 2)))
    >>> MonteCarlo(20)(chain, np.full((1, 2), -1, dtype=np.int8)).labels
    array([[[1, 0]]], dtype=int8)
    """

    n_draws: int = SEARCH_DRAWS
    seed: int = 0

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` best sets; see :class:`ChainSearch`.

        The gap is the one to a set that has all the probability not seen.
        """
        n, L = conditionals.shape
        uniforms = row_numbers(conditionals, self.seed).random((n, self.n_draws, L))
        draws, _, _ = sample(conditionals, evidence, uniforms)
        value = log_prob(conditionals, draws)
        value[draws.sum(axis=2) < min_labels] = -np.inf
        greedy = search_levels(conditionals, evidence, k, width=k, min_labels=min_labels)
        sets = np.concatenate([greedy.labels, draws], axis=1)
        labels, best = best_distinct(sets, np.concatenate([greedy.log_prob, value], axis=1), k)
        seen = np.exp(best).sum(axis=1)
        rest = np.log(np.maximum(1.0 - seen, ROUNDING))
        bound = np.minimum(rest, upper_bound(greedy))
        bound[(labels[:, 0] == FREE).all(axis=1)] = -np.inf
        return certify(labels, best, bound)
