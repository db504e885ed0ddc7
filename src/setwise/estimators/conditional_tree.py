"""Conditional tree-structured Bayesian network (CTBN): every label may depend on one other."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import FREE, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.explanations.forests import ForestScores
from setwise.explanations.scored import Scored
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys
from setwise.learning.linear.design import Design
from setwise.learning.mixtures.growing.tree_mixture import refit_tree
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.structure.tree import Coupling, fit_tree


class ConditionalTree(LinearClassifier):
    """A tree over the labels: P(y | x) = prod_j P(y_j | y_parent(j), x).

    Each label has at most one parent. The tree maximizes the held-out log-likelihood, and each conditional is a
    logistic regression. Every question about the joint has an exact answer. Labels that are missing in training
    (-1 or NaN) are summed out by EM.

    Parameters
    ----------
    coupling : {"switching", "additive"}, default="switching"
        ``"switching"`` fits one regression per value of the parent, as in the papers. ``"additive"`` fits one
        regression with the parent as a feature: fewer parameters, for few rows or many labels.
    {candidate_parents}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty on standardized features. ``"auto"`` chooses by cross-validated log-loss.
    {standardize}
    {unit_rows}
    {tol}
    {decision}
    {min_labels}
    {random_state_unused}
    {verbose}

    Attributes
    ----------
    parents_ : ndarray of shape (n_labels,)
        Parent of each label, -1 for a root.
    gains_ : ndarray of shape (n_labels, n_labels)
        ``gains_[j, i]`` is what the edge j -> i adds to the held-out log-likelihood, -inf if it was not tried.
    coef_given_parent_ : ndarray of shape (n_labels, 2, n_features)
        Coefficients of the features for each label and value of its parent (equal for a root).
    intercept_given_parent_ : ndarray of shape (n_labels, 2)
        Intercept for each label and value of its parent.
    l2_ : ndarray of shape (n_labels, 2)
        Penalties.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    Batal, Hong and Hauskrecht, "An efficient probabilistic framework for multi-dimensional classification",
    CIKM 2013; equation (4) and section 5.3.1 of Hong, Batal and Hauskrecht, "A mixtures-of-trees framework
    for multi-label classification", CIKM 2014 (there: SC).

    Examples
    --------
    Two labels that agree although the feature says nothing about them:

    >>> import numpy as np
    >>> from setwise import ConditionalTree
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)])
    >>> tree = ConditionalTree().fit(X, Y)
    >>> joint = tree.distribution(X[:1])
    >>> joint.condition([[1, -1]]).marginals().round(1)
    array([[1. , 0.9]])
    """

    takes_missing_labels = True
    about = About(
        short="tree",
        suits="labels depend on each other; answers must be quick and exact",
        joint="a tree",
        cost=7,
        trials=(Trial(4),),
    )

    def __init__(
        self,
        *,
        coupling: Coupling = "switching",
        candidate_parents: int | Literal["all"] = 5,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.coupling = coupling
        self.candidate_parents = candidate_parents
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        partial = bool((Y == FREE).any())
        if partial and self.coupling == "additive":
            raise ValueError(
                "coupling='additive' uses labels as features, but some labels are missing; use coupling='switching'"
            )
        labels = Y if self.coupling == "additive" else None
        design = Design(X, labels, weights=weights, standardize=self.standardize)
        tree = fit_tree(
            design,
            Y,
            weights,
            row_folds(X),
            coupling=self.coupling,
            candidates=self.candidate_parents,
            l2=None if self.l2 == "auto" else float(self.l2),
            tol=self.tol,
        )
        if partial:
            own = np.ones(len(Y)) if weights is None else weights
            tree = refit_tree(tree, TrainingRows(X, design, Y, own, example_keys(X, Y)))
        self.parents_, self.gains_, self.l2_ = tree.parents, tree.gains, tree.l2
        self.scores_ = design.to_features(tree.coef.reshape(len(tree.coef), -1))

    @property
    def coef_given_parent_(self) -> Floats:
        """Coefficients for each label and value of its parent, of shape (n_labels, 2, n_features)."""
        return self.scores_.coef.T.reshape(self.n_labels_, 2, -1)

    @property
    def intercept_given_parent_(self) -> Floats:
        """Intercept for each label and value of its parent, of shape (n_labels, 2)."""
        return self.scores_.intercept.reshape(self.n_labels_, 2)

    def _scored(self) -> Scored | None:
        experts = self._source(self.scores_)
        return None if experts is None else ForestScores(experts, self.parents_[None])

    def _distribution(self, X: Matrix) -> ForestMixture:
        logits = self.scores_(X).reshape(X.shape[0], self.n_labels_, 2)
        return ForestMixture.forest(logits, self.parents_)

    def _cells_per_row(self) -> int:
        return 2 * int(self.n_labels_)
