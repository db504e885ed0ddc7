"""Greedy search: each label takes its likelier value given the labels before it (CC).

J. Read, B. Pfahringer, G. Holmes and E. Frank, "Classifier chains for multi-label classification", Machine
Learning 85, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

from setwise.contract import Labels, TopK
from setwise.inference.chains.conditionals import Conditionals
from setwise.inference.chains.levels import search_levels


@dataclass(frozen=True)
class Greedy:
    """Take the likelier value of each label in turn; for k sets, a beam of width k.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.inference.chains.conditionals import Linear
    >>> chain = Linear(np.array([[0.1, 0.0]]), np.array([[0.0, 0.0], [0.0, 0.0]]))
    >>> Greedy()(chain, np.full((1, 2), -1, dtype=np.int8)).labels
    array([[[1, 0]]], dtype=int8)
    """

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` best sets; see :class:`ChainSearch`. Certified if no dropped prefix was better."""
        return search_levels(conditionals, evidence, k, width=k, min_labels=min_labels)
