"""Mixture of tree experts (ML-ME): conditional trees behind a softmax gate."""

from __future__ import annotations

import os
from typing import Any, Literal, Self

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.mixture import MixtureClassifier
from setwise.estimators.mixture_of_trees import PUBLISHED_TREES, grow_and_keep


class MixtureOfTreeExperts(MixtureClassifier):
    """Conditional trees behind a softmax gate: P(y | x) = sum_k w_k(x) P(y | x, tree k) (ML-ME).

    A :class:`MixtureOfTrees` whose weights depend on the features. Labels that are missing in training (-1 or NaN) are
    summed out.

    Parameters
    ----------
    n_components : int or "auto", default=5
        Number of trees of a mixture. ``"auto"`` grows trees until the log-likelihood of held-out rows drops. The
        paper's tables use 5.
    gate_l2 : "auto" or float, default="auto"
        Strength of the gate's L2 penalty. ``"auto"`` chooses on held-out rows, with the second tree. If held-out rows
        choose this or the number of trees, each of three folds is held out once, and the model is the mean of three
        mixtures (``mixture_sizes_``). Otherwise it is one mixture.
    {candidate_parents}
    l2 : "auto" or float, default="auto"
        Strength of the trees' L2 penalty on standardized features. ``"auto"`` chooses by cross-validated log-loss.
    n_mixtures : "auto" or int, default="auto"
        Number of grown mixtures whose mean is the model, at most three. ``"auto"`` is three if held-out rows choose
        something. 1 is the paper's single growth.
    reweighting_noise : bool, default=True
        Whether the rows on which a new tree is learned also get random weights. False is the paper's rule.
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
    mixture_sizes_ : ndarray of shape (n_mixtures,)
        Number of trees of each mixture.
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
    Hong, Batal and Hauskrecht, "A mixtures-of-experts framework for multi-label classification", 2014
    (arXiv:1409.4698); equations (4) to (6), Algorithm 1, section 5.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MixtureOfTreeExperts
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (X[:, 0] > 0)])
    >>> model = MixtureOfTreeExperts(n_components=2, random_state=0).fit(X, Y)
    >>> model.mixture_sizes_
    array([2, 2, 2])
    >>> model.components(X[:3]).gate.shape
    (3, 6)
    """

    takes_missing_labels = True
    about = About(
        short="mlme",
        suits="as MixtureOfTrees, if the features separate the kinds of rows",
        joint="a mixture of trees",
        cost=180,
        trials=(Trial(90),),
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] = 5,
        *,
        gate_l2: float | Literal["auto"] = "auto",
        candidate_parents: int | Literal["all"] = 5,
        l2: float | Literal["auto"] = "auto",
        n_mixtures: int | Literal["auto"] = "auto",
        reweighting_noise: bool = True,
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
        self.gate_l2 = gate_l2
        self.candidate_parents = candidate_parents
        self.l2 = l2
        self.n_mixtures = n_mixtures
        self.reweighting_noise = reweighting_noise
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
        """Make the paper's own form: five trees of one growth, a gate with penalty 1, no share for seen sets.

        Parameters
        ----------
        **parameters
            Other parameters, or other values of those above.

        Returns
        -------
        MixtureOfTreeExperts

        Examples
        --------
        >>> MixtureOfTreeExperts.as_published(random_state=0).gate_l2
        1.0
        """
        return cls(**{**PUBLISHED_TREES, "gate_l2": 1.0, **parameters})

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        gate_l2 = self.gate_l2 if self.gate_l2 == "auto" else float(self.gate_l2)
        grow_and_keep(self, X, Y, weights, gate_l2=gate_l2)
