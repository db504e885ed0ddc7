"""Ensembles of classifier chains (ECC, EPCC)."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from setwise.contract import Array, Floats, Labels, Matrix
from setwise.decisions import Decision, Rule
from setwise.distributions import Chain, Mixture
from setwise.distributions.chain import Search
from setwise.distributions.votes import Votes
from setwise.estimators.base.about import About, Trial
from setwise.estimators.base.kinds.linear import LearnerClassifier
from setwise.explanations.mixed import Mixed
from setwise.explanations.scored import Scored
from setwise.learning.by_content.draws import bootstrap_counts
from setwise.learning.by_content.keys import example_keys
from setwise.learning.labels.chain import (
    LearnedConditionals,
    LinearChain,
    fit_classifier_chain,
    fit_linear_chain,
)
from setwise.learning.labels.classifiers import LabelClassifier, check_learner
from setwise.learning.linear.design import Design
from setwise.learning.progress.monitor import current_monitor


class ChainEnsemble(LearnerClassifier):
    """Classifier chains with random label orders on bootstrap samples, which vote (ECC, EPCC).

    ``distribution(X)`` is the mean of the chains' joint distributions. ``predict`` lets the chains vote with their
    most probable sets, as in the papers; ``decision="subset"`` returns the most probable set of the mean instead.

    Parameters
    ----------
    n_chains : int, default=10
        Number of chains.
    learner : "logistic" or classifier, default="logistic"
        As in :class:`ClassifierChain`.
    vote : {"label", "subset"}, default="label"
        ``"label"`` returns each label with at least half of the votes, ``"subset"`` the set with most votes (the most
        probable one of a tie).
    search : {"greedy", "best_first", "beam", "epsilon", "exhaustive", "monte_carlo"} or search, default="greedy"
        As in :class:`ClassifierChain`. ``"greedy"`` makes it ECC, an exact search EPCC.
    bagging : bool, default=True
        Whether each chain sees a bootstrap sample of the rows.
    l2 : "auto" or float, default="auto"
        Strength of the L2 penalty of the logistic learner, on standardized features. ``"auto"`` chooses one per label
        by cross-validated log-loss, on the first chain for all.
    {standardize}
    {unit_rows}
    tol : float, default=1e-6
        Relative tolerance of the solver: it stops when it expects to lower its objective by a smaller share.
    decision : {"vote", "subset", "hamming", "f1", "jaccard"}, rule or callable, default="vote"
        ``"vote"`` lets the chains vote; another decision is the loss that ``predict`` minimizes in expectation.
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    orders_ : ndarray of shape (n_chains, n_labels)
        Order of the labels in each chain.
    l2_ : ndarray of shape (n_labels,)
        Penalties of the logistic learner.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    .. [1] J. Read, B. Pfahringer, G. Holmes and E. Frank, "Classifier chains for multi-label classification",
       Machine Learning 85, 2011; as in section 3.1 of L. Mossina and E. Rachelson, "Naive Bayes classification for
       subset selection", 2017.
    .. [2] K. Dembczynski, W. Cheng and E. Huellermeier, "Bayes optimal multilabel classification via probabilistic
       classifier chains", ICML 2010 (EPCC).
    .. [3] C. Li, B. Wang, V. Pavlu and J. Aslam, "Conditional Bernoulli mixtures for multi-label classification",
       ICML 2016, section 6: votes for labels and for sets.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import ChainEnsemble
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> first = X[:, 0] + rng.normal(size=200) > 0
    >>> Y = np.column_stack([first, ~first, X[:, 1] > 0]).astype(int)
    >>> ChainEnsemble(l2=1.0, random_state=0).fit(X, Y).predict([[2.0, 3.0], [-2.0, -3.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    about = About(
        short="ecc",
        suits="as ClassifierChain, if the order of the labels matters too much",
        joint="a mixture of chains",
        cost=8,
        trials=(Trial(3, {"bagging": False, "search": "best_first"}),),
    )

    def __init__(
        self,
        n_chains: int = 10,
        learner: Literal["logistic"] | BaseEstimator = "logistic",
        *,
        vote: Literal["label", "subset"] = "label",
        search: Search = "greedy",
        bagging: bool = True,
        l2: float | Literal["auto"] = "auto",
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        tol: float = 1e-6,
        decision: Decision = "vote",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_chains = n_chains
        self.learner = learner
        self.vote = vote
        self.search = search
        self.bagging = bagging
        self.l2 = l2
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.tol = tol
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        rng = check_random_state(self.random_state)
        self.orders_ = np.stack([rng.permutation(Y.shape[1]) for _ in range(self.n_chains)])
        samples = self._samples(X, Y, np.random.default_rng(rng.randint(2**31)))
        self.chains_: list[LinearChain | list[LabelClassifier]] = []
        if check_learner(self.learner):
            self._fit_linear(X, Y, weights, samples)
        else:
            self._fit_classifiers(X, Y, weights, samples)

    def _samples(self, X: Matrix, Y: Labels, rng: np.random.Generator) -> list[Array]:
        """How often each row (n,) is in the sample of each chain."""
        if not self.bagging:
            return [np.ones(len(Y), dtype=np.int64)] * self.n_chains
        keys = example_keys(X, Y)
        return [bootstrap_counts(keys, rng) for _ in range(self.n_chains)]

    def _fit_linear(self, X: Matrix, Y: Labels, weights: Floats | None, samples: list[Array]) -> None:
        design = Design(X, Y, weights=weights, standardize=self.standardize)
        l2: Any = self.l2
        for order, counts in current_monitor().steps("chains", [*zip(self.orders_, samples)]):
            own = counts * (np.ones(len(Y)) if weights is None else weights)
            chain = fit_linear_chain(design, X, Y, own, order, l2=l2, tol=self.tol)
            l2 = chain.l2
            self.chains_.append(chain)
        self.l2_ = l2

    def _fit_classifiers(self, X: Matrix, Y: Labels, weights: Floats | None, samples: list[Array]) -> None:
        learner = self._learner()
        for order, counts in current_monitor().steps("chains", [*zip(self.orders_, samples)]):
            rows = np.repeat(np.arange(len(Y)), counts)
            own = None if weights is None else weights[rows]
            self.chains_.append(fit_classifier_chain(learner, X[rows], Y[rows], own, order))

    def _without_shift(self, shift: Floats) -> Self:
        """A copy whose log-odds are less by a constant (L,) for each label."""
        model = copy(self)
        linear = [chain for chain in self.chains_ if isinstance(chain, LinearChain)]
        model.chains_ = [chain._replace(scores=chain.scores.minus(shift)) for chain in linear]
        return model

    def _scored(self) -> Scored | None:
        if not isinstance(self.learner, str):
            return None
        chains = [self._chain_scored(chain, order) for chain, order in zip(self.chains_, self.orders_)]
        known = tuple(chain for chain in chains if chain is not None)
        return Mixed(known, (1.0 / len(known),) * len(known))

    def _distribution(self, X: Matrix) -> Mixture:
        chains = [self._chain(X, chain, order) for chain, order in zip(self.chains_, self.orders_)]
        return Mixture(np.full((X.shape[0], self.n_chains), -np.log(self.n_chains)), chains)

    def _chain(self, X: Matrix, chain: LinearChain | list[LabelClassifier], order: Array) -> Chain:
        if isinstance(chain, LinearChain):
            return Chain(chain.conditionals(X), order, search=self.search)
        learned = LearnedConditionals(X, chain, self.label_names_[order])
        return Chain(learned, order, search=self.search)

    def _own_decisions(self) -> dict[str, Rule]:
        return {"vote": Votes(self.vote)}

    def _cells_per_row(self) -> int:
        width = 1 if isinstance(self.learner, str) else 16 * self.n_features_in_
        return int(self.n_chains * (self.n_labels_ + width))
