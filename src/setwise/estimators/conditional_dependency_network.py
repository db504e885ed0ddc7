"""Conditional dependency network (CDN): every label given the features and all other labels."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision, Rule
from setwise.distributions import DependencyNetwork
from setwise.distributions.dependency import Sampling
from setwise.distributions.gibbs import Gibbs, Search
from setwise.estimators.base.linear import LearnerClassifier
from setwise.inference.networks.gibbs import Conditionals, LinearConditionals
from setwise.kernels.matrices import row_keys
from setwise.learning.labels.conditionals import conditionals_of, fit_learners, labels_alone
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import LogisticProblems
from setwise.learning.linear.penalties import fit_tuned
from setwise.learning.linear.svm import fit_svms


class ConditionalDependencyNetwork(LearnerClassifier):
    """One classifier a label, which also sees all other labels; sets are found by Gibbs sampling.

    P(y_l | x, y_others) is learned for every label by itself, from the features and the other labels coded as
    -1/+1. Together they are a cyclic network without a closed joint: label sets are sampled.

    Parameters
    ----------
    learner : {"logistic", "svm"} or scikit-learn classifier
        ``"logistic"`` fits all labels at once and ``"svm"`` one linear SVM a label; both are sampled in compiled
        code. Any classifier may be given; it is asked once per label and sweep. Without ``predict_proba`` the
        discrete Algorithm 2 takes the place of Gibbs sampling, from the answers of classifiers that see the
        features only.
    n_burn_in, n_samples, n_keep : int
        Sweeps before the first state is collected, states collected in all, and how many of them, those with the
        highest products of conditionals, decide the answer. The defaults are the paper's.
    n_gibbs_chains : int
        Chains, or starts of Algorithm 2; the states are spread over them. The paper has one; several can tell
        whether the sampler mixes.
    search : {"kept", "marginals", "best"}
        What ``decision="gibbs"`` answers: the majority among the kept states (Algorithm 1), the majority among all
        states, or the state with the highest product of conditionals.
    l2 : "auto" or float
        Weight of the L2 penalty of the logistic learner, on standardised features; ``"auto"`` chooses one per label
        by cross-validated log-loss.
    C : "auto" or float
        Of the SVM learner; ``"auto"`` chooses one per label by cross-validated hinge loss.
    label_scale : float
        What the labels, as -1/+1, are multiplied by before they meet the penalty. At 1 a label is penalised like
        one standardised feature, as in the paper; large values let labels hold each other in place.
    standardize : bool
        Whether the logistic learner divides features by their scale.
    unit_rows : "auto" or bool
        Whether rows are first divided by their length; ``"auto"`` tries it on rows of counts, mostly zero, where
        ``l2`` is chosen too, and does it if held-out rows are told better.
    tol : float
        Relative accuracy of the logistic learner's objective.
    decision : {"gibbs", "subset", "hamming", "f1", "jaccard"}, rule or callable
        What ``predict`` answers: the paper's algorithm as ``search`` says, or for a loss; with ``"subset"`` the set
        sampled most often, with ``"hamming"`` the majority among all states.
    min_labels : "auto" or int
        The smallest set that ``predict`` answers; ``"auto"`` forbids the empty set unless it occurs in training.
    random_state : int, RandomState or None
        Of the chains. A fitted model gives the same answer for the same row every time; None makes every fit
        draw other chains.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        With the learners ``"logistic"`` and ``"svm"``: coefficients of the features as they came.
    couplings_ : ndarray of shape (n_labels, n_labels)
        ``couplings_[j, l]``: what label j, as -1 or +1, adds to the score of label l.
    intercept_ : ndarray of shape (n_labels,)
    learners_ : list
        With a scikit-learn learner: the fitted clones, or a logit where a label was constant.

    References
    ----------
    Guo and Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011.

    Examples
    --------
    Two labels that agree although the feature says nothing about them:

    >>> import numpy as np
    >>> from setwise import ConditionalDependencyNetwork
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)])
    >>> network = ConditionalDependencyNetwork().fit(X, Y)
    >>> network.distribution(X[:1]).condition([[1, -1]]).marginals().round(1)
    array([[1. , 0.9]])
    """

    def __init__(
        self,
        learner: Literal["logistic", "svm"] | BaseEstimator = "logistic",
        *,
        n_burn_in: int = 100,
        n_samples: int = 500,
        n_keep: int = 100,
        n_gibbs_chains: int = 4,
        search: Search = "kept",
        l2: float | Literal["auto"] = "auto",
        C: float | Literal["auto"] = "auto",
        label_scale: float = 1.0,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-8,
        decision: Decision = "gibbs",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = 0,
    ) -> None:
        self.learner = learner
        self.n_burn_in = n_burn_in
        self.n_samples = n_samples
        self.n_keep = n_keep
        self.n_gibbs_chains = n_gibbs_chains
        self.search = search
        self.l2 = l2
        self.C = C
        self.label_scale = label_scale
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        _warn_of_twins(Y, self.label_names_)
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        if not isinstance(self.learner, str):
            self.learners_ = fit_learners(X, Y, weights, self.learner)
            if not self._is_probabilistic():
                self.learners_alone_ = fit_learners(X, Y, weights, self.learner, alone=True)
        elif self.learner == "svm":
            self.scores_, self.C_ = fit_svms(X, Y, weights, C=self.C, label_scale=self.label_scale)
            self.scores_alone_ = fit_svms(X, Y, weights, C=self.C, label_scale=0.0).scores
        else:
            self._fit_logistic(X, Y, weights)
        if isinstance(self.learner, str):
            self.coef_, self.intercept_, self.couplings_ = self.scores_

    def _fit_logistic(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(
            X, 2.0 * Y - 1.0, weights=weights, standardize=self.standardize, label_scale=self.label_scale
        )
        columns = np.ones((design.n_columns, self.n_labels_), np.bool_)
        own = np.arange(self.n_labels_)
        columns[design.intercept + 1 + own, own] = False
        problems = LogisticProblems.of(
            Y, weights=None if weights is None else weights[:, None], columns=columns
        )
        fit, self.l2_ = fit_tuned(design, problems, X, l2=self.l2, tol=self.tol)
        self.scores_ = design.to_features(fit.coef)

    def _own_decisions(self) -> dict[str, Rule]:
        return {"gibbs": Gibbs(self.search)}

    def _distribution(self, X: Matrix) -> DependencyNetwork:
        return DependencyNetwork(
            self._conditionals(X),
            streams=row_keys(X),
            sampling=Sampling(self.n_burn_in, self.n_samples, self.n_keep, self.n_gibbs_chains, self.seed_),
            start=None if self._is_probabilistic() else self._start(X),
        )

    def _start(self, X: Matrix) -> Labels:
        """Where Algorithm 2 starts: what classifiers say that see the features only. The paper does not say."""
        if isinstance(self.learner, str):
            return (self.scores_alone_(X) > 0).astype(np.int8)
        return labels_alone(X, self.learners_alone_)

    def _conditionals(self, X: Matrix) -> Conditionals:
        if not isinstance(self.learner, str):
            return conditionals_of(X, self.learners_)
        return LinearConditionals(self.scores_(X).astype(np.float64, copy=False), self.couplings_)

    def _is_probabilistic(self) -> bool:
        return (
            self.learner == "logistic"
            if isinstance(self.learner, str)
            else hasattr(self.learner, "predict_proba")
        )

    def _cells_per_row(self) -> int:
        return int(self.n_labels_ * self.n_samples)


def _warn_of_twins(Y: Labels, names: Any) -> None:
    """Labels that always agree, or always disagree, hold each other in place: the sampler cannot leave."""
    both = Y.T.astype(np.float64) @ Y
    count, n = np.diag(both), len(Y)
    moves = (count > 0) & (count < n)
    same = (both == count[:, None]) & (both == count)
    opposite = (both == 0) & (count[:, None] + count == n)
    pairs = np.argwhere(np.triu((same | opposite) & moves[:, None] & moves, 1))
    if len(pairs):
        i, j = pairs[0]
        how = "equal" if same[i, j] else "opposite"
        warnings.warn(
            f"labels {names[i]!r} and {names[j]!r} are {how} in every training row ({len(pairs)} such pairs): each "
            "determines the other, so Gibbs sampling hardly ever changes them. Drop one of each pair, or use an "
            "estimator with exact inference such as ConditionalTree",
            stacklevel=4,
        )
