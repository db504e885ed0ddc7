"""Epsilon-approximate search: finds every set of probability at least epsilon, with at most 1/epsilon open prefixes.

K. Dembczynski, W. Waegeman and E. Huellermeier, "An analysis of chaining in multi-label classification", ECAI
2012. As there, prefixes below epsilon are not branched but followed greedily.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import Labels, TopK
from setwise.inference.chains.conditionals import Conditionals
from setwise.inference.chains.levels import search_levels


@dataclass(frozen=True)
class Epsilon:
    """Branch the prefixes of probability at least ``epsilon``; finds the mode if it is as probable as that.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.array([[3.0, -3.0]]), np.zeros((2, 2)))
    >>> Epsilon(0.25)(chain, np.full((1, 2), -1, dtype=np.int8)).certified
    array([ True])
    """

    epsilon: float = 2.0**-6

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"epsilon is {self.epsilon}; expected a probability above 0 and at most 1")

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` best sets; see :class:`ChainSearch`. Certified if no dropped prefix was better."""
        width = int(np.ceil(1.0 / self.epsilon)) + k
        log_epsilon = float(np.log(self.epsilon))
        return search_levels(
            conditionals, evidence, k, width=width, log_epsilon=log_epsilon, min_labels=min_labels
        )
