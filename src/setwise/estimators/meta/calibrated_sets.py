"""Calibration: sets said to be right with probability p are right in a share p of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.wrapped import WrappedClassifier
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.sample import sample_rows

MAX_ROWS = 4000
"""Rows whose held-out distributions are kept to choose the temperature."""
HOTTEST = 8.0


class CalibratedSets(WrappedClassifier):
    """An estimator whose probabilities of sets and labels are corrected on held-out rows.

    Parameters
    ----------
    estimator : estimator of setwise
        Cloned for every fold, and once more for all rows.
    method : {"temperature", "isotonic"}
        ``"temperature"`` divides all log-odds of the joint by one number, chosen by the held-out joint
        log-likelihood: all that can be asked stays one joint distribution. The probability that the answered set
        is right (:meth:`set_proba`) is then a logistic function of its log-odds. ``"isotonic"`` leaves the joint
        as it is, whatever the family, and maps two of its numbers by monotone regression: that probability, and
        the marginals (``predict_proba``, one map for all labels).
    cv : int or splitter
        Folds whose rows are judged by models of the others.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    estimator_ : the estimator fitted to all rows
    temperature_ : float
        1 with ``method="isotonic"``.
    set_map_, label_map_ : regressions with ``predict``
        From the joint's probability to the calibrated one; the second with ``method="isotonic"``.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun and K. Weinberger, "On calibration of modern neural networks", ICML 2017.
    C. Li, V. Pavlu, J. Aslam, B. Wang and K. Qin, "Learning to calibrate and rerank multi-label predictions",
    ECML PKDD 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance, CalibratedSets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> first = X[:, 0] + rng.normal(size=300) > 0
    >>> Y = np.column_stack([first, first]).astype(int)
    >>> model = CalibratedSets(BinaryRelevance(l2=1.0)).fit(X, Y)
    >>> bool(model.temperature_ > 0)
    True
    >>> model.set_proba([[3.0]]).shape
    (1,)
    """

    def __init__(
        self,
        estimator: SetClassifier,
        *,
        method: Literal["temperature", "isotonic"] = "temperature",
        cv: Any = 5,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self._check_inner()
        w = np.ones(len(Y)) if weights is None else weights
        held_out = self._held_out(X, Y, weights)
        self.temperature_ = 1.0
        if self.method == "temperature":
            few = list(_few(held_out, sample_rows(X, MAX_ROWS), len(Y)))
            self.temperature_ = _best_temperature(few, Y, w)
            held_out = iter([(rows, joint.tempered(self.temperature_)) for rows, joint in few])
        self._fit_maps(held_out, Y, w)
        self.estimator_ = clone(self.estimator).fit(X, Y, weights)

    def _held_out(
        self, X: Matrix, Y: Labels, weights: Floats | None
    ) -> Iterator[tuple[Array, LabelDistribution]]:
        """Rows, and their distributions by a model of the other folds, in blocks."""
        for train, test in _folds(self.cv, X, Y):
            own = None if weights is None else weights[train]
            model = clone(self.estimator).fit(X[train], Y[train], own)
            for rows, joint in model._blocks(X[test]):
                yield test[rows], joint

    def _fit_maps(self, held_out: Iterator[tuple[Array, LabelDistribution]], Y: Labels, w: Floats) -> None:
        said, right, marginals, weight = [], [], [], []
        for rows, joint in held_out:
            answer = joint.restricted(self.min_labels_).decide("subset")
            said.append(1.0 - answer.expected_loss)
            right.append((answer.labels == Y[rows]).all(axis=1))
            marginals.append(np.column_stack([joint.marginals().ravel(), Y[rows].ravel()]))
            weight.append(w[rows])
        if not weight:
            self.set_map_ = self.label_map_ = _LogisticMap(1.0, 0.0)
            return
        rows_weight, labels = np.concatenate(weight), np.concatenate(marginals)
        regress = _MonotoneMap.fit if self.method == "isotonic" else _LogisticMap.fit
        self.set_map_ = regress(np.concatenate(said), np.concatenate(right), rows_weight)
        if self.method == "isotonic":
            self.label_map_ = _MonotoneMap.fit(labels[:, 0], labels[:, 1], np.repeat(rows_weight, Y.shape[1]))

    def _distribution(self, X: Matrix) -> LabelDistribution:
        joint = super()._distribution(X)
        return joint if self.method == "isotonic" else joint.tempered(self.temperature_)

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        marginals = joint.marginals()
        if self.method != "isotonic":
            return marginals
        return np.asarray(self.label_map_.predict(marginals.ravel())).reshape(marginals.shape)

    def set_proba(self, X: Any) -> Floats:
        """The calibrated probability (n,) that each row's most probable set is the true one."""
        said = 1.0 - self.decide(X, "subset").expected_loss
        return np.asarray(self.set_map_.predict(said))


def _folds(cv: Any, X: Matrix, Y: Labels) -> Iterator[tuple[Array, Array]]:
    """Training and test rows; a number of folds deals rows by their content."""
    if not isinstance(cv, (int, np.integer)):
        yield from check_cv(cv).split(X, Y)
        return
    if cv < 2:
        raise ValueError(f"cv is {cv}; expected at least 2 folds, or a splitter")
    fold = row_folds(X, int(cv), outer=True)
    if fold is None:
        warnings.warn(
            f"{X.shape[0]} rows with too few different ones to hold some out: nothing was calibrated",
            UserWarning,
            stacklevel=2,
        )
        return
    for number in range(int(cv)):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def _few(
    held_out: Iterator[tuple[Array, LabelDistribution]], sample: Array, n_rows: int
) -> Iterator[tuple[Array, LabelDistribution]]:
    """The rows of a ``sample``: some are enough to choose one number."""
    for rows, joint in held_out:
        keep = np.flatnonzero(np.isin(rows, sample, kind="table"))
        if len(keep):
            yield (rows, joint) if len(sample) == n_rows else (rows[keep], joint.take(keep))


def _best_temperature(parts: list[tuple[Array, LabelDistribution]], Y: Labels, w: Floats) -> float:
    """The temperature with the largest held-out log-likelihood of the rows' sets; 1 without any."""
    if not parts:
        return 1.0

    def loss(log_temperature: float) -> float:
        total, weight = 0.0, 0.0
        for rows, joint in parts:
            log_prob = joint.tempered(float(np.exp(log_temperature))).log_prob(Y[rows])
            possible = log_prob > -np.inf  # a set held impossible stays so at any temperature
            total -= float(w[rows][possible] @ log_prob[possible])
            weight += float(w[rows].sum())
        return total / weight

    limit = np.log(HOTTEST)
    best = minimize_scalar(loss, bounds=(-limit, limit), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(best.x))


@dataclass(frozen=True)
class _LogisticMap:
    """expit(slope logit(p) + intercept)."""

    slope: float
    intercept: float

    @classmethod
    def fit(cls, said: Floats, seen: Array, weights: Floats) -> Self:
        """By maximum likelihood; as said where all or none were seen."""
        if len(np.unique(seen)) < 2:
            return cls(1.0, 0.0)
        model = LogisticRegression(C=1e6).fit(_log_odds(said)[:, None], seen, weights)
        return cls(float(model.coef_[0, 0]), float(model.intercept_[0]))

    def predict(self, said: Floats) -> Floats:
        """Calibrated probabilities."""
        return np.asarray(expit(self.slope * _log_odds(said) + self.intercept))


def _log_odds(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, 1e-9, 1.0 - 1e-9)))


@dataclass(frozen=True)
class _MonotoneMap:
    """A rising function by its corners (n,): linear between them, constant outside."""

    said: Floats
    seen: Floats

    @classmethod
    def fit(cls, said: Floats, seen: Array, weights: Floats) -> Self:
        """Fit by least squares (isotonic regression)."""
        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(said, seen, weights)
        return cls(np.array(model.X_thresholds_), np.array(model.y_thresholds_))

    def predict(self, said: Floats) -> Floats:
        """Calibrated probabilities."""
        return np.asarray(np.interp(said, self.said, self.seen))
