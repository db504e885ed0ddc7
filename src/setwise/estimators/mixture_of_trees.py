"""Mixture of conditional trees (MC): trees that share constant weights."""

from __future__ import annotations

import os
from typing import Any, Literal, Self

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.mixture import MixtureClassifier, in_one_table
from setwise.learning.mixtures.growing.growth import GrowthSettings, grow
from setwise.learning.mixtures.pooling.seen_share import best_share
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import current_monitor

PUBLISHED_TREES: dict[str, Any] = {
    "candidate_parents": "all",
    "min_parent_rows": 0,
    "n_mixtures": 1,
    "reweighting_noise": False,
    "seen_share": 0.0,
    "unit_rows": False,
    "min_labels": 0,
}
"""Values that switch off what goes beyond the papers on mixtures of trees."""


class MixtureOfTrees(MixtureClassifier):
    """Conditional trees with constant weights: P(y | x) = sum_k w_k P(y | x, tree k) (MC).

    Trees are grown one at a time and refitted by EM. Labels that are missing in training (-1 or NaN) are summed out.

    Parameters
    ----------
    n_components : "auto" or int, default="auto"
        Number of trees. ``"auto"`` grows trees as long as the log-likelihood of held-out rows rises. Each of three
        folds is held out once, and the model is the mean of the three mixtures.
    {candidate_parents}
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty on standardized features. ``"auto"`` chooses by cross-validated log-loss.
    n_mixtures : "auto" or int, default="auto"
        Number of grown mixtures whose mean is the model, at most three. ``"auto"`` is three if held-out rows choose
        something. 1 is the paper's single growth.
    reweighting_noise : bool, default=True
        Whether the rows on which a new tree is learned also get random weights. False is the paper's rule.
    relax_penalties : bool, default=True
        Whether penalties chosen for single trees may become weaker as the mixture grows. False is the paper's rule.
    min_parent_rows : int, default=10
        Labels with fewer rows of some value are not tried as parents. 0 is the paper's search.
    {seen_share}
    max_iter : int, default=30
        Maximum number of EM iterations of the final fit.
    {standardize}
    {unit_rows}
    {checkpoint}
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    n_components_ : int
        Number of trees, of all mixtures.
    parents_ : ndarray of shape (n_components, n_labels)
        Parent of each label in each tree, -1 for a root.
    seen_sets_ : ndarray of shape (n_sets, n_labels)
        Label sets of the training rows.
    seen_share_ : float
        Share of the probability that is kept for them.
    growth_ : list of dict
        A row per number of trees that was tried, with the held-out log-likelihood, and the mixture if there are
        several.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    Hong, Batal and Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014;
    equation (5), Algorithm 1, section 5.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MixtureOfTrees
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)])
    >>> MixtureOfTrees(n_components=2, random_state=0).fit(X, Y).parents_.shape
    (2, 2)
    """

    takes_missing_labels = True
    about = About(
        short="mc",
        suits="the dependence of the labels differs between kinds of rows",
        joint="a mixture of trees",
        cost=580,
        trials=(Trial(80),),
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        candidate_parents: int | Literal["all"] = 5,
        l2: float | Literal["auto"] = "auto",
        n_mixtures: int | Literal["auto"] = "auto",
        reweighting_noise: bool = True,
        relax_penalties: bool = True,
        min_parent_rows: int = 10,
        seen_share: float | Literal["auto"] = "auto",
        max_iter: int = 30,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.candidate_parents = candidate_parents
        self.l2 = l2
        self.n_mixtures = n_mixtures
        self.reweighting_noise = reweighting_noise
        self.relax_penalties = relax_penalties
        self.min_parent_rows = min_parent_rows
        self.seen_share = seen_share
        self.max_iter = max_iter
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.checkpoint = checkpoint
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def as_published(cls, **parameters: Any) -> Self:
        """Make the paper's own form: one growth, all parents, no share for seen sets, the empty set allowed.

        Parameters
        ----------
        **parameters
            Other parameters, or other values of those above.

        Returns
        -------
        MixtureOfTrees

        Examples
        --------
        >>> MixtureOfTrees.as_published(random_state=0).seen_share
        0.0
        """
        return cls(**{**PUBLISHED_TREES, "relax_penalties": False, **parameters})

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        grow_and_keep(self, X, Y, weights, gate_l2=None)


def grow_and_keep(
    estimator: MixtureClassifier,
    X: Matrix,
    Y: Labels,
    weights: Floats | None,
    gate_l2: float | Literal["auto"] | None,
) -> None:
    """Grow a mixture of trees with the estimator's parameters and keep it as the estimator's model."""
    n_components = estimator.n_components
    settings = GrowthSettings(
        n_components=None if n_components == "auto" else int(n_components),
        gate_l2=gate_l2,
        candidates=estimator.candidate_parents,
        l2=None if estimator.l2 == "auto" else float(estimator.l2),
        max_iter=estimator.max_iter,
        seed=estimator._seed(),
        n_mixtures=None if estimator.n_mixtures == "auto" else int(estimator.n_mixtures),
        noise=bool(estimator.reweighting_noise),
        relaxation=bool(getattr(estimator, "relax_penalties", False)),
        min_rows=estimator.min_parent_rows,
    )
    rows = TrainingRows.of(X, Y, weights, standardize=estimator.standardize)
    growths = grow(rows, settings, current_monitor())
    estimator.growth_ = in_one_table([growth.curve for growth in growths])
    estimator._keep([(growth.mixture.gate, growth.mixture.experts, growth.result) for growth in growths])
    share = estimator.seen_share
    lifts = [part for growth in growths for part in growth.lifts]
    estimator._keep_seen(Y, best_share(lifts) if share == "auto" else float(share))
