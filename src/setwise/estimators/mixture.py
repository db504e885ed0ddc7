"""What the three mixtures share: how a fitted gate and fitted experts answer, and how to look inside."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Labels, Matrix
from setwise.distributions import ForestMixture
from setwise.estimators.callbacks import CallbackListener, CallbackSupport, with_callbacks
from setwise.estimators.face import SetClassifier
from setwise.kernels.design import LinearScores
from setwise.learning.checkpoint import Checkpoint, fingerprint
from setwise.learning.em import EMResult
from setwise.learning.experts import LogisticExperts
from setwise.learning.independent import LinearLabels
from setwise.learning.monitor import Monitor, Progress
from setwise.learning.progress import ProgressLine


class Components(NamedTuple):
    """What each component of a mixture says about each row: ``gate`` (n, K), ``marginals`` (n, K, L)."""

    gate: Floats
    marginals: Floats


class MixtureClassifier(CallbackSupport, SetClassifier):
    """A mixture sum_k w_k(x) p_k(y | x) of forests of logistic regressions.

    Attributes
    ----------
    n_components_ : int
    parents_ : ndarray of shape (n_components, n_labels)
        Parent of each label in each component, -1 for a root.
    gate_, experts_ : LinearScores, TreeScores or ClassifierScores
        Scores of the gate, and logits of the experts flat in (component, label, value of the parent).
    n_iter_ : int
        EM iterations of the final fit.
    trace_ : list of dict
        A row per EM iteration of the final fit: bound, penalty, seconds, solver steps, components. Empty for
        a single component of independent labels.
    """

    def _keep(self, gate: Any, experts: Any, result: EMResult) -> None:
        self.gate_, self.experts_ = gate.scores(), experts.scores()
        self.parents_ = experts.parents
        self.n_components_ = len(self.parents_)
        self._n_values = experts.coef.shape[3] if isinstance(experts, LogisticExperts) else 1
        self.trace_, self.converged_ = result.trace, result.converged
        self.n_iter_ = max(sum(row["iteration"] > 0 for row in result.trace), 1)

    def _keep_independent(self, labels: LinearLabels) -> None:
        """One component of independent labels: binary relevance, which needs no EM."""
        n_features = labels.scores.coef.shape[0]
        self.gate_ = LinearScores(np.zeros((n_features, 1)), np.zeros(1), np.zeros((0, 1)))
        self.experts_, self.parents_ = labels.scores, np.full((1, self.n_labels_), -1, dtype=np.int32)
        self.n_components_, self._n_values = 1, 1
        self.trace_, self.converged_, self.n_iter_ = [], True, 1

    checkpoint: str | os.PathLike[str] | None
    verbose: int

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the mixture; see :meth:`SetClassifier.fit`. Scikit-learn's callbacks follow EM's iterations."""
        return super().fit(X, y, sample_weight)

    def _monitor(self, X: Matrix, Y: Labels, weights: Floats | None) -> Monitor:
        """What watches this fit: its checkpoint, its progress line, its callbacks."""
        checkpoint = None
        if self.checkpoint is not None:
            silent = ("checkpoint", "verbose", "decision", "min_labels")
            chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in silent}
            owner = fingerprint(type(self).__name__, version("setwise"), chosen, X, Y, weights)
            checkpoint = Checkpoint(self.checkpoint, owner)
        listeners: list[Callable[[Progress], bool | None]] = [CallbackListener(self)]
        if self.verbose:
            listeners.append(ProgressLine(type(self).__name__, self.verbose))
        return Monitor(checkpoint, *listeners)

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
