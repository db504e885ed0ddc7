"""Classifier chains, greedy (CC) and probabilistic (PCC)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import Chain
from setwise.distributions.chain import Search
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.label_weighted import LabelWeighted
from setwise.estimators.base.kinds.linear import LearnerClassifier, LinearInFeatures
from setwise.explanations.scored import Scored
from setwise.learning.labels.chain import (
    LearnedConditionals,
    fit_classifier_chain,
    fit_linear_chain,
    learned_order,
)
from setwise.learning.labels.classifiers import check_learner
from setwise.learning.linear.design import Design
from setwise.learning.linear.scores import LinearScores


class ClassifierChain(LabelWeighted, LinearInFeatures, LearnerClassifier):
    """Predict each label from the features and the labels before it (CC, PCC).

    P(y | x) = prod_j P(y_j | x, y_1 .. y_j-1). Any joint distribution can be written this way. The search for the most
    probable set makes the difference: ``search="greedy"`` is the classifier chain (CC) of Read et al. [1]_, an exact
    search the probabilistic classifier chain (PCC) of Dembczynski et al. [2]_. Training uses the true labels.

    Parameters
    ----------
    learner : "logistic" or classifier, default="logistic"
        ``"logistic"`` fits all positions at once. A scikit-learn classifier is cloned for each position, and called
        once per position for all rows.
    order : {"given", "random", "learned"} or array of shape (n_labels,), default="given"
        ``order[j]`` is the label at position j. ``"given"`` is the order of the columns of y. ``"learned"`` puts every
        label after its parent in a :class:`ConditionalTree`. Columns of y and of predictions keep their order.
    search : {"best_first", "greedy", "beam", "epsilon", "exhaustive", "monte_carlo"} or search, default="best_first"
        How to look for the most probable sets. ``"best_first"`` (A*) is exact and certifies it, within a budget. A
        search with settings is for example ``setwise.inference.chains.beam.Beam(width=50)``.
    {l2}
    {class_weight}
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    random_state : int, RandomState or None, default=None
        Seed of a random order, and of a ``learner`` without a seed.
    {verbose}

    Attributes
    ----------
    order_ : ndarray of shape (n_labels,)
        Label at each position.
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the logistic learner, in the units of the features (of normalized rows if ``unit_rows_``).
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the logistic learner.
    coupling_ : ndarray of shape (n_labels, n_labels)
        ``coupling_[i, j]`` is what label i adds to the logit of label j, with the logistic learner.
    l2_ : ndarray of shape (n_labels,)
        Penalties of the logistic learner.
    classifiers_ : list
        Fitted clones of a scikit-learn learner, along the chain.
    {weight_shift_}
    {unit_rows_}
    {label_attributes}

    Notes
    -----
    ``log_prob`` of complete sets and samples are exact. ``predict_proba``, and evidence other than on the first labels
    of the chain, are exact up to 10 unobserved labels and estimated beyond: ``predict_proba`` to a standard error of
    .01, the others from 1000 draws (see :class:`~setwise.distributions.Chain`).

    The default search spends about a millisecond a row. With more than some hundred labels it is a beam, whose answer
    may come without a certificate; ``mode`` then gives the gap.

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

    about = About(
        short="chain",
        suits="strong dependence, up to some tens of labels",
        joint="a chain",
        cost=2.5,
        trials=(Trial(2),),
    )

    def __init__(
        self,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        order: Literal["given", "random", "learned"] | npt.ArrayLike = "given",
        search: Search = "best_first",
        l2: float | Literal["auto"] = "auto",
        class_weight: Literal["balanced"] | Mapping[Any, Any] | None = None,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.order = order
        self.search = search
        self.l2 = l2
        self.class_weight = class_weight
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        label_weights = self._label_weights(Y, weights)
        self.order_ = self._choose_order(X, Y, weights)
        if not check_learner(self.learner):
            self.classifiers_ = fit_classifier_chain(self._learner(), X, Y, weights, self.order_)
            return
        design = Design(X, Y, weights=weights, standardize=self.standardize)
        self.chain_ = fit_linear_chain(
            design, X, Y, weights, self.order_, l2=self.l2, tol=self.tol, label_weights=label_weights
        )
        self.coupling_, self.l2_ = self.chain_.scores.labels, self.chain_.l2

    def _without_shift(self, shift: Floats) -> Self:
        model = copy(self)
        model.chain_ = self.chain_._replace(scores=self.chain_.scores.minus(shift))
        return model

    def _label_scores(self) -> LinearScores:
        return self.chain_.scores

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

    def _scored(self) -> Scored | None:
        return self._chain_scored(self.chain_, self.order_) if isinstance(self.learner, str) else None

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
