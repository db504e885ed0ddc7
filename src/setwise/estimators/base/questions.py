"""Questions about the joint distribution that every fitted estimator answers for new rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from setwise.contract import Array, Decided, Floats, Labels, Matrix, TopK
from setwise.decisions import Decision, Rule
from setwise.distributions import LabelDistribution
from setwise.distributions.outliers import Against, outlier_scores
from setwise.estimators.base.checks.validation import Targets
from setwise.views.answer import row_names_of


class Questions(ABC):
    """Answers in terms of the distributions of blocks of rows."""

    label_names_: Array
    _targets: Targets

    @abstractmethod
    def rule(self, decision: Decision | None = None) -> Rule:
        """Convert a decision to a rule, by default the constructor's."""

    @abstractmethod
    def _label_probs(self, joint: LabelDistribution) -> Floats:
        """P(y_j = 1 | x) of each row and label, (n, L)."""

    @abstractmethod
    def _checked(self, X: Any) -> Array:
        """Check new rows."""

    @abstractmethod
    def _blocks(self, X: Matrix) -> Iterator[tuple[slice, LabelDistribution]]:
        """Yield blocks of rows, small enough to bound memory, with their distributions."""

    @abstractmethod
    def _stream(self, X: Matrix, answer: Callable[[slice, LabelDistribution], Array]) -> Array:
        """Compute an answer for each row of checked X in blocks."""

    @abstractmethod
    def _whole_batch(self, X: Matrix) -> LabelDistribution:
        """One distribution of all rows of checked X, for measures of a batch."""

    def decide(self, X: Any, decision: Decision | None = None) -> Decided:
        """Predict label sets together with their expected loss under the model.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
            As in :meth:`predict`.

        Returns
        -------
        Decided
            Labels, expected loss, its standard error, and whether the answer is proved optimal.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.decide(X).expected_loss.round(2)
        array([0.  , 0.07, 0.13, 0.07])
        """
        rule = self.rule(decision)
        if rule.whole_batch:
            together = self._whole_batch(self._checked(X)).decide(rule)
            return together.with_names(self.label_names_, row_names_of(X))
        parts = [p.decide(rule) for _, p in self._blocks(self._checked(X))]
        best = Decided(*(np.concatenate(part) for part in zip(*parts)))
        return best.with_names(self.label_names_, row_names_of(X))

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability that each label is on, P(y_j = 1 | x).

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, L)
            Strictly between 0 and 1. For a one-dimensional y: the probability of each class, (n, 2).

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.predict_proba(X[:1]).round(2)
        array([[0., 1.]])
        """
        limits = np.finfo(np.float64)
        least, most = limits.tiny, 1.0 - limits.epsneg
        marginals = self._stream(self._checked(X), lambda rows, p: np.clip(self._label_probs(p), least, most))
        if self._targets.classes is None:
            return marginals
        return np.hstack([1.0 - marginals, marginals])[:, : len(self._targets.classes)]

    def log_prob(self, X: Any, y: Any) -> Floats:
        """Log-probability of a given label set of each row.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        y : array, DataFrame or CSR of shape (n, L)
            -1 or NaN marks a label that was not observed. The columns of a DataFrame are matched by name.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> np.exp(model.log_prob(X, Y)).round(2)
        array([1.  , 0.93, 0.87, 0.93])
        """
        X = self._checked(X)
        Y = self._targets.encode(y, X.shape[0], partial=True)
        return self._stream(X, lambda rows, p: p.log_prob(Y[rows]))

    def predict_top_k(self, X: Any, k: int) -> TopK:
        """Predict the ``k`` most probable label sets of each row, best first.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        k : int

        Returns
        -------
        TopK
            The sets and their log-probabilities.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.predict_top_k(X[:1], k=2).labels
        array([[[0, 1],
                [1, 1]]], dtype=int8)
        """
        parts = [p.top_k(k) for _, p in self._blocks(self._checked(X))]
        best = TopK(*(np.concatenate(part) for part in zip(*parts)))
        return best.with_names(self.label_names_, row_names_of(X))

    def sample(self, X: Any, n_draws: int = 1, *, random_state: Any = None) -> Labels:
        """Draw label sets from P(y | x).

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        n_draws : int
        random_state : int, RandomState or None, default=None

        Returns
        -------
        int8 array of shape (n, n_draws, L)

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.sample(X, n_draws=100, random_state=0).shape
        (4, 100, 2)
        """
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        rng = np.random.default_rng(seed)
        return self._stream(self._checked(X), lambda rows, p: p.sample(n_draws, rng))

    def outlier_score(self, X: Any, y: Any, *, against: Against = "mode") -> Floats:
        """Score how implausible the given label sets are; a high score suggests wrong labels.

        :func:`setwise.find_label_errors` scores rows with models that were not trained on them.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        y : array, DataFrame or CSR of shape (n, L)
        against : {"mode", "size", "flips"}, default="mode"
            What the log-probability of y is subtracted from: that of the most probable set, of the most probable set of
            the same size, or the mean over the sets that differ from y in one label.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.outlier_score(X, [[0, 1], [0, 1], [1, 1], [0, 1]]).round(1)
        array([ 0. ,  0. ,  0. , 10.6])
        """
        X = self._checked(X)
        Y = self._targets.encode(y, X.shape[0])
        return self._stream(X, lambda rows, p: outlier_scores(p, Y[rows], against))
