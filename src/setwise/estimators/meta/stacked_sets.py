"""A stack of joints: a weighted mean of the distributions of several estimators."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from setwise.contract import Array, Bools, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution, Mixture
from setwise.estimators.base.checks.validation import check_features, missing_fill
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.base.stack import user_stacklevel
from setwise.estimators.catalog import candidates, expected_cost
from setwise.estimators.meta.ability import why_unable
from setwise.estimators.meta.held_out import held_out_folds
from setwise.estimators.meta.leaderboard import Leaderboard
from setwise.estimators.meta.search.candidate import FAILURES
from setwise.explanations.mixed import Mixed
from setwise.explanations.scored import Scored
from setwise.kernels.matrices import fill_missing
from setwise.learning.by_content.folds import row_folds
from setwise.learning.mixtures.pooling.pool import drop_useless, pool_weights
from setwise.learning.mixtures.pooling.pool_gate import PoolGate, fit_pool_gate
from setwise.learning.progress.monitor import current_monitor

MAX_COST = 10
"""Largest expected cost of a member that is stacked without being asked for, in units of binary relevance."""


class StackedSets(SetClassifier):
    """A linear pool of joints: P(y | x) = sum_m v_m P_m(y | x) [1]_.

    The weights v maximize the log-likelihood of rows that the members have not seen, which is a concave problem.
    Members that do not help are dropped, and the others are fitted again to all rows. The pool is a mixture: every
    answer is as exact as those of its members, and its most probable sets are proved by merging their lists.

    Parameters
    ----------
    estimators : "auto" or sequence of estimators, default="auto"
        Setwise estimators with a joint log-probability. ``"auto"`` takes the cheap methods that the automatic choice
        tries. Members that cannot take the missing features (NaN) or missing labels of the training rows are left out.
    cv : int or splitter, default=5
        Folds whose rows are predicted by members fitted to the other folds.
    gate : {"constant", "softmax"}, default="constant"
        Whether the weights may depend on the row. ``"softmax"`` lets a few features decide, those that tell best which
        member is right, unless constant weights are as good for held-out rows.
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    estimators_ : list of SetClassifier
        The members that are used, fitted to all rows.
    weights_ : ndarray of shape (n_members,)
        Their weights; with a gate, the means over the held-out training rows.
    gate_ : PoolGate
        The weights of each row, if they are not constant.
    leaderboard_ : Leaderboard
        A dict per member, the one of largest weight first: ``name``, ``log_loss`` (nats per held-out row),
        ``standard_error``, ``weight``, ``rows`` it was fitted to in the end, ``seconds`` of all its fits, and
        ``status``.
    {label_attributes}

    References
    ----------
    .. [1] P. Smyth and D. Wolpert, "Linearly combining density estimators via stacking", Machine Learning 36, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import BinaryRelevance, DecisionForest, StackedSets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] * X[:, 1] > 0]).astype(int)
    >>> model = StackedSets([BinaryRelevance(), DecisionForest(50)], cv=3, random_state=0).fit(X, Y)
    >>> bool(np.isclose(model.weights_.sum(), 1.0))
    True
    """

    takes_missing_labels = True
    gate_: PoolGate

    def __init__(
        self,
        estimators: Literal["auto"] | Sequence[SetClassifier] = "auto",
        *,
        cv: Any = 5,
        gate: Literal["constant", "softmax"] = "constant",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.gate = gate
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def of_fitted(cls, members: Sequence[SetClassifier], weights: Floats) -> Self:
        """Stack estimators that were fitted to rows with the same columns and labels.

        Parameters
        ----------
        members : sequence of fitted estimators
        weights : ndarray of shape (n_members,)

        Returns
        -------
        StackedSets
            Fitted. Its leaderboard has the weights only.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise import BinaryRelevance, ConditionalTree, StackedSets
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> members = [method(l2=0.1).fit(X, Y) for method in (BinaryRelevance, ConditionalTree)]
        >>> StackedSets.of_fitted(members, np.array([0.5, 0.5])).predict([[0.0]])
        array([[0, 1]])
        """
        stack = cls([clone(member) for member in members])
        stack.estimators_, stack.weights_ = list(members), np.asarray(weights, dtype=np.float64)
        for name in _SHARED:
            if hasattr(members[0], name):
                setattr(stack, name, getattr(members[0], name))
        rows = zip(members, stack.weights_.tolist())
        stack.leaderboard_ = Leaderboard([_unjudged(member, weight) for member, weight in rows])
        return stack

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.estimators, str) and self.estimators != "auto":
            raise ValueError(f"estimators is {self.estimators!r}; expected 'auto' or a list of estimators")
        given = self._templates()
        if not given or not all(isinstance(member, SetClassifier) for member in given):
            raise ValueError("estimators must be a list of at least one setwise estimator")
        if self.gate not in ("constant", "softmax"):
            raise ValueError(f"gate is {self.gate!r}; expected 'constant' or 'softmax'")

    def _templates(self) -> list[SetClassifier]:
        if not isinstance(self.estimators, str):
            return list(self.estimators)
        return [member for member in candidates() if expected_cost(member) <= MAX_COST]

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        members = [_Member(self._seeded(template), why_unable(template, Y)) for template in self._templates()]
        able = [member for member in members if member.status is None]
        if not able:
            reasons = "; ".join(f"{member.name}: {member.status}" for member in members)
            raise ValueError(f"none of the estimators can be fitted to these rows. {reasons}")
        w = np.ones(len(Y)) if weights is None else weights
        folds = [*held_out_folds(self.cv, X, Y)]
        for train, test in current_monitor().steps("folds", folds):
            for member in able:
                member.predict_held_out(X, Y, weights, train, test)
        for member in able:
            member.judge(len(folds))
        kept, shares = _pool([member for member in able if member.status is None], w)
        self.estimators_ = [member.fit(X, Y, weights) for member in kept]
        for model in self.estimators_:
            model.label_names_ = self.label_names_
        self.weights_ = self._fit_gate(X, kept, shares, w)
        self.leaderboard_ = _board(members, kept, self.weights_, w)

    def _fit_gate(self, X: Matrix, kept: list[_Member], shares: Floats, w: Floats) -> Floats:
        """Fit weights that depend on the row, if that is asked for and helps; return the mean weights."""
        if hasattr(self, "gate_"):
            del self.gate_
        judged = _judged(kept)
        if self.gate == "constant" or len(kept) == 1 or not judged.any():
            return shares
        fill = missing_fill(X)
        rows = (X if fill is None else fill_missing(X, fill))[judged]
        gate = fit_pool_gate(rows, _log_probs(kept, judged), w[judged], row_folds(rows))
        if gate is None:
            return shares
        self.gate_ = gate
        return np.average(np.exp(gate.log_weights(rows)), axis=0, weights=w[judged])

    def _checked(self, X: Any) -> Array:
        """Check rows for every member: one that was dropped may have taken NaN in training."""
        X = super()._checked(X)
        for member in self.estimators_:
            check_features(member, X, reset=False)
        return X

    def _scored(self) -> Scored | None:
        parts = [member._scored() for member in self.estimators_]
        known = [part for part in parts if part is not None]
        if hasattr(self, "gate_"):
            return None
        return Mixed(tuple(known), tuple(self.weights_)) if len(known) == len(parts) else None

    def _distribution(self, X: Matrix) -> LabelDistribution:
        parts = [member._joint_of(X) for member in self.estimators_]
        if len(parts) == 1:
            return parts[0]
        constant = not hasattr(self, "gate_")
        weights = np.tile(np.log(self.weights_), (X.shape[0], 1)) if constant else self.gate_.log_weights(X)
        return Mixture(weights, parts)

    def _cells_per_row(self) -> int:
        return sum(int(member._cells_per_row()) for member in self.estimators_)

    def _takes_nan(self) -> bool:
        """Members fill missing features by themselves."""
        return True


_SHARED = ("_targets", "n_labels_", "label_names_", "min_labels_", "n_features_in_", "feature_names_in_")
"""What a stack has in common with each of its members."""


def _unjudged(member: SetClassifier, weight: float) -> dict[str, Any]:
    unknown = dict.fromkeys(("log_loss", "standard_error", "rows", "seconds"))
    return {"name": " ".join(repr(member).split()), **unknown, "weight": weight, "status": "used"}


class _Member:
    """An estimator, and the log-probabilities (n,) of held-out rows under it, NaN if a row was never held out."""

    def __init__(self, template: Any, unable: str | None) -> None:
        self.template, self.name = template, " ".join(repr(template).split())
        self.status = None if unable is None else f"left out: {unable}"
        self.log_prob: Floats = np.empty(0)
        self.seconds = 0.0
        self.errors: list[str] = []

    def predict_held_out(
        self, X: Matrix, Y: Labels, weights: Floats | None, train: Array, test: Array
    ) -> None:
        """Fit a clone to the training rows; after an error the rows are not judged."""
        if not len(self.log_prob):
            self.log_prob = np.full(len(Y), np.nan)
        clock = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a member that may be dropped
                own = None if weights is None else weights[train]
                model = clone(self.template).fit(X[train], Y[train], sample_weight=own)
                self.log_prob[test] = model.log_prob(X[test], Y[test])
        except FAILURES as error:
            self.errors.append(str(error))
        self.seconds += time.perf_counter() - clock

    def judge(self, n_folds: int) -> None:
        """Give up a member that failed in every fold."""
        if n_folds and len(self.errors) == n_folds:
            self.status = f"failed: {self.errors[0]}"

    def fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> Any:
        """Fit the estimator to all rows."""
        clock = time.perf_counter()
        model = self.template.fit(X, Y, sample_weight=weights)
        self.seconds += time.perf_counter() - clock
        return model


def _pool(able: list[_Member], w: Floats) -> tuple[list[_Member], Floats]:
    """Weigh the members by the rows that were held out; equally if none were."""
    if not able:
        raise ValueError("every estimator failed; fit one of them by itself to see the error")
    judged = _judged(able)
    if not judged.any():
        warnings.warn(
            "too few distinct rows can be held out; all estimators weigh the same",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
        return able, np.full(len(able), 1.0 / len(able))
    log_probs = _log_probs(able, judged)
    kept = drop_useless(log_probs, w[judged])
    return [able[m] for m in kept], pool_weights(log_probs[:, kept], w[judged])


def _judged(members: list[_Member]) -> Bools:
    """Whether each row was held out from every member; without folds there are none."""
    return np.all([~np.isnan(member.log_prob) for member in members], axis=0)


def _log_probs(members: list[_Member], judged: Bools) -> Floats:
    return np.stack([member.log_prob[judged] for member in members], axis=1)


def _board(members: list[_Member], kept: list[_Member], shares: Floats, w: Floats) -> Leaderboard:
    weight_of = {id(member): float(share) for member, share in zip(kept, shares)}
    entries = []
    for member in sorted(members, key=lambda member: -weight_of.get(id(member), -1.0)):
        status = member.status or ("used" if id(member) in weight_of else "dropped: it does not help")
        loss, error = _loss(member.log_prob, w)
        entries.append(
            {
                "name": member.name,
                "log_loss": loss,
                "standard_error": error,
                "weight": weight_of.get(id(member), 0.0),
                "rows": len(w) if id(member) in weight_of else 0,
                "seconds": round(member.seconds, 3),
                "status": status,
            }
        )
    return Leaderboard(entries)


def _loss(log_prob: Floats, w: Floats) -> tuple[float | None, float | None]:
    judged = ~np.isnan(log_prob)
    if not judged.any():
        return None, None
    losses = -log_prob[judged]
    mean = float(np.average(losses, weights=w[: len(log_prob)][judged]))
    error = float(losses.std() / np.sqrt(len(losses))) if np.isfinite(losses).all() else None
    return mean, error
