"""Conformal prediction: lists of label sets that contain the true one with a chosen probability."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator

from setwise.contract import FREE, Array, Bools, Floats, Labels, Matrix, TopK
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.estimators.base.kinds.wrapped import EstimatorWrapper
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.learning.by_content.keys import example_keys, shuffle_by_key
from setwise.views import RowAnswer, Sheet
from setwise.views.answer import row_names_of
from setwise.views.text import count

TIE = 1e-9
"""Relative difference of log-probabilities that counts as rounding."""
FIRST_SETS = 8
"""Number of sets listed at first; rows that need more are searched again for four times as many."""


class _CandidateSets(NamedTuple):
    labels: Labels
    log_prob: Floats
    complete: Bools


class CandidateSets(RowAnswer, _CandidateSets):
    """The candidates of each row, the most probable first.

    Parameters
    ----------
    labels : int8 array of shape (n, k, L)
        The sets; shorter lists are filled up with FREE.
    log_prob : array of shape (n, k)
        Their log-probabilities, -inf beyond the end of a list.
    complete : bool array of shape (n,)
        Whether the list has all candidates. If it was cut off, further sets are candidates too, and ``contains`` still
        answers exactly whether a given set is.

    Examples
    --------
    >>> CandidateSets(np.array([[[1, 0], [0, 1]]]), np.log([[0.75, 0.25]]), np.array([True]))
    2 candidate sets for 1 row
    row  rank  set  probability
    ---  ----  ---  -----------
      0     1  0          0.750
            2  1          0.250
    """

    @property
    def n_sets(self) -> Any:
        """Number of listed sets for each row, (n,)."""
        return (self.log_prob > -np.inf).sum(axis=1)

    def _n_rows(self) -> int:
        return len(self.labels)

    def _title(self) -> str:
        return f"{count(int(self.n_sets.sum()), 'candidate set')} for {count(self._n_rows(), 'row')}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        return self._set_sheet(self.labels[:n_rows], self.log_prob[:n_rows], complete=self.complete)

    def _shown(self) -> Sheet:
        return super()._shown().only("rank", "set", "probability")

    def _remarks(self) -> list[str]:
        cut = int((~self.complete).sum())
        return [f"{count(cut, 'list')} cut off: further sets are candidates too"] if cut else []


class ConformalSets(EstimatorWrapper):
    """Return all label sets that cannot be ruled out, with a guaranteed coverage.

    Part of the training rows is held out. The candidates of a new row are the sets whose probability reaches a
    threshold: the one that the true sets of all but a share ``1 - coverage`` of the held-out rows reach. The most
    probable set is always a candidate. If rows are exchangeable, the true set is among the candidates with a
    probability of at least ``coverage``, however wrong the model is. A better model lists fewer sets.

    Parameters
    ----------
    estimator : setwise estimator, or FrozenEstimator around a fitted one
        Cloned, and fitted to the rows that are not held out. A frozen estimator is not fitted again: all rows passed to
        ``fit`` are held-out rows, which it must not have seen.
    coverage : float, default=0.9
        Probability with which the true set is a candidate.
    calibration_size : float, default=0.3
        Share of the rows that is held out. Not used for a frozen estimator.
    max_sets : int, default=128
        Maximum length of a row's list of candidates.
    {decision}
    min_labels : "auto" or int, default="auto"
        Smallest number of labels that ``predict`` returns and that candidates have. ``"auto"`` allows the empty set
        only if it occurs in training.
    random_state : int, RandomState or None, default=None
        Seed of the choice of held-out rows, and of an ``estimator`` without a seed.
    {verbose}

    Attributes
    ----------
    estimator_ : SetClassifier
        The fitted estimator.
    log_threshold_ : float
        Log-probability that a candidate reaches; -inf if too few rows were held out for the coverage.
    {label_attributes}

    References
    ----------
    V. Vovk, A. Gammerman and G. Shafer, "Algorithmic learning in a random world", 2005.
    M. Sadinle, J. Lei and L. Wasserman, "Least ambiguous set-valued classifiers with bounded error levels", Journal
    of the American Statistical Association 114, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import ConditionalTree, ConformalSets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> first = X[:, 0] + 0.5 * rng.normal(size=300) > 0
    >>> Y = np.column_stack([first, first]).astype(int)
    >>> model = ConformalSets(ConditionalTree(l2=1.0), coverage=0.95, random_state=0).fit(X, Y)
    >>> model.predict_sets([[3.0], [0.0]]).n_sets
    array([1, 2])
    >>> model.contains([[3.0]], [[1, 1]])
    array([ True])
    """

    def __init__(
        self,
        estimator: SetClassifier | FrozenEstimator,
        *,
        coverage: float = 0.9,
        calibration_size: float = 0.3,
        max_sets: int = 128,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.calibration_size = calibration_size
        self.max_sets = max_sets
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        held_out = self._fit_inside(X, Y, weights)
        n_held_out = len(held_out)
        scores = [p.log_prob(Y[held_out][at]) for at, p in self.estimator_._blocks(X[held_out])]
        of_rows = np.ones(n_held_out) if weights is None else weights[held_out]
        log_prob = np.concatenate([np.empty(0), *scores])
        self.log_threshold_ = _threshold(log_prob, of_rows, self.coverage)
        if self.log_threshold_ == -np.inf:
            impossible = int(np.isneginf(log_prob).sum())
            warnings.warn(
                f"every set is a candidate: {n_held_out} held-out rows are too few for a coverage of {self.coverage}, "
                f"or too many of them ({impossible}) have a set that the model gives no probability. Hold out more "
                "rows, or use an estimator that gives every set some probability",
                stacklevel=user_stacklevel(),
            )

    def _fit_inside(self, X: Matrix, Y: Labels, weights: Floats | None) -> Array:
        """Set ``estimator_``. Returns the rows that it has not seen."""
        if self._is_frozen():
            self.estimator_ = self._frozen()
            return np.arange(len(Y))
        rows = shuffle_by_key(example_keys(X, Y), self._seed(), weights)
        n_held_out = min(round(self.calibration_size * len(Y)), len(Y) - 1)
        train = np.sort(rows[n_held_out:])
        own = None if weights is None else weights[train]
        self.estimator_ = self._seeded(self.estimator).fit(X[train], Y[train], own)
        return np.sort(rows[:n_held_out])

    def predict_sets(self, X: Any) -> CandidateSets:
        """List the candidate sets of each row, at most ``max_sets``.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)

        Returns
        -------
        CandidateSets

        Examples
        --------
        >>> from setwise import BinaryRelevance, ConformalSets
        >>> X = np.random.default_rng(0).normal(size=(100, 1))
        >>> model = ConformalSets(BinaryRelevance(l2=1.0), random_state=0).fit(X, X > 0)
        >>> model.predict_sets([[3.0]]).labels[0, 0]
        array([1], dtype=int8)
        """
        parts = [self._candidates(joint) for _, joint in self._blocks(self._checked(X))]
        width = max(part.log_prob.shape[1] for part in parts)
        parts = [_padded(part, width) for part in parts]
        answer = CandidateSets(*(np.concatenate(column) for column in zip(*parts)))
        return answer.with_names(self.label_names_, row_names_of(X))

    def contains(self, X: Any, y: Any) -> Bools:
        """Whether each given set is a candidate, even one that ``max_sets`` cuts off.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        y : array, DataFrame or CSR of shape (n, L)

        Returns
        -------
        bool array of shape (n,)
            False for sets of fewer than ``min_labels_`` labels.

        Examples
        --------
        >>> from setwise import BinaryRelevance, ConformalSets
        >>> X = np.random.default_rng(0).normal(size=(100, 1))
        >>> model = ConformalSets(BinaryRelevance(l2=1.0), random_state=0).fit(X, X > 0)
        >>> model.contains([[3.0], [3.0]], [[0], [1]])
        array([False,  True])
        """
        X = self._checked(X)
        Y = self._targets.encode(y, X.shape[0])
        return self._stream(X, lambda rows, joint: self._is_candidate(joint, Y[rows]))

    def _is_candidate(self, joint: LabelDistribution, Y: Labels) -> Bools:
        inside: Bools = joint.log_prob(Y) >= self.log_threshold_
        rows = np.flatnonzero(~inside)
        if rows.size:
            # An inexact search may find a different best set when it is asked for fewer sets.
            listed = self._candidates(joint.take(rows)).labels[:, 0]
            inside[rows] = (listed == Y[rows]).all(axis=1)
        return inside & (Y.sum(axis=1) >= self.min_labels_)

    def _candidates(self, joint: LabelDistribution) -> CandidateSets:
        k = min(FIRST_SETS, self.max_sets)
        answer = self._listed(joint.top_k(k))
        while k < self.max_sets and not answer.complete.all():
            k = min(4 * k, self.max_sets)
            rows = np.flatnonzero(~answer.complete)
            longer = self._listed(joint.take(rows).top_k(k))
            answer = _padded(answer, k)
            for name in CandidateSets._fields:
                getattr(answer, name)[rows] = getattr(longer, name)
        return answer

    def _listed(self, top: TopK) -> CandidateSets:
        """Keep the sets above the threshold. The list is complete if it reaches below the threshold, or ends.

        Without a threshold, impossible sets are candidates too, and a list of possible sets is never complete.
        """
        inside = (top.log_prob >= self.log_threshold_) & (top.log_prob > -np.inf)
        inside[:, 0] = True
        labels = np.where(inside[:, :, None], top.labels, FREE).astype(np.int8)
        complete = top.certified & ~inside[:, -1]
        if self.log_threshold_ == -np.inf:
            n_allowed = sum(
                math.comb(self.n_labels_, size) for size in range(self.min_labels_, self.n_labels_ + 1)
            )
            complete = inside.sum(axis=1) == n_allowed
        return CandidateSets(labels, np.where(inside, top.log_prob, -np.inf), complete)


def _threshold(log_prob: Floats, weights: Floats, coverage: float) -> float:
    """The log-probability that all but the allowed share of held-out sets reach; -inf if there are too few rows.

    Weights (n,) count how many rows each held-out row represents. The threshold lies a rounding error below the set it
    comes from, so that this set passes however its probability is computed.

    Examples
    --------
    >>> round(_threshold(np.arange(19.0), np.ones(19), 0.9), 6)
    1.0
    """
    n = len(log_prob)
    allowed = (n + 1) * (1.0 - coverage) + 1e-9
    if allowed < 1.0:
        return -np.inf
    order = np.argsort(log_prob, kind="stable")
    passed = np.cumsum(weights[order]) * (n / weights.sum())
    least = float(log_prob[order[np.argmax(passed > allowed - 1.0)]])
    return least - TIE * (1.0 + abs(least)) if least > -np.inf else least


def _padded(part: CandidateSets, width: int) -> CandidateSets:
    missing = width - part.log_prob.shape[1]
    return CandidateSets(
        np.pad(part.labels, ((0, 0), (0, missing), (0, 0)), constant_values=FREE),
        np.pad(part.log_prob, ((0, 0), (0, missing)), constant_values=-np.inf),
        part.complete.copy(),
    )
