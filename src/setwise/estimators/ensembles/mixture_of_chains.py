"""Mixture of classifier chains (MCC, MPCC): chains in different orders, learned together by EM."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Labels, Matrix
from setwise.decisions import Decision
from setwise.distributions import Chain, Mixture
from setwise.distributions.chain import Search
from setwise.estimators.base.about import About
from setwise.estimators.base.kinds.linear import LinearClassifier
from setwise.learning.linear.design import Design
from setwise.learning.mixtures.growing.chain_growth import ChainSettings, grow_chains
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import current_monitor


class MixtureOfChains(LinearClassifier):
    """Classifier chains behind a gate: P(y | x) = sum_k w_k(x) P(y | x, chain k) (MCC, MPCC).

    Chains with random orders are grown one at a time on the rows that the others explain worst, and refitted together
    by EM. In a chain a label may depend on many others, in a tree on one. In a :class:`ChainEnsemble` the chains are
    learned apart from each other and have equal weights.

    Parameters
    ----------
    n_components : "auto" or int, default="auto"
        Number of chains. ``"auto"`` grows chains as long as the log-likelihood of held-out rows rises.
    gate : {"constant", "softmax"}, default="constant"
        Whether the weights of the chains are the same for all rows, or a softmax of linear functions of the features.
    gate_l2 : "auto" or float, default="auto"
        Strength of the softmax gate's L2 penalty. ``"auto"`` chooses on held-out rows, with the second chain.
    search : {"best_first", "greedy", "beam", "epsilon", "exhaustive", "monte_carlo"} or search, default="best_first"
        As in :class:`ClassifierChain`. ``"greedy"`` makes it MCC, an exact search MPCC.
    l2 : "auto" or float, default="auto"
        Strength of the chains' L2 penalty on standardized features. ``"auto"`` chooses one per label by
        cross-validated log-loss, on the first chain for all.
    max_iter : int, default=30
        Maximum number of EM iterations of the final fit.
    {standardize}
    {unit_rows}
    {decision}
    {min_labels}
    {random_state}
    {verbose}

    Attributes
    ----------
    n_components_ : int
        Number of chains.
    orders_ : ndarray of shape (n_components, n_labels)
        Order of the labels in each chain.
    l2_ : ndarray of shape (n_labels,)
        Penalties.
    growth_ : list of dict
        A row per number of chains that was tried, with the held-out log-likelihood.
    trace_ : list of dict
        A row per EM iteration of the final fit.
    {unit_rows_}
    {label_attributes}

    References
    ----------
    Hong, Batal and Hauskrecht, "A mixtures-of-trees framework for multi-label classification", CIKM 2014, section
    6.3.1, which proposes MCC and MPCC; the gate is that of their "A mixtures-of-experts framework for multi-label
    classification", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise import MixtureOfChains
    >>> rng = np.random.default_rng(0)
    >>> X, first = rng.normal(size=(200, 1)), rng.integers(0, 2, 200)
    >>> Y = np.column_stack([first, first ^ (X[:, 0] > 0)])
    >>> model = MixtureOfChains(2, gate="softmax", gate_l2=1.0, l2=1.0, random_state=0).fit(X, Y)
    >>> model.predict([[2.0], [-2.0]]).sum(axis=1) % 2
    array([1, 0])
    """

    about = About(
        short="mpcc",
        suits="as ClassifierChain, if the dependence of the labels differs between kinds of rows",
        joint="a mixture of chains",
        cost=40,
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        gate: Literal["constant", "softmax"] = "constant",
        gate_l2: float | Literal["auto"] = "auto",
        search: Search = "best_first",
        l2: float | Literal["auto"] = "auto",
        max_iter: int = 30,
        standardize: bool = True,
        unit_rows: bool | Literal["auto"] = "auto",
        decision: Decision = "subset",
        min_labels: int | Literal["auto"] = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.gate = gate
        self.gate_l2 = gate_l2
        self.search = search
        self.l2 = l2
        self.max_iter = max_iter
        self.standardize = standardize
        self.unit_rows = unit_rows
        self.decision = decision
        self.min_labels = min_labels
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        settings = ChainSettings(
            n_components=None if self.n_components == "auto" else int(self.n_components),
            gate_l2=self.gate_l2 if self.gate == "softmax" else None,
            l2=self.l2,
            max_iter=self.max_iter,
            seed=self._seed(),
        )
        rows = TrainingRows.of(X, Y, weights, standardize=self.standardize)
        design = Design(X, Y, weights=weights, standardize=self.standardize)
        growth = grow_chains(rows, design, settings, current_monitor())
        self.gate_, self.chains_ = growth.mixture.gate.scores(), growth.mixture.experts.chains()
        self.orders_, self.l2_ = growth.mixture.experts.orders, growth.mixture.experts.l2
        self.n_components_ = len(self.chains_)
        self.growth_, self.trace_ = growth.curve, growth.result.trace
        self.converged_, self.n_iter_ = growth.result.converged, len(growth.result.trace)

    def _distribution(self, X: Matrix) -> Mixture:
        log_gate = log_softmax(self.gate_(X).astype(np.float64), axis=1)
        chains = [Chain(c.conditionals(X), c.order, search=self.search) for c in self.chains_]
        return Mixture(log_gate, chains)

    def _cells_per_row(self) -> int:
        return int(self.n_components_ * self.n_labels_)
