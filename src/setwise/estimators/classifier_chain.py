"""Classifier chains, greedy (CC) and probabilistic (PCC)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import Chain
from setwise.distributions.chain import Search
from setwise.estimators.base.linear import LearnerClassifier
from setwise.learning.labels.chain import (
    LearnedConditionals,
    fit_classifier_chain,
    fit_linear_chain,
    learned_order,
)
from setwise.learning.labels.classifiers import check_learner
from setwise.learning.linear.design import Design


class ClassifierChain(LearnerClassifier):
    """Each label given the features and the labels before it: P(y | x) = prod_j P(y_j | x, y_1 .. y_j-1).

    Any joint can be written so; what differs is how the most probable set is sought. ``search="greedy"`` is
    the classifier chain (CC) of Read et al. [1]_, the exact searches make it the probabilistic chain (PCC) of
    Dembczynski et al. [2]_. The model is trained on the true labels, all positions at once.

    Parameters
    ----------
    learner : {"logistic"} or scikit-learn classifier
        ``"logistic"`` fits all positions as one batch; any classifier is cloned per position and called once a
        level for all rows and prefixes.
    order : {"given", "random", "learned"} or array of shape (n_labels,)
        ``order[j]`` is the label at position j. ``"given"``: as the columns of y. ``"learned"``: every label after
        its parent in a :class:`ConditionalTree`. Columns of y and of the answers are never permuted.
    search : {"best_first", "greedy", "beam", "epsilon", "exhaustive", "monte_carlo"} or a search
        How the most probable sets are sought. ``"best_first"`` (A*) is exact with a certificate; a search with its
        own settings is e.g. ``setwise.inference.chains.beam.Beam(width=50)``.
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner; ``"auto"`` chooses one per label by cross-validation.
    standardize : bool
        Whether the logistic learner divides features by their scale.
    unit_rows : "auto" or bool
        Whether rows are first divided by their length; ``"auto"`` tries it on rows of counts, mostly zero, where
        ``l2`` is chosen too, and does it if held-out rows are told better.
    tol : float
        Relative accuracy of the logistic learner's objective.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.
    random_state : int, RandomState or None
        Draws the order, where it is random.

    Attributes
    ----------
    order_ : ndarray of shape (n_labels,)
    coef_ : ndarray of shape (n_features, n_labels)
        With the logistic learner: coefficients of the features as they came.
    intercept_ : ndarray of shape (n_labels,)
    coupling_ : ndarray of shape (n_labels, n_labels)
        With the logistic learner: ``coupling_[i, j]`` is what label i adds to the logit of label j.
    l2_ : ndarray of shape (n_labels,)
    classifiers_ : list
        With a scikit-learn learner: the fitted classifiers along the chain.

    Notes
    -----
    ``log_prob`` of complete sets and samples are exact. ``predict_proba`` and evidence that is not on the first
    labels of the chain are exact up to 10 open labels and estimated from 1000 draws beyond
    (see :class:`~setwise.distributions.Chain`).

    References
    ----------
    .. [1] J. Read, B. Pfahringer, G. Holmes and E. Frank, "Classifier chains for multi-label classification",
       Machine Learning 85, 2011; equation (2) of C. Hong, I. Batal and M. Hauskrecht, "A mixtures-of-trees framework
       for multi-label classification", CIKM 2014.
    .. [2] K. Dembczynski, W. Cheng and E. Huellermeier, "Bayes optimal multilabel classification via
       probabilistic classifier chains", ICML 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import ClassifierChain
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> first = X[:, 0] + rng.normal(size=200) > 0
    >>> Y = np.column_stack([first, ~first, X[:, 1] > 0]).astype(int)
    >>> chain = ClassifierChain(l2=1.0).fit(X, Y)
    >>> chain.predict([[1.0, 3.0], [-1.0, -3.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    >>> chain.distribution([[0.0, 3.0]]).mode().certified
    array([ True])
    """

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        order: Literal["given", "random", "learned"] | npt.ArrayLike = "given",
        search: Search = "best_first",
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
    ) -> None:
        self.learner = learner
        self.order = order
        self.search = search
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        self.order_ = self._choose_order(X, Y, weights)
        if not check_learner(self.learner):
            self.classifiers_ = fit_classifier_chain(self.learner, X, Y, weights, self.order_)
            return
        design = Design(X, Y, weights=weights, standardize=self.standardize)
        self.chain_ = fit_linear_chain(design, X, Y, weights, self.order_, l2=self.l2, tol=self.tol)
        scores = self.chain_.scores
        self.coef_, self.intercept_, self.coupling_ = scores.coef, scores.intercept, scores.labels
        self.l2_ = self.chain_.l2

    def _passes_rows_on(self) -> bool:
        return super()._passes_rows_on() and not (isinstance(self.order, str) and self.order == "learned")

    def _choose_order(self, X: Matrix, Y: Labels, weights: Floats | None) -> Array:
        L = Y.shape[1]
        if not isinstance(self.order, str):
            order = np.asarray(self.order)
            if not np.array_equal(np.sort(order, axis=None), np.arange(L)) or order.ndim != 1:
                raise ValueError(f"order is {order.tolist()}; expected each of the labels 0..{L - 1} once")
            return order
        if self.order == "given":
            return np.arange(L)
        if self.order == "random":
            return np.asarray(check_random_state(self.random_state).permutation(L))
        return learned_order(X, Y, weights, self.standardize)

    def _distribution(self, X: Matrix) -> Chain:
        if isinstance(self.learner, str):
            return Chain(self.chain_.conditionals(X), self.order_, search=self.search)
        learned = LearnedConditionals(X, self.classifiers_, self.label_names_[self.order_])
        return Chain(learned, self.order_, search=self.search)

    def _cells_per_row(self) -> int:
        # Other learners are given a copy of the row for every prefix of a search.
        return (
            self.n_labels_ if isinstance(self.learner, str) else 16 * (self.n_features_in_ + self.n_labels_)
        )
