"""What the three mixtures share: how a fitted gate and fitted experts answer, and how to look inside."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Matrix
from setwise.distributions import ForestMixture
from setwise.estimators.face import SetClassifier
from setwise.learning.em import EMResult
from setwise.learning.experts import LogisticExperts
from setwise.learning.gates import ConstantGate, SoftmaxGate


class Components(NamedTuple):
    """What each component of a mixture says about each row: ``gate`` (n, K), ``marginals`` (n, K, L)."""

    gate: Floats
    marginals: Floats


class MixtureClassifier(SetClassifier):
    """A mixture sum_k w_k(x) p_k(y | x) of forests of logistic regressions.

    Attributes
    ----------
    n_components_ : int
    parents_ : ndarray of shape (n_components, n_labels)
        Parent of each label in each component, -1 for a root.
    gate_, experts_ : LinearScores
        Scores of the gate, and logits of the experts flat in (component, label, value of the parent).
    n_iter_ : int
        EM iterations of the final fit.
    trace_ : list of dict
        A row per EM iteration of the final fit: bound, penalty, seconds, solver steps, components.
    """

    def _keep(self, gate: SoftmaxGate | ConstantGate, experts: LogisticExperts, result: EMResult) -> None:
        self.gate_, self.experts_ = gate.linear(), experts.linear()
        self.parents_ = experts.parents
        self.n_components_, self._n_values = len(experts.coef), experts.coef.shape[3]
        self.trace_, self.converged_ = result.trace, result.converged
        self.n_iter_ = max(len(result.trace) - 1, 1)

    def _distribution(self, X: Matrix) -> ForestMixture:
        logits = self.experts_(X).reshape(X.shape[0], self.n_components_, self.n_labels_, self._n_values)
        return ForestMixture(log_softmax(self.gate_(X).astype(np.float64), axis=1), logits, self.parents_)

    def _cells_per_row(self) -> int:
        return self.n_components_ * self.n_labels_ * self._n_values

    def components(self, X: Any) -> Components:
        """The gate's weights (n, K) and each component's marginals (n, K, L): CBM's Figure 2."""
        parts = [
            Components(np.exp(p.log_gate), p.component_marginals())
            for _, p in self._blocks(self._checked(X))
            if isinstance(p, ForestMixture)
        ]
        return Components(*(np.concatenate(part) for part in zip(*parts)))
