"""The face every estimator shows: one ``fit``, and every question about the joint distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from setwise.blocks import block_rows, row_slices
from setwise.contract import FREE, Array, Decided, Floats, Labels, Matrix, TopK, in_order
from setwise.decisions import Decision, Rule
from setwise.decisions.named import resolve
from setwise.distributions import LabelDistribution
from setwise.distributions.outliers import Against, outlier_scores
from setwise.estimators.base.about import About
from setwise.estimators.base.callbacks import with_callbacks
from setwise.estimators.base.docstrings import fill_docstring
from setwise.estimators.base.fitting import Fitting
from setwise.estimators.base.parameters import check_parameters
from setwise.estimators.base.validation import (
    Targets,
    check_features,
    check_weights,
    informative,
    missing_fill,
    warn_of_unseen,
)
from setwise.kernels.matrices import fill_missing
from setwise.tables.tag_tables import are_tag_lists, tag_matrix
from setwise.views.answer import row_names_of


class SetClassifier(Fitting, ClassifierMixin, BaseEstimator, ABC):
    """A scikit-learn classifier of label matrices that stands on a :class:`LabelDistribution`.

    A method is a subclass with two parts: ``_fit`` learns from checked arrays, ``_distribution`` gives
    P(y | x) of checked rows. Everything a user calls is here.

    Attributes
    ----------
    n_labels_ : int
    label_names_ : ndarray of shape (n_labels,)
        Columns of the DataFrame of labels seen in ``fit``, else "0", "1", ...
    classes_ : ndarray of shape (n_labels,)
        Names of the labels, in the order of the columns, if they came with names, else their indices; after a
        one-dimensional y its classes.
    min_labels_ : int
        The smallest set that ``predict`` answers.
    fill_ : ndarray of shape (n_features,)
        In the place of missing features; only if some were missing in training and the method does not take them.
    """

    about: ClassVar[About | None] = None
    """What a method says about itself; None for estimators that stand around others."""
    takes_missing_labels: ClassVar[bool] = False
    """Whether ``fit`` sums out labels that are not known; -1 or NaN in y is an error where not."""

    fill_: Floats
    decision: Decision = "subset"
    min_labels: int | Literal["auto"] = "auto"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fill_docstring(cls)

    @abstractmethod
    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Learn from X (n, d), scaled if chosen so, Y (n, L) and positive weights (n,).

        Labels are FREE where not known, if the method takes missing labels; each row has a known one.
        """

    @abstractmethod
    def _distribution(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of each row of X, scaled as in ``_fit``."""

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        """P(y_j = 1 | x) of each row and label, (n, L)."""
        return joint.marginals()

    def _cells_per_row(self) -> int:
        """Entries of a row's tables, to size the blocks of streamed work."""
        return int(self.n_labels_)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the joint distribution of the labels given the features.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
            NaN marks a missing feature. A method that does not take it uses the median of the column.
        y : array, DataFrame or CSR of shape (n, L), or list of lists or sets of tags
            Label matrix of 0 and 1; -1 or NaN marks a label that is not known, where the estimator
            ``takes_missing_labels``. Each tag becomes a label, in alphabetical order. A row without any known label
            does not count. A one-dimensional y with two classes is taken as one label, and answered as scikit-learn's
            binary classifiers do.
        sample_weight : array of shape (n,), optional
            A weight of 2 counts as two equal rows, a weight of 0 as none.
        """
        self._check_parameters()
        X = check_features(self, X, reset=True)
        self._targets, Y = Targets.of(y, X.shape[0], partial=self.takes_missing_labels)
        weights = check_weights(sample_weight, X)
        counted = informative(Y, weights)
        if len(counted) < len(Y):
            X, Y, weights = X[counted], Y[counted], None if weights is None else weights[counted]
        X = self._fit_filling(X)
        warn_of_unseen(Y, self._targets.names)
        self.n_labels_ = Y.shape[1]
        self.label_names_ = self._targets.names
        self.min_labels_ = self._smallest_set(Y)
        with self._monitor(X, Y, weights):
            self._fit_scaling(X, Y, weights)
            self._fit(self._scaled(X), Y, weights)
        return self

    def _check_parameters(self) -> None:
        """Raise a ValueError that names a parameter with an invalid value."""
        check_parameters(self)
        self.rule()

    def _takes_nan(self) -> bool:
        """Whether the method itself takes missing features; where not, ``fit`` fills them."""
        return False

    def _fit_filling(self, X: Matrix) -> Matrix:
        """Rows with the medians of the columns in the place of NaN, unless the method takes it."""
        if hasattr(self, "fill_"):
            del self.fill_
        fill = None if self._takes_nan() else missing_fill(X)
        if fill is not None:
            self.fill_ = fill
        return self._filled(X)

    def _filled(self, X: Matrix) -> Matrix:
        """Rows with what ``fit`` chose in the place of missing features."""
        return fill_missing(X, self.fill_) if hasattr(self, "fill_") and not self._takes_nan() else X

    def _fit_scaling(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Choose how rows are scaled for ``_fit`` and ``_distribution``; by default they are not."""

    def _scaled(self, X: Matrix) -> Matrix:
        """Checked rows, scaled as ``_fit_scaling`` chose."""
        return X

    def _joint_of(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of checked rows."""
        return self._distribution(self._scaled(self._filled(X)))

    def _smallest_set(self, Y: Labels) -> int:
        if self.min_labels == "auto":
            complete = Y[(Y != FREE).all(axis=1)]
            return int(len(complete) > 0 and bool(complete.any(axis=1).all()))
        if not isinstance(self.min_labels, (int, np.integer)) or not 0 <= self.min_labels <= Y.shape[1]:
            raise ValueError(
                f"min_labels is {self.min_labels!r}; expected 'auto' or a number from 0 to the {Y.shape[1]} labels"
            )
        return int(self.min_labels)

    def distribution(self, X: Any) -> LabelDistribution:
        """P(y | x) of each row of ``X`` (n, d), to ask anything of.

        It carries the names of the labels, ``min_labels_`` and the decision, so that it answers what ``predict`` does;
        ``unrestricted()`` of it answers any set.
        """
        joint = self._answering(self._checked(X))
        joint.row_names = row_names_of(X)
        return joint

    def _answering(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of checked rows, with what may be answered."""
        joint = self._joint_of(X)
        joint.label_names, joint.min_labels = self.label_names_, self.min_labels_
        joint.decision, joint.own_decisions = self.rule(), self._own_decisions()
        return joint

    def predict(self, X: Any, *, decision: Decision | None = None) -> Array:
        """The label set (n, L) of each row that is best for the loss ``decision``, the constructor's by default."""
        rule = self.rule(decision)
        return self._targets.decode(self._stream(self._checked(X), lambda rows, p: p.predict(rule)))

    def predict_tags(self, X: Any, *, decision: Decision | None = None) -> list[list[str]]:
        """The names of the labels that ``predict`` answers for each row.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable, optional
            The loss to answer for; by default that of the constructor.

        Returns
        -------
        list of list of str

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> model = BinaryRelevance(l2=0.1).fit([[0.0], [1.0], [2.0]], [{"sand"}, {"sea", "sand"}, {"sea"}])
        >>> model.predict_tags([[0.0], [1.0]])
        [['sand'], ['sand', 'sea']]
        """
        answers = self.decide(X, decision).labels
        return [[str(name) for name in self.label_names_[row == 1]] for row in answers]

    def rule(self, decision: Decision | None = None) -> Rule:
        """What ``predict`` and ``decide`` answer by, the constructor's decision by default; no wrong name passes."""
        return resolve(self.decision if decision is None else decision, self._own_decisions())

    def _own_decisions(self) -> dict[str, Rule]:
        """Decisions that only this estimator knows by name."""
        return {}

    def decide(self, X: Any, decision: Decision | None = None) -> Decided:
        """The answer of ``predict`` with its expected loss under the model, its error, and whether it is certified."""
        rule = self.rule(decision)
        parts = [p.decide(rule) for _, p in self._blocks(self._checked(X))]
        best = Decided(*(np.concatenate(part) for part in zip(*parts)))
        return best.with_names(self.label_names_, row_names_of(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose whole set is predicted correctly.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        y : array, DataFrame or CSR of shape (n, L)
            True label sets; the columns of a DataFrame are matched by name.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        float

        Examples
        --------
        >>> import pandas as pd
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], pd.DataFrame({"sea": [0, 0, 1, 1], "sand": [1, 1, 1, 0]})
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.score(X, Y[["sand", "sea"]])
        1.0
        """
        check_is_fitted(self)
        true = tag_matrix(y, self.label_names_) if are_tag_lists(y) else in_order(y, self.label_names_, "y")
        return float(super().score(X, true, sample_weight))

    @property
    def classes_(self) -> Array:
        """The labels by name or index, or the classes of a one-dimensional y; only after ``fit``."""
        return self._targets.classes_or_labels()

    def predict_proba(self, X: Any) -> Floats:
        """P(y_j = 1 | x) of each row and label, (n, L), strictly between 0 and 1.

        After a one-dimensional y: the probability of each class, (n, 2).
        """
        limits = np.finfo(np.float64)
        least, most = limits.tiny, 1.0 - limits.epsneg
        marginals = self._stream(self._checked(X), lambda rows, p: np.clip(self._label_probs(p), least, most))
        if self._targets.classes is None:
            return marginals
        return np.hstack([1.0 - marginals, marginals])[:, : len(self._targets.classes)]

    def log_prob(self, X: Any, y: Any) -> Floats:
        """Log-probability (n,) of each row's label set; -1 in ``y`` (n, L) marks a label not observed."""
        X = self._checked(X)
        Y = self._targets.encode(y, X.shape[0], partial=True)
        return self._stream(X, lambda rows, p: p.log_prob(Y[rows]))

    def predict_top_k(self, X: Any, k: int) -> TopK:
        """The ``k`` most probable sets of each row with their log-probabilities, best first."""
        parts = [p.top_k(k) for _, p in self._blocks(self._checked(X))]
        best = TopK(*(np.concatenate(part) for part in zip(*parts)))
        return best.with_names(self.label_names_, row_names_of(X))

    def sample(self, X: Any, n_draws: int = 1, *, random_state: Any = None) -> Labels:
        """Label sets drawn from P(y | x), (n, n_draws, L)."""
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        rng = np.random.default_rng(seed)
        return self._stream(self._checked(X), lambda rows, p: p.sample(n_draws, rng))

    def outlier_score(self, X: Any, y: Any, *, against: Against = "mode") -> Floats:
        """How much less probable each given set is than others, in logs, (n,): large where labels look wrong.

        ``against="mode"`` compares with the most probable set, log P(mode) - log P(y); ``"size"`` with the most
        probable set of as many labels; ``"flips"`` with the mean over the sets that differ in one label.
        :func:`setwise.find_label_errors` scores rows by models that were not trained on them.
        """
        X = self._checked(X)
        Y = self._targets.encode(y, X.shape[0])
        return self._stream(X, lambda rows, p: outlier_scores(p, Y[rows], against))

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        return self._filled(check_features(self, X, reset=False))

    def block_rows(self) -> int:
        """How many rows are computed at a time; cutting X at its multiples changes no answer."""
        return block_rows(self._cells_per_row())

    def _blocks(self, X: Matrix) -> Iterator[tuple[slice, LabelDistribution]]:
        """Rows in blocks that bound memory, with their distributions."""
        for rows in self._slices(X):
            yield rows, self._answering(X[rows])

    def _slices(self, X: Matrix) -> Iterator[slice]:
        return row_slices(X.shape[0], self._cells_per_row())

    def _stream(self, X: Matrix, answer: Callable[[slice, LabelDistribution], Array]) -> Array:
        """An answer for each row of checked X, computed in blocks."""
        return np.concatenate([answer(rows, p) for rows, p in self._blocks(X)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.multi_output = True
        return tags
