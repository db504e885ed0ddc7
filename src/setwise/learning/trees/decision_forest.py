"""A decision forest as a joint: label sets weighed by the leaves that a row falls into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from setwise.arrays import Array, Bools, Floats, Labels, Matrix
from setwise.kernels.set_trees import SetTrees

SMALLEST = 1e-9
"""Smallest probability of a label and of its absence in the product of marginals."""


class Shares(NamedTuple):
    """Shares of the three parts of the joint: leaf weights, product over seen sets, product over all sets."""

    leaves: float
    seen: float
    anywhere: float


class ForestParts(NamedTuple):
    """Parts of a joint: log-probabilities (n, m) of the seen sets without the third part, logits (n, L) of the labels,
    and log-probabilities (n, m) of the seen sets under independent labels.
    """

    log_probs: Floats
    logits: Floats
    independent: Floats


@dataclass(frozen=True)
class DecisionTrees:
    """P(y | x) = a sum_i w_i(x) [y = y_i] + b P(y | seen) + c P(y), where P(y) is the product of marginals.

    ``trees`` weigh the rows of the m distinct ``sets`` (m, L). The marginals are those of the weighted rows, drawn
    towards ``prior`` (L,) by ``shrinkage``; ``shares`` are a, b and c. Labels that were ``unknown`` (L,) in every row
    are fair coins, which only the third part can say.
    """

    trees: SetTrees
    sets: Labels
    prior: Floats
    shrinkage: float
    shares: Shares
    unknown: Bools

    def weights(self, X: Matrix) -> Floats:
        """Compute the weight (n, m) of each set in the leaves of each row."""
        return self.trees.shares(self.trees.leaves(X), len(self.sets))

    def parts(self, X: Matrix) -> ForestParts:
        """Compute what the joint of each row is made of."""
        weights = self.weights(X)
        logits = np.where(self.unknown, 0.0, label_logits(weights, self.sets, self.prior, self.shrinkage))
        scores = logits @ self.sets.T.astype(np.float64)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        leaves, seen, _ = self.shares
        if leaves + seen > 0.0:
            odds *= seen / (leaves + seen)
            odds += leaves / (leaves + seen) * weights
        with np.errstate(divide="ignore"):
            log_probs = np.log(odds)
        scores -= np.logaddexp(0.0, logits).sum(axis=1, keepdims=True)
        return ForestParts(log_probs, logits, scores)


def label_logits(weights: Floats, sets: Labels, prior: Floats, shrinkage: float) -> Floats:
    """Compute the logits (n, L) of the marginals of weighted sets, drawn towards the ``prior`` (L,).

    Examples
    --------
    >>> import numpy as np
    >>> label_logits(np.array([[1.0, 0.0]]), np.array([[0, 1], [1, 1]]), np.array([0.5, 0.5]), 0.5).round(2)
    array([[-1.1,  1.1]])
    """
    p = (1.0 - shrinkage) * (weights @ sets.astype(np.float64)) + shrinkage * prior
    p = np.clip(p, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(np.log(p) - np.log1p(-p))


def with_sets(trees: SetTrees, sets_of_rows: Array) -> SetTrees:
    """Replace the rows that trees hold by their label sets.

    Parameters
    ----------
    trees : SetTrees
        Members are numbers of training rows.
    sets_of_rows : int array of shape (n, S)
        Numbers of the label sets of each row. Tree t takes column t modulo S.

    Returns
    -------
    SetTrees
    """
    n_columns = sets_of_rows.shape[1]
    first = trees.begin[trees.root]
    tree = np.searchsorted(first, np.arange(len(trees.member)), side="right") - 1
    member = sets_of_rows[trees.member, tree % n_columns]
    return trees._replace(member=member.astype(np.int32))
