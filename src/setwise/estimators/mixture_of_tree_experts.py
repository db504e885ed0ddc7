"""Mixture of tree experts (ML-ME): conditional trees behind a softmax gate."""

from __future__ import annotations

import os
from typing import Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.mixture import MixtureClassifier
from setwise.estimators.mixture_of_trees import grow_and_keep


class MixtureOfTreeExperts(MixtureClassifier):
    """P(y | x) = sum_k w_k(x) P(y | x, tree k): like :class:`MixtureOfTrees`, with weights that depend on x.

    Labels that are not known in training (-1 or NaN) are summed out.

    Parameters
    ----------
    n_components : int or "auto"
        Trees of a mixture; ``"auto"`` grows until the log-likelihood of held-out rows falls. The paper's tables use 5.
    gate_l2 : "auto" or float
        Penalty of the gate; ``"auto"`` chooses with the second tree, on held-out rows. Where held-out rows choose this
        or the number of trees, each of three folds is held out once, and the model is the mean of three mixtures
        (``mixture_sizes_``). With both given it is one mixture.
    candidate_parents : int or "all"
        Candidate parents fitted for each label of each tree, the best by a score test.
    l2 : "auto" or float
        Penalty of the trees' regressions on standardised features; ``"auto"`` chooses by cross-validated loss.
    seen_share : "auto" or float
        Probability, below 1, that is kept for the label sets of the training rows: (1 - a) P(y | x) + a P(y | x, y was
        seen). ``"auto"`` is the share that makes the rows held out most probable, or 0 where there are too few rows to
        hold any out or no row's labels are all known; 0 is the paper's model.
    max_iter : int
        EM iterations of the final fit at most.
    standardize : bool
        Whether features are divided by their scale.
    unit_rows : "auto" or bool
        Whether rows are first divided by their length; ``"auto"`` tries it on rows of counts, mostly zero, where
        ``l2`` is chosen too, and does it if held-out rows are told better.
    random_state : int
        Seed of the growth.
    checkpoint : path, optional
        A folder in which the fit leaves what it has reached; a killed fit called again goes on from there, to
        the same result. Emptied when the fit is done.
    verbose : int
        1 for a progress bar in a terminal, 2 for a line an iteration.
    decision : {"subset", "hamming", "f1", "jaccard"}, rule or callable
        The loss that ``predict`` answers for.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.

    Attributes
    ----------
    n_components_ : int
    parents_ : ndarray of shape (n_components, n_labels)
    seen_sets_ : ndarray of shape (n_sets, n_labels)
        The label sets of the training rows.
    seen_share_ : float
        The probability kept for them.
    growth_ : list of dict
        A row per number of components tried, with its held-out log-likelihood, and the mixture it belongs
        to where there are several.

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
    >>> model = MixtureOfTreeExperts(n_components=2).fit(X, Y)
    >>> model.mixture_sizes_
    array([2, 2, 2])
    >>> model.components(X[:3]).gate.shape
    (3, 6)
    """

    takes_missing_labels = True

    def __init__(
        self,
        n_components: int | Literal["auto"] = 5,
        *,
        gate_l2: float | Literal["auto"] = "auto",
        candidate_parents: int | Literal["all"] = 5,
        l2: float | Literal["auto"] = "auto",
        seen_share: float | Literal["auto"] = "auto",
        max_iter: int = 30,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        random_state: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: int = 0,
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
    ) -> None:
        self.n_components = n_components
        self.gate_l2 = gate_l2
        self.candidate_parents = candidate_parents
        self.l2 = l2
        self.seen_share = seen_share
        self.max_iter = max_iter
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        gate_l2 = self.gate_l2 if self.gate_l2 == "auto" else float(self.gate_l2)
        grow_and_keep(self, X, Y, weights, gate_l2=gate_l2)
