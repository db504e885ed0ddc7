"""Micro F-measures: the F of all cells of rows and labels pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import Array, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.population.batch_rule import best_allowed
from setwise.decisions.population.pooled_f import EXACT_CELLS, Moments, PooledF
from setwise.inference.sets.totals import totals_without

MAX_STEPS = 50
"""Steps of Dinkelbach's method, which converges faster than linearly: a few are enough."""


@dataclass(frozen=True)
class MicroF(PooledF):
    r"""The answers of a batch with the largest expected micro F-measure; the loss is 1 - F.

    F = (1 + beta^2) |T and P| / (beta^2 |T| + |P|) for the true cells T and the answered cells P of all rows and
    labels. The expectation is a sum over the answered cells of E[y / (beta^2 |T| + r)] for an answer of r cells, so the
    r largest terms are best for some r. In a large batch this is one threshold for all labels.

    Up to 64 cells (rows times labels) the expectation is exact, with the dependence of the labels of a row. For more,
    the F of the expected counts is maximized, under constraints too [1]_. Such answers are not certified, and the
    standard error of their expected loss is NaN.

    Parameters
    ----------
    beta : float
        Recall counts beta times as much as precision.
    both_empty : float
        F if no label is true or answered in any row; 0 as in :func:`setwise.metrics.micro_f1`.

    References
    ----------
    .. [1] W. Dinkelbach, "On nonlinear fractional programming", Management Science 13, 1967.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> p = np.array([[0.9, 0.1], [0.6, 0.3], [0.2, 0.05]])
    >>> joint = ForestMixture.independent(np.log(p) - np.log1p(-p))
    >>> joint.decide(MicroF()).labels
    array([[1, 0],
           [1, 0],
           [0, 0]], dtype=int8)
    """

    def _columns(self, cells: Array) -> Array:
        return cells.reshape(*cells.shape[:-2], 1, -1)

    def _back(self, columns: Labels, shape: tuple[int, ...]) -> Labels:
        return columns.reshape(shape)

    def _moments(self, distribution: Joint, p: Floats) -> Moments | None:
        """The moments of cells, from those of their row and the sizes of the other rows' sets."""
        if p.size > EXACT_CELLS:
            return None
        b, answered = self.beta**2, np.arange(1.0, p.size + 1)
        sizes = distribution.size_probs()
        others = totals_without(sizes)
        every = b * np.arange(float(others.shape[1]))[:, None] + answered
        weights: Floats = np.asarray(np.round(every, 12), dtype=np.float64)
        offsets, place = np.unique(weights, return_inverse=True)
        own = distribution.reciprocal_moments(b, offsets)[:, :, place.reshape(weights.shape)]
        cells = np.einsum("is,ijsr->ijr", others, own).reshape(1, p.size, p.size)
        return Moments(cells, np.prod(sizes[:, :1], axis=0))

    def _constrained(self, p: Floats, labels: Labels, feasible: Feasible) -> Labels:
        """Dinkelbach's method: the best sets for the gain at the F attained, until F rises no more."""
        attained = -1.0
        for _ in range(MAX_STEPS):
            labels = best_allowed((1.0 + self.beta**2) * p - max(attained, 0.0), feasible)
            before, attained = attained, self._score(self._columns(p), self._columns(labels), None)
            if attained <= before + 1e-12:
                break
        return labels
