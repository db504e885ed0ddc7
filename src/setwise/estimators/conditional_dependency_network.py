"""Conditional dependency network (CDN): every label given the features and all other labels."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision, Rule
from setwise.distributions import DependencyNetwork
from setwise.distributions.dependency import Sampling
from setwise.distributions.gibbs import Gibbs, Search
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LearnerClassifier, LinearInFeatures
from setwise.estimators.base.stack import user_stacklevel
from setwise.kernels.matrices import row_keys
from setwise.learning.labels.conditionals import (
    NetworkConditionals,
    conditionals_of,
    fit_learners,
    labels_alone,
    linear_conditionals,
)
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.penalties import fit_tuned
from setwise.learning.linear.scores import LinearScores
from setwise.learning.linear.svm import fit_svms


class ConditionalDependencyNetwork(LinearInFeatures, LearnerClassifier):
    """One classifier per label that also sees all other labels; label sets are sampled (CDN).

    P(y_l | x, y_others) is learned for each label separately, with the other labels coded as -1 and +1. Together the
    conditionals form a cyclic network without a closed joint distribution, from which Gibbs sampling draws label sets.

    Parameters
    ----------
    learner : {"logistic", "svm"} or classifier, default="logistic"
        ``"logistic"`` fits all labels at once, ``"svm"`` one linear SVM per label; both are sampled in compiled code.
        A scikit-learn classifier is called once per label and sweep. Without ``predict_proba``, the discrete
        Algorithm 2 replaces Gibbs sampling. It starts from classifiers that see the features only.
    n_burn_in : int, default=100
        Number of sweeps before the first state is collected.
    n_samples : int, default=500
        Number of states collected for each row, over all chains.
    n_keep : int, default=100
        Number of states, those with the highest products of conditionals, that ``search="kept"`` counts.
    n_gibbs_chains : int, default=4
        Number of Gibbs chains, or of starts of Algorithm 2. The paper has one; several show whether the sampler mixes.
    search : {"kept", "marginals", "best"}, default="kept"
        What ``decision="gibbs"`` answers: the majority of the kept states (Algorithm 1), the majority of all states,
        or the state with the highest product of conditionals.
    {l2}
    C : "auto" or float, default="auto"
        Inverse regularization strength of the SVMs. ``"auto"`` chooses one per label by cross-validated hinge loss.
    label_scale : float, default=1.0
        Factor of the labels, coded as -1 and +1, before the penalty applies. At 1 a label is penalized like one
        standardized feature, as in the paper. Large values make labels hold each other in place.
    {standardize}
    {unit_rows}
    {tol}
    decision : {"gibbs", "subset", "hamming", "f1", "jaccard"}, rule or callable, default="gibbs"
        What ``predict`` answers. ``"gibbs"`` is the paper's algorithm, as ``search`` says. Any other decision minimizes
        an expected loss: ``"subset"`` returns the set that was sampled most often, ``"hamming"`` the majority of all
        states.
    {min_labels}
    random_state : int, RandomState or None, default=None
        Seed of the Gibbs chains, and of a ``learner`` without a seed. A fitted model gives the same answer for a row
        every time.
    {verbose}

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Coefficients of the features, in their units, for the learners ``"logistic"`` and ``"svm"``.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts for the same learners.
    coupling_ : ndarray of shape (n_labels, n_labels)
        ``coupling_[j, l]`` is what label j, as -1 or +1, adds to the score of label l, for the same learners.
    learners_ : list
        Fitted clones of a scikit-learn learner; a logit for a label that was constant.
    {unit_rows_}
    {label_attributes}

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
    >>> network = ConditionalDependencyNetwork(random_state=0).fit(X, Y)
    >>> network.distribution(X[:1]).condition([[1, -1]]).marginals().round(1)
    array([[1. , 0.9]])
    """

    about = About(
        short="cdn",
        suits="any classifier per label, in loops of influence",
        joint="none; samples",
        cost=4,
        exact_labels=0,
    )

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
        random_state: Any = None,
        verbose: int = 0,
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
        self.verbose = verbose

    @classmethod
    def as_published(cls, learner: Any = "logistic", **parameters: Any) -> Self:
        """Make the paper's own form: one Gibbs chain, and the empty set allowed.

        Parameters
        ----------
        learner : "logistic", "svm" or classifier, default="logistic"
        **parameters
            Other parameters, or other values of those above.

        Returns
        -------
        ConditionalDependencyNetwork

        Examples
        --------
        >>> ConditionalDependencyNetwork.as_published("svm").n_gibbs_chains
        1
        """
        return cls(learner, **({"n_gibbs_chains": 1, "min_labels": 0} | parameters))

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        _warn_of_twins(Y, self.label_names_)
        self.seed_ = self._seed()
        if not isinstance(self.learner, str):
            learner = self._learner()
            self.learners_ = fit_learners(X, Y, weights, learner)
            if not self._is_probabilistic():
                self.learners_alone_ = fit_learners(X, Y, weights, learner, alone=True)
        elif self.learner == "svm":
            self.scores_, self.C_ = fit_svms(X, Y, weights, C=self.C, label_scale=self.label_scale)
            self.scores_alone_ = fit_svms(X, Y, weights, C=self.C, label_scale=0.0).scores
        else:
            self._fit_logistic(X, Y, weights)
        if isinstance(self.learner, str):
            self.coupling_ = self.scores_.labels

    def _label_scores(self) -> LinearScores:
        return self.scores_

    def _fit_logistic(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        design = Design(
            X, 2.0 * Y - 1.0, weights=weights, standardize=self.standardize, label_scale=self.label_scale
        )
        columns = np.ones((design.n_columns, self.n_labels_), np.bool_)
        own = np.arange(self.n_labels_)
        columns[design.intercept + 1 + own, own] = False
        problems = LogisticProblems.of(Y, weights=weights, columns=columns)
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
        """Where Algorithm 2 starts, which the paper leaves open: labels by classifiers that see the features only."""
        if isinstance(self.learner, str):
            return (self.scores_alone_(X) > 0).astype(np.int8)
        return labels_alone(X, self.learners_alone_)

    def _conditionals(self, X: Matrix) -> NetworkConditionals:
        if not isinstance(self.learner, str):
            return conditionals_of(X, self.learners_)
        return linear_conditionals(X, self.scores_, self.coupling_)

    def _is_probabilistic(self) -> bool:
        return (
            self.learner == "logistic"
            if isinstance(self.learner, str)
            else hasattr(self.learner, "predict_proba")
        )

    def _cells_per_row(self) -> int:
        return int(self.n_labels_ * self.n_samples)


def _warn_of_twins(Y: Labels, names: Any) -> None:
    """Warn of labels that always agree or always disagree: Gibbs sampling hardly ever changes them."""
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
            stacklevel=user_stacklevel(),
        )
