"""The interface of every estimator: ``fit``, ``predict``, and all questions about the joint distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from setwise.blocks import block_rows, row_slices
from setwise.contract import FREE, Array, Floats, Labels, Matrix, in_order
from setwise.decisions import Decision, Rule
from setwise.decisions.named import resolve
from setwise.distributions import ForestMixture, LabelDistribution
from setwise.estimators.base.about import About
from setwise.estimators.base.callbacks import with_callbacks
from setwise.estimators.base.checks.parameters import check_parameters
from setwise.estimators.base.checks.validation import (
    Targets,
    check_features,
    check_weights,
    informative,
    missing_fill,
    warn_of_unseen,
)
from setwise.estimators.base.docstrings import fill_docstring
from setwise.estimators.base.explaining import Explaining
from setwise.estimators.base.fitting import Fitting
from setwise.estimators.base.questions import Questions
from setwise.kernels.blas import one_blas_thread
from setwise.kernels.matrices import fill_missing
from setwise.printable import plain_repr
from setwise.tables.labels.tag_tables import are_tag_lists, tag_matrix
from setwise.views.answer import row_names_of


class SetClassifier(Fitting, Questions, Explaining, ClassifierMixin, BaseEstimator, ABC):
    """Base class of all estimators: a scikit-learn classifier that predicts a :class:`LabelDistribution`.

    A subclass implements two methods: ``_fit`` learns from checked arrays, and ``_distribution`` returns P(y | x) of
    checked rows. Everything that users call is inherited.

    Attributes
    ----------
    n_labels_ : int
        Number of labels.
    label_names_ : ndarray of shape (n_labels,)
        Column names of a DataFrame y, otherwise ``"0"``, ``"1"``, ...
    classes_ : ndarray of shape (n_labels,)
        Column names of a DataFrame y, otherwise the indices of the columns. For a one-dimensional y, its classes.
    min_labels_ : int
        Smallest number of labels that ``predict`` returns.
    fill_ : ndarray of shape (n_features,)
        Replaces missing features. Set only if some were missing in training and the method does not accept them.
    baseline_ : ndarray of shape (n_features,)
        A typical row, which explanations compare with: means, and zero for features that are zero in most rows.

    Examples
    --------
    >>> from setwise import BinaryRelevance, SetClassifier
    >>> isinstance(BinaryRelevance(), SetClassifier)
    True
    """

    about: ClassVar[About | None] = None
    """Description of the method; None for estimators that wrap another one."""
    takes_missing_labels: ClassVar[bool] = False
    """Whether ``fit`` accepts unknown labels (-1 or NaN in y), which it sums out. If not, they are an error."""

    fill_: Floats
    decision: Decision = "subset"
    min_labels: int | Literal["auto"] = "auto"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fill_docstring(cls)

    @abstractmethod
    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        """Learn from X (n, d), scaled as ``_fit_scaling`` chose, Y (n, L) and positive weights (n,).

        If the method takes missing labels, unknown ones are FREE. Each row has at least one known label.
        """

    @abstractmethod
    def _distribution(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of each row of X, scaled as in ``_fit``."""

    def _label_probs(self, joint: LabelDistribution) -> Floats:
        """P(y_j = 1 | x) of each row and label, (n, L)."""
        return joint.marginals()

    def _cells_per_row(self) -> int:
        """Number of array entries that a row needs, from which the size of blocks follows."""
        return int(self.n_labels_)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the joint distribution of the labels given the features.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
            NaN marks a missing feature. A method that does not accept it uses the median of the column.
        y : array, DataFrame or CSR of shape (n, L), or list of lists or sets of tags
            Label matrix of 0 and 1. If the estimator ``takes_missing_labels``, -1 or NaN marks an unknown label; rows
            without a known label are ignored. Each tag of a list becomes a label, in alphabetical order. A
            one-dimensional y with two classes is treated as a single label, and the estimator then behaves like a
            binary classifier of scikit-learn.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts as two equal rows; a row of weight 0 is ignored.

        Returns
        -------
        self

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> BinaryRelevance(l2=0.01).fit(X, Y).n_labels_
        2
        """
        self._check_parameters()
        X = check_features(self, X, reset=True)
        self._targets, Y = Targets.of(y, X.shape[0], partial=self.takes_missing_labels)
        weights = check_weights(sample_weight, X)
        counted = informative(Y, weights)
        if len(counted) < len(Y):
            X, Y, weights = X[counted], Y[counted], None if weights is None else weights[counted]
        self._fit_baseline(X, missing_fill(X), weights)
        X = self._fit_filling(X)
        warn_of_unseen(Y, self._targets.names)
        self.n_labels_ = Y.shape[1]
        self.label_names_ = self._targets.names
        self.min_labels_ = self._smallest_set(Y)
        with self._monitor(X, Y, weights), one_blas_thread():
            self._fit_scaling(X, Y, weights)
            self._fit(self._scaled(X), Y, weights)
        return self

    def _check_parameters(self) -> None:
        """Raise a ValueError that names a parameter with an invalid value."""
        check_parameters(self)
        self.rule()

    def _unweighted(self) -> Self:
        """This model without what weights of labels do to its probabilities."""
        return self

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
        """Choose how rows are scaled for ``_fit`` and ``_distribution``. By default they are not scaled."""

    def _scaled(self, X: Matrix) -> Matrix:
        """Scale checked rows as ``_fit_scaling`` chose."""
        return X

    def _joint_of(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of checked rows."""
        return self._distribution(self._prepared(X))

    def _prepared(self, X: Matrix) -> Matrix:
        """Fill and scale checked rows as ``_distribution`` takes them."""
        return self._scaled(self._filled(X))

    def _smallest_set(self, Y: Labels) -> int:
        if self.min_labels == "auto":
            complete = Y[(Y != FREE).all(axis=1)]
            return int(len(complete) > 0 and bool(complete.any(axis=1).all()))
        if not isinstance(self.min_labels, (int, np.integer)) or not 0 <= self.min_labels <= Y.shape[1]:
            raise ValueError(
                f"min_labels is {plain_repr(self.min_labels)}; expected 'auto' or a whole number from 0 to "
                f"{Y.shape[1]}, the number of labels"
            )
        return int(self.min_labels)

    def distribution(self, X: Any) -> LabelDistribution:
        """Predict P(y | x), the joint distribution of the labels of each row.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)

        Returns
        -------
        LabelDistribution
            It keeps the label names, ``min_labels_`` and the decision, so its answers agree with ``predict``. Its
            method ``unrestricted`` lifts ``min_labels_``.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.distribution(X).query({0: 1, 1: 1}).round(2)
        array([0.  , 0.07, 0.87, 0.07])
        """
        joint = self._answering(self._checked(X))
        joint.row_names = row_names_of(X)
        return joint

    def _answering(self, X: Matrix) -> LabelDistribution:
        """P(y | x) of checked rows, with the label names and the restriction on answers."""
        joint = self._joint_of(X)
        joint.label_names, joint.min_labels = self.label_names_, self.min_labels_
        joint.decision, joint.own_decisions = self.rule(), self._own_decisions()
        return joint

    def predict(self, X: Any, *, decision: Decision | None = None) -> Array:
        """Predict the label set of each row that minimizes an expected loss.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
            The loss. By default, the constructor's ``decision``.

        Returns
        -------
        array of shape (n, L)
            For a one-dimensional y: the class of each row, (n,).

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.predict(X)
        array([[0, 1],
               [0, 1],
               [1, 1],
               [1, 0]])
        """
        rule, rows = self.rule(decision), self._checked(X)
        if rule.whole_batch:
            return self._targets.decode(self._whole_batch(rows).predict(rule))
        return self._targets.decode(self._stream(rows, lambda _, p: p.predict(rule)))

    def predict_tags(self, X: Any, *, decision: Decision | None = None) -> list[list[str]]:
        """The names of the labels that ``predict`` answers for each row.

        Parameters
        ----------
        X : array, DataFrame or CSR of shape (n, d)
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
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
        """Convert a decision to a rule; an unknown name is an error.

        Parameters
        ----------
        decision : {"subset", "hamming", "f1", "jaccard", "macro_f1", ...}, rule or callable, optional
            By default, the constructor's ``decision``.

        Returns
        -------
        Rule

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> BinaryRelevance(decision="f1").rule()
        FBeta(beta=1.0, both_empty=1.0)
        """
        return resolve(self.decision if decision is None else decision, self._own_decisions())

    def _own_decisions(self) -> dict[str, Rule]:
        """Named decisions that only this estimator has."""
        return {}

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose label set is predicted exactly.

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
        """Names or indices of the labels, or the classes of a one-dimensional y. Only after ``fit``."""
        return self._targets.classes_or_labels()

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self)
        return self._filled(check_features(self, X, reset=False))

    def block_rows(self) -> int:
        """Number of rows that are processed at a time to bound memory.

        Returns
        -------
        int
            Splitting X at multiples of it changes no answer.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
        >>> model = BinaryRelevance(l2=0.01).fit(X, Y)
        >>> model.block_rows() > 4
        True
        """
        return block_rows(self._cells_per_row())

    def _blocks(self, X: Matrix) -> Iterator[tuple[slice, LabelDistribution]]:
        """Yield blocks of rows, small enough to bound memory, with their distributions."""
        for rows in self._slices(X):
            yield rows, self._answering(X[rows])

    def _slices(self, X: Matrix) -> Iterator[slice]:
        return row_slices(X.shape[0], self._cells_per_row())

    def _whole_batch(self, X: Matrix) -> LabelDistribution:
        """One distribution of all rows of checked X, for measures of a batch.

        Rows that do not fit into one block keep only their marginals, which is all that large batches need.
        """
        if X.shape[0] <= self.block_rows():
            return self._answering(X)
        marginals = self._stream(X, lambda _, p: np.clip(p.marginals(), 0.0, 1.0))
        whole = ForestMixture.independent(logit(marginals))
        whole.label_names, whole.min_labels = self.label_names_, self.min_labels_
        return whole

    def _stream(self, X: Matrix, answer: Callable[[slice, LabelDistribution], Array]) -> Array:
        """Compute an answer for each row of checked X in blocks."""
        return np.concatenate([answer(rows, p) for rows, p in self._blocks(X)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.multi_output = True
        return tags
