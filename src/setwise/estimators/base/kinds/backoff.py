"""The share of the probability that estimators of listed sets leave to independent labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from setwise.contract import Floats, Labels, Matrix
from setwise.distributions import BackedOff, ForestMixture, LabelDistribution, Mixture, Table
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.explanations.mixed import Mixed
from setwise.explanations.scored import Scored
from setwise.learning.labels.independent import Learner
from setwise.learning.labels.powerset import SetCounts

LARGEST_SHARE = 0.5


class Backoff(LinearClassifier):
    """An estimator with the parameter ``backoff``: unseen sets get a share of the probability.

    ``_fit`` of a subclass calls :meth:`_fit_backoff`, ``_distribution`` returns what :meth:`_backed_off` does.
    """

    backoff: float | Literal["auto"]
    backoff_: float = 0.0
    independent_: Any

    def _fit_backoff(
        self, learner: Learner, X: Matrix, Y: Labels, weights: Floats | None, counts: Sequence[SetCounts]
    ) -> None:
        """Choose the share by the ``counts`` of sets, and fit independent labels if there is one."""
        self.backoff_ = share_unseen(counts) if self.backoff == "auto" else float(self.backoff)
        if self.backoff_ > 0:
            self.independent_ = learner.fit(X, Y, weights)

    def _scored_with_backoff(self, joint: Scored | None) -> Scored | None:
        """The joint as a function of scores, with the share of independent labels."""
        if joint is None or not self.backoff_:
            return joint
        independent = self._independent_scored(self.independent_)
        return (
            None if independent is None else Mixed((joint, independent), (1.0 - self.backoff_, self.backoff_))
        )

    def _backed_off(self, joint: LabelDistribution, X: Matrix) -> LabelDistribution:
        """Give independent labels their share; of two models of independent labels one forest mixture is made."""
        if not self.backoff_:
            return joint
        independent = ForestMixture.independent(self.independent_.logits(X))
        if isinstance(joint, Table):
            return BackedOff.of(joint, independent, self.backoff_)
        gate = np.tile(np.log([1.0 - self.backoff_, self.backoff_]), (joint.n_rows, 1))
        if isinstance(joint, ForestMixture) and joint.forests.logits.shape[1::2] == (1, 1):
            both = [part.forests.logits for part in (joint, independent)]
            return ForestMixture(
                gate, np.concatenate(both, axis=1), np.repeat(joint.forests.parents, 2, axis=0)
            )
        return Mixture(gate, [joint, independent])


def share_unseen(counts: Sequence[SetCounts]) -> float:
    """Estimate how often a new row has an unseen set: the share of rows whose set occurs once (Good and Turing).

    Parameters
    ----------
    counts : sequence of SetCounts
        Of the sets, or of those of each group of labels; the shares of groups are averaged.

    Returns
    -------
    float
        At most one half.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[0, 1]] * 8 + [[1, 1]])
    >>> round(share_unseen([SetCounts.of(Y, None)]), 2)
    0.15
    """
    shares = []
    for count in counts:
        once = count.counts[count.counts <= 1].sum()
        shares.append((once + 0.5) / (count.counts.sum() + 1.0))
    return float(np.clip(np.mean(shares), 0.0, LARGEST_SHARE))
