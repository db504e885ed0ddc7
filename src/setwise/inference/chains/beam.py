"""Beam search: the best few prefixes of every length are kept.

A. Kumar, S. Vembu, A. K. Menon and C. Elkan, "Beam search algorithms for multilabel learning", Machine Learning
92, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

from setwise.contract import Labels, TopK
from setwise.inference.chains.conditionals import Conditionals
from setwise.inference.chains.levels import search_levels


@dataclass(frozen=True)
class Beam:
    """Keep the ``width`` most probable prefixes of every length (at least k).

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.array([[0.1, 0.0]]), np.array([[0.0, 0.0], [0.0, 0.0]]))
    >>> Beam(width=4)(chain, np.full((1, 2), -1, dtype=np.int8), k=2).certified
    array([ True])
    """

    width: int = 15

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"width is {self.width}; expected at least 1, the prefixes that a beam keeps")

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` best sets; see :class:`ChainSearch`. Certified if no dropped prefix was better."""
        return search_levels(conditionals, evidence, k, width=max(k, self.width), min_labels=min_labels)
