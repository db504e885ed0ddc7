"""Calibration: of the sets predicted with probability p, a share p is right."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.estimators.base.kinds.wrapped import EstimatorWrapper
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.estimators.meta.held_out import held_out_folds
from setwise.explanations.scored import Scored
from setwise.learning.by_content.sample import sample_rows
from setwise.learning.progress.monitor import current_monitor

MAX_ROWS = 4000
"""Rows whose held-out distributions are kept to choose the temperature."""
HOTTEST = 8.0


class CalibratedSets(EstimatorWrapper):
    """Correct an estimator's probabilities of sets and labels on held-out rows.

    The shift of probabilities by ``class_weight`` is known and taken off first, exactly.

    Parameters
    ----------
    estimator : setwise estimator, or FrozenEstimator around a fitted one
        Cloned and fitted for every fold, and once more to all rows. A frozen estimator is not fitted again: all rows
        passed to ``fit`` are held-out rows, which it must not have seen.
    method : {"temperature", "isotonic"}, default="temperature"
        ``"temperature"`` divides all log-odds of the joint by one number, which maximizes the held-out joint
        log-likelihood. All answers still come from one joint distribution. The probability that the predicted set is
        right (:meth:`set_proba`) is then a logistic function of its log-odds. ``"isotonic"`` keeps the joint, and maps
        two of its numbers by monotone regression: that probability, and the marginals (``predict_proba``, one map for
        all labels).
    cv : int or splitter, default=5
        Folds whose rows are predicted by models of the other folds. Not used for a frozen estimator.
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    estimator_ : SetClassifier
        The estimator fitted to all rows, or the frozen one.
    temperature_ : float
        Divisor of the log-odds; 1 for ``method="isotonic"``.
    set_map_, label_map_ : regressions with ``predict``
        Maps from a probability of the joint to the calibrated one. ``label_map_`` exists for ``method="isotonic"``.
    {label_attributes}

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

    A model that was fitted before keeps its parameters:

    >>> from sklearn.frozen import FrozenEstimator
    >>> fitted = BinaryRelevance(l2=1.0).fit(X[:150], Y[:150])
    >>> CalibratedSets(FrozenEstimator(fitted)).fit(X[150:], Y[150:]).estimator_ is fitted
    True
    """

    def __init__(
        self,
        estimator: SetClassifier | FrozenEstimator,
        *,
        method: Literal["temperature", "isotonic"] = "temperature",
        cv: Any = 5,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        w = np.ones(len(Y)) if weights is None else weights
        held_out = self._held_out(X, Y, weights)
        self.temperature_ = 1.0
        if self.method == "temperature":
            few = list(_few(held_out, sample_rows(X, MAX_ROWS), len(Y)))
            self.temperature_ = _best_temperature(few, Y, w)
            held_out = iter([(rows, joint.tempered(self.temperature_)) for rows, joint in few])
        self._fit_maps(held_out, Y, w)
        model = self._frozen() if self._is_frozen() else self._seeded(self.estimator).fit(X, Y, weights)
        self.estimator_ = model._unweighted()

    def _held_out(
        self, X: Matrix, Y: Labels, weights: Floats | None
    ) -> Iterator[tuple[Array, LabelDistribution]]:
        """Rows, and their distributions by a model that has not seen them, in blocks."""
        if self._is_frozen():
            everything = np.arange(X.shape[0])
            yield from ((everything[rows], joint) for rows, joint in self._frozen()._unweighted()._blocks(X))
            return
        template = self._seeded(self.estimator)
        folds = [*held_out_folds(self.cv, X, Y)]
        if not folds:
            warnings.warn(
                f"the {X.shape[0]} rows have too few distinct ones to hold some out; nothing was calibrated",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        for train, test in current_monitor().steps("folds", folds):
            own = None if weights is None else weights[train]
            model = clone(template).fit(X[train], Y[train], own)._unweighted()
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
            self.set_map_: _LogisticMap | _MonotoneMap = _LogisticMap(1.0, 0.0)
            self.label_map_: _LogisticMap | _MonotoneMap = self.set_map_
            return
        rows_weight, labels = np.concatenate(weight), np.concatenate(marginals)
        regress = _MonotoneMap.fit if self.method == "isotonic" else _LogisticMap.fit
        self.set_map_ = regress(np.concatenate(said), np.concatenate(right), rows_weight)
        if self.method == "isotonic":
            self.label_map_ = _MonotoneMap.fit(labels[:, 0], labels[:, 1], np.repeat(rows_weight, Y.shape[1]))

    def _distribution(self, X: Matrix) -> LabelDistribution:
        joint = super()._distribution(X)
        return joint if self.method == "isotonic" else joint.tempered(self.temperature_)

    def _scored(self) -> Scored | None:
        """None: a temperature, or a map of the probabilities, changes what the model's scores mean."""
        return None

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        marginals = joint.marginals()
        if self.method != "isotonic":
            return marginals
        return np.asarray(self.label_map_.predict(marginals.ravel())).reshape(marginals.shape)

    def set_proba(self, X: Any) -> Floats:
        """Calibrated probability that the most probable set of each row is right.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from setwise import BinaryRelevance, CalibratedSets
        >>> X = np.random.default_rng(0).normal(size=(100, 1))
        >>> model = CalibratedSets(BinaryRelevance(l2=1.0)).fit(X, X > 0)
        >>> bool(model.set_proba([[3.0]]) > model.set_proba([[0.0]]))
        True
        """
        said = 1.0 - self.decide(X, "subset").expected_loss
        return np.asarray(self.set_map_.predict(said))


def _few(
    held_out: Iterator[tuple[Array, LabelDistribution]], sample: Array, n_rows: int
) -> Iterator[tuple[Array, LabelDistribution]]:
    """Keep the rows of a ``sample``, which are enough to choose one number."""
    for rows, joint in held_out:
        keep = np.flatnonzero(np.isin(rows, sample, kind="table"))
        if len(keep):
            yield (rows, joint) if len(sample) == n_rows else (rows[keep], joint.take(keep))


def _best_temperature(parts: list[tuple[Array, LabelDistribution]], Y: Labels, w: Floats) -> float:
    """The temperature that maximizes the held-out log-likelihood of the label sets; 1 without rows."""
    if not parts:
        return 1.0

    def loss(log_temperature: float) -> float:
        total, weight = 0.0, 0.0
        for rows, joint in parts:
            log_prob = joint.tempered(float(np.exp(log_temperature))).log_prob(Y[rows])
            possible = log_prob > -np.inf  # an impossible set stays impossible at any temperature
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
        """Fit by maximum likelihood; the identity if all or none were right."""
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
