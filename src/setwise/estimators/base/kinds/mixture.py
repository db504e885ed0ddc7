"""What the three mixtures share: predictions from a fitted gate and experts, and a view of the components."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Labels, Matrix
from setwise.distributions import ForestMixture, LabelDistribution, SeenSets
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.explanations.forests import ForestScores, SeenSetScores
from setwise.explanations.scored import Scored
from setwise.learning.labels.independent import LinearLabels
from setwise.learning.linear.scores import LinearScores
from setwise.learning.mixtures.em import EMResult
from setwise.learning.mixtures.experts import LogisticExperts
from setwise.learning.mixtures.pooling.seen_share import distinct_sets
from setwise.learning.progress.checkpoint import Checkpoint, fingerprint
from setwise.learning.progress.monitor import Monitor, Trace


class Components(NamedTuple):
    """Weights of the components of a mixture in each row, ``gate`` (n, K), and their ``marginals`` (n, K, L)."""

    gate: Floats
    marginals: Floats


def in_one_table(tables: Sequence[Trace]) -> Trace:
    """Concatenate the traces of several mixtures, with a column ``mixture``. A single trace is returned unchanged."""
    if len(tables) == 1:
        return tables[0]
    return [{**row, "mixture": m} for m, table in enumerate(tables) for row in table]


def side_by_side(scores: Sequence[Any]) -> Any:
    """Join the score functions of several mixtures. Those of classifiers cannot be joined; there is one only."""
    return scores[0] if len(scores) == 1 else type(scores[0]).side_by_side(scores)


_WATCHED: ContextVar[list[tuple[Any, Any]] | None] = ContextVar("watched parts", default=None)


@contextmanager
def watched_parts() -> Iterator[list[tuple[Any, Any]]]:
    """Collect the gate and the experts of each mixture that is fitted inside; a model keeps only their scores."""
    parts: list[tuple[Any, Any]] = []
    token = _WATCHED.set(parts)
    try:
        yield parts
    finally:
        _WATCHED.reset(token)


class MixtureClassifier(LinearClassifier):
    """A mixture sum_k w_k(x) p_k(y | x) of forests of logistic regressions, or the mean of several.

    Attributes
    ----------
    n_components_ : int
    mixture_sizes_ : ndarray of shape (n_mixtures,)
        Number of components of each mixture that the model averages, in the order of the components.
    parents_ : ndarray of shape (n_components, n_labels)
        Parent of each label in each component, -1 for a root.
    gate_, experts_ : LinearScores, TreeScores or ClassifierScores
        Scores of the gate, and logits of the experts, flattened from (component, label, value of the parent).
    n_iter_ : int
        Number of EM iterations of the final fit, summed over all mixtures.
    trace_ : list of dict
        A row per EM iteration of the final fit: bound, penalty, seconds, solver steps, components, and the
        mixture if there are several. Empty for a single component of independent labels.
    """

    def _keep(self, mixtures: Sequence[tuple[Any, Any, EMResult]]) -> None:
        """Store the mean of mixtures, each given by its gate, its experts and the result of EM."""
        gates, experts, results = zip(*mixtures)
        watched = _WATCHED.get()
        if watched is not None:
            watched[:] = zip(gates, experts)
        self.gate_ = side_by_side([gate.scores() for gate in gates])
        self.experts_ = side_by_side([part.scores() for part in experts])
        self.parents_ = np.concatenate([part.parents for part in experts])
        self.mixture_sizes_ = np.array([len(part.parents) for part in experts])
        self.n_components_ = len(self.parents_)
        self._n_values = experts[0].coef.shape[3] if isinstance(experts[0], LogisticExperts) else 1
        self.trace_ = in_one_table([result.trace for result in results])
        self.converged_ = all(result.converged for result in results)
        self.n_iter_ = max(sum(row["iteration"] > 0 for row in self.trace_), 1)

    def _keep_seen(self, Y: Labels, share: float) -> None:
        """Reserve a share of the probability for the sets of the training rows."""
        self.seen_sets_ = distinct_sets(Y)
        self.seen_share_ = share if len(self.seen_sets_) else 0.0

    def _keep_independent(self, labels: LinearLabels) -> None:
        """Store a single component of independent labels: binary relevance, which needs no EM."""
        n_features = labels.scores.coef.shape[0]
        self.gate_ = LinearScores(np.zeros((n_features, 1)), np.zeros(1), np.zeros((0, 1)))
        self.experts_, self.parents_ = labels.scores, np.full((1, self.n_labels_), -1, dtype=np.int32)
        self.n_components_, self.mixture_sizes_, self._n_values = 1, np.ones(1, int), 1
        self.trace_, self.converged_, self.n_iter_ = [], True, 1

    checkpoint: str | os.PathLike[str] | None
    seen_share_: float = 0.0

    def _seed(self) -> int:
        """The seed of this fit. With a checkpoint it must be an int, so that a resumed fit uses the same one."""
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        if self.checkpoint is not None:
            raise ValueError(
                f"random_state is {self.random_state!r}; with a checkpoint it must be an int, so that a killed fit "
                "resumes with the same random numbers"
            )
        return super()._seed()

    def _monitor(self, X: Matrix, Y: Labels, weights: Floats | None) -> Monitor:
        return self._monitor_in(self.checkpoint, X, Y, weights)

    def _monitor_in(self, folder: str | os.PathLike[str] | None, *data: Any) -> Monitor:
        """What watches a fit to some data, with its checkpoint if there is a folder for it."""
        if folder is None:
            return Monitor(None, *self._listeners())
        silent = ("checkpoint", "verbose", "decision", "min_labels")
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in silent}
        owner = fingerprint(type(self).__name__, version("setwise"), chosen, *data)
        return Monitor(Checkpoint(folder, owner), *self._listeners())

    def _distribution(self, X: Matrix) -> LabelDistribution:
        mixture = self._forests(X)
        return SeenSets.of(mixture, self.seen_sets_, self.seen_share_) if self.seen_share_ else mixture

    def _scored(self) -> Scored | None:
        gate, experts = self._source(self.gate_), self._source(self.experts_)
        if gate is None or experts is None:
            return None
        mixture = ForestScores(experts, self.parents_, gate, self.mixture_sizes_)
        return SeenSetScores(mixture, self.seen_sets_, self.seen_share_) if self.seen_share_ else mixture

    def _forests(self, X: Matrix) -> ForestMixture:
        logits = self.experts_(X).reshape(X.shape[0], self.n_components_, self.n_labels_, self._n_values)
        return ForestMixture(self._log_gate(X), logits, self.parents_)

    def _log_gate(self, X: Matrix) -> Floats:
        """Log weights (n, K): a softmax over the components of each mixture; all mixtures have the same weight."""
        scores = self.gate_(X).astype(np.float64)
        mixtures = np.split(scores, np.cumsum(self.mixture_sizes_)[:-1], axis=1)
        return np.hstack([log_softmax(part, axis=1) for part in mixtures]) - np.log(len(mixtures))

    def _cells_per_row(self) -> int:
        seen = len(self.seen_sets_) if self.seen_share_ else 0
        return self.n_components_ * self.n_labels_ * self._n_values + seen

    def components(self, X: Any) -> Components:
        """Compute the weights and marginals of the components in each row, as in Figure 2 of the CBM paper.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)

        Returns
        -------
        Components
            ``gate`` (n, K) and ``marginals`` (n, K, L).

        Examples
        --------
        >>> from setwise import ConditionalBernoulliMixture
        >>> X, Y = np.arange(8.0)[:, None], np.repeat([[0, 1], [1, 0]], 4, axis=0)
        >>> model = ConditionalBernoulliMixture(n_components=2, random_state=0).fit(X, Y)
        >>> model.components(X).marginals.shape
        (8, 2, 2)
        """
        X = self._checked(X)
        blocks = (self._forests(self._scaled(X[rows])) for rows in self._slices(X))
        parts = [Components(np.exp(p.log_gate), p.component_marginals()) for p in blocks]
        return Components(*(np.concatenate(part) for part in zip(*parts)))
