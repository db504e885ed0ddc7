"""Ensembles of conditional trees (ECTBN): trees that are learned apart and averaged."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import ForestMixture
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.learning.by_content.draws import bootstrap_counts
from setwise.learning.by_content.folds import row_folds
from setwise.learning.by_content.keys import example_keys
from setwise.learning.linear.design import Design
from setwise.learning.linear.scores import LinearScores
from setwise.learning.progress.monitor import current_monitor
from setwise.learning.structure.random_tree import fit_given_tree, random_tree
from setwise.learning.structure.tree import TreeFit, fit_tree


class TreeEnsemble(LinearClassifier):
    """The mean of conditional trees on bootstrap samples (ECTBN): P(y | x) = 1/K sum_k P(y | x, tree k).

    Every tree is learned alone, while :class:`MixtureOfTrees` learns its trees together. Every question about the joint
    has an exact answer.

    Parameters
    ----------
    n_trees : int, default=10
        Number of trees.
    structure : {"random", "learned"}, default="random"
        Trees over the labels that are drawn at random, as the paper proposes, or learned as in
        :class:`ConditionalTree`, each from its sample.
    bagging : bool, default=True
        Whether each tree sees a bootstrap sample of the rows.
    {candidate_parents}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty on standardized features. ``"auto"`` chooses by cross-validated log-loss, for each
        tree.
    {standardize}
    {unit_rows}
    tol : float, default=1e-6
        Relative tolerance of the solver: it stops when it expects to lower its objective by a smaller share.
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    parents_ : ndarray of shape (n_trees, n_labels)
        Parent of each label in each tree, -1 for a root.
    l2_ : ndarray of shape (n_trees, n_labels, 2)
        Penalties.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    Hong, Batal and Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014, section
    6.3.1: "ECTBN using randomly structured CTBNs and simple averaging".

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import TreeEnsemble
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)])
    >>> model = TreeEnsemble(5, l2=1.0, random_state=0).fit(X, Y)
    >>> model.distribution(X[:1]).condition([[1, -1]]).marginals().round(1)
    array([[1. , 0.9]])
    """

    about = About(
        short="ectbn",
        suits="as ConditionalTree, if one tree depends too much on the sample",
        joint="a mixture of trees",
        cost=30,
    )

    def __init__(
        self,
        n_trees: int = 10,
        *,
        structure: Literal["random", "learned"] = "random",
        bagging: bool = True,
        candidate_parents: int | Literal["all"] = 5,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-6,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.structure = structure
        self.bagging = bagging
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
        rng = np.random.default_rng(self._seed())
        own = np.ones(len(Y)) if weights is None else weights
        design, fold = Design(X, weights=weights, standardize=self.standardize), row_folds(X)
        keys, trees = example_keys(X, Y), []
        for _ in current_monitor().steps("trees", range(self.n_trees)):
            counts = bootstrap_counts(keys, rng) if self.bagging else 1.0
            trees.append(self._fit_tree(design, Y, own * counts, fold, rng))
        self.parents_, self.l2_ = np.stack([t.parents for t in trees]), np.stack([t.l2 for t in trees])
        coef = [design.to_features(tree.coef.reshape(design.n_columns, -1)) for tree in trees]
        self.scores_ = LinearScores.side_by_side(coef)

    def _fit_tree(
        self, design: Design, Y: Labels, weights: Floats, fold: Array | None, rng: np.random.Generator
    ) -> TreeFit:
        l2 = None if self.l2 == "auto" else float(self.l2)
        if self.structure == "random":
            parents = random_tree(Y.shape[1], rng)
            return fit_given_tree(design, Y, weights, fold, parents, l2=l2, tol=self.tol)
        return fit_tree(design, Y, weights, fold, candidates=self.candidate_parents, l2=l2, tol=self.tol)

    def _distribution(self, X: Matrix) -> ForestMixture:
        logits = self.scores_(X).reshape(X.shape[0], self.n_trees, self.n_labels_, 2)
        return ForestMixture(
            np.full((X.shape[0], self.n_trees), -np.log(self.n_trees)), logits, self.parents_
        )

    def _cells_per_row(self) -> int:
        return 2 * int(self.n_trees * self.n_labels_)
