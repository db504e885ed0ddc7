"""Jaccard index: the share of the labels of either set that are in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import Floats, Labels
from setwise.decisions.expected import ExpectedLoss


@dataclass(frozen=True)
class Jaccard(ExpectedLoss):
    """The answer with the largest expected Jaccard index; the loss is 1 - J. Two empty sets count as equal.

    Certified up to ten labels; beyond, the best answer found, with the standard error of its loss.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> sets = Table([[1, 0, 0], [1, 1, 0], [1, 1, 1]], np.log([[0.3, 0.4, 0.3]]))
    >>> decided = sets.decide(Jaccard())
    >>> decided.labels, decided.expected_loss.round(3)
    (array([[1, 1, 0]], dtype=int8), array([0.25]))
    """

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 - J."""
        truth, answer = np.asarray(truth), np.asarray(answer)
        return _one_minus((truth & answer).sum(axis=-1), (truth | answer).sum(axis=-1))

    def pairwise(self, sets: Labels, answers: Labels) -> Floats:
        """Loss (n, A, S) of each of the answers for each of the true sets, by matrix products."""
        both = answers.astype(np.float32) @ np.swapaxes(sets, 1, 2).astype(np.float32)
        sizes = answers.sum(axis=2)[:, :, None] + sets.sum(axis=2)[:, None]
        return _one_minus(both, sizes - both)


def _one_minus(both: Any, either: Any) -> Floats:
    share = np.divide(both, either, out=np.ones(np.shape(both)), where=np.asarray(either) > 0)
    return np.asarray(1.0 - share, dtype=np.float64)
