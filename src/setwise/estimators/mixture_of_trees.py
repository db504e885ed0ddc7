"""Mixture of conditional trees (MC): trees that share constant weights."""

from __future__ import annotations

import os
from typing import Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.estimators.base.mixture import MixtureClassifier, in_one_table
from setwise.learning.mixtures.growth import GrowthSettings, grow
from setwise.learning.mixtures.rows import Rows
from setwise.learning.mixtures.seen_share import best_share


class MixtureOfTrees(MixtureClassifier):
    """P(y | x) = sum_k w_k P(y | x, tree k): conditional trees grown one at a time, refitted by EM.

    Labels that are not known in training (-1 or NaN) are summed out.

    Parameters
    ----------
    n_components : "auto" or int
        ``"auto"`` grows until a tree does not raise the log-likelihood of held-out rows; each of three folds is
        held out once, and the model is the mean of the three mixtures.
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
    Hong, Batal and Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014;
    equation (5), Algorithm 1, section 5.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MixtureOfTrees
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)])
    >>> MixtureOfTrees(n_components=2).fit(X, Y).parents_.shape
    (2, 2)
    """

    takes_missing_labels = True

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
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
    )
    rows = Rows.of(X, Y, weights, standardize=estimator.standardize)
    monitor = estimator._monitor(X, Y, weights)
    growths = grow(rows, settings, monitor)
    estimator.growth_ = in_one_table([growth.curve for growth in growths])
    estimator._keep([(growth.mixture.gate, growth.mixture.experts, growth.result) for growth in growths])
    share = estimator.seen_share
    lifts = [part for growth in growths for part in growth.lifts]
    estimator._keep_seen(Y, best_share(lifts) if share == "auto" else float(share))
    monitor.finish()
