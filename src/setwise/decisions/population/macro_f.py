"""Macro F-measures: the mean over labels of the F of a label's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import Array, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.population.batch_rule import best_allowed
from setwise.decisions.population.pooled_f import EXACT_CELLS, Moments, PooledF, moments_of_cells

PASSES = 5
"""Passes over the rows that constraints bind."""
MAX_LABELS = 4096
"""More labels than this are decided without their exact moments, which would take gigabytes."""


@dataclass(frozen=True)
class MacroF(PooledF):
    r"""The answers of a batch with the largest expected macro F-measure; the loss is 1 - F.

    F of a label is (1 + beta^2) |T and P| / (beta^2 |T| + |P|) for the rows T that have it and the rows P for which it
    is answered. Rows are independent given their features, so each label is decided by itself: the r rows with the
    largest probabilities are best for some r [1]_. This is a threshold per label; in a large batch and for beta = 1 it
    is half of the F attained [2]_. So rare labels are answered at low probabilities.

    Up to 64 rows the expectation is exact, by the distribution of the number of true rows. For more, the F of the
    expected counts is maximized: the difference falls with the number of rows. Such answers are not certified, and the
    standard error of their expected loss is NaN. Constraints such as ``min_labels`` make the labels depend on each
    other. Then the rows that violate them are improved one at a time, and the answer is not certified.

    Parameters
    ----------
    beta : float
        Recall counts beta times as much as precision.
    both_empty : float
        F of a label that is neither true nor answered in any row; 0 as in :func:`setwise.metrics.macro_f1`.

    References
    ----------
    .. [1] N. Ye, K. Chai, W. Lee and H. Chieu, "Optimizing F-measures: a tale of two approaches", ICML 2012.
    .. [2] Z. Lipton, C. Elkan and B. Naryanaswamy, "Optimal thresholding of classifiers to maximize F1 measure",
       ECML PKDD 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import ForestMixture
    >>> p = np.array([[0.9, 0.1], [0.6, 0.3], [0.2, 0.05]])
    >>> joint = ForestMixture.independent(np.log(p) - np.log1p(-p))
    >>> joint.decide(MacroF()).labels
    array([[1, 0],
           [1, 1],
           [0, 0]], dtype=int8)
    """

    def thresholds(self, marginals: Any) -> Floats:
        """The probability above which each label is answered in a large batch.

        With :meth:`Costs.at_thresholds <setwise.decisions.Costs.at_thresholds>` they decide new rows one at a time.

        Parameters
        ----------
        marginals : array of shape (n, L)
            Probabilities of rows like those to come. Their true labels need not be known.

        Returns
        -------
        array of shape (L,)

        Examples
        --------
        >>> MacroF().thresholds([[0.9, 0.1], [0.6, 0.3], [0.2, 0.05]]).round(3)
        array([0.405, 0.207])
        """
        p = self._columns(np.asarray(marginals, dtype=np.float64))
        labels = self._unconstrained(p, None)
        attained = self._f((p * labels).sum(axis=1), labels.sum(axis=1), p.sum(axis=1))
        return attained / (1.0 + self.beta**2)

    def _columns(self, cells: Array) -> Array:
        return np.swapaxes(cells, -1, -2)

    def _back(self, columns: Labels, shape: tuple[int, ...]) -> Labels:
        return np.ascontiguousarray(columns.T)

    def _moments(self, distribution: Joint, p: Floats) -> Moments | None:
        small = len(p) <= EXACT_CELLS and p.shape[1] <= MAX_LABELS
        return moments_of_cells(p.T, self.beta**2) if small else None

    def _constrained(self, p: Floats, labels: Labels, feasible: Feasible) -> Labels:
        """Improve each row that violates the constraints while the others stay, until nothing changes."""
        labels, true = labels.copy(), p.sum(axis=0)
        both, answered = (p * labels).sum(axis=0), labels.sum(axis=0, dtype=np.float64)
        bound, moved = np.flatnonzero(~feasible.holds(labels)), True
        for _ in range(PASSES):
            if not moved:
                break
            moved = False
            for row in bound:
                both, answered = both - p[row] * labels[row], answered - labels[row]
                # The gains of the labels of one row add up, so its best set is exact.
                gain = self._f(both + p[row], answered + 1.0, true) - self._f(both, answered, true)
                new = best_allowed(gain[None], feasible)[0]
                moved |= bool((new != labels[row]).any())
                labels[row] = new
                both, answered = both + p[row] * new, answered + new
        return labels
