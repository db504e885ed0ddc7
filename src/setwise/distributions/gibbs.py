"""The decision of a dependency network: what the states of its Gibbs sampler agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from setwise.contract import Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.rule import Rule, check_only_sizes
from setwise.decisions.subset import Subset
from setwise.distributions.dependency import DependencyNetwork
from setwise.kernels import implementation

Search = Literal["kept", "marginals", "best"]
SEARCHES: tuple[Search, ...] = get_args(Search)


@dataclass(frozen=True)
class Gibbs(Rule):
    """The answer of the paper on conditional dependency networks. Its reported loss is the subset loss, 1 - P(answer).

    Parameters
    ----------
    search : {"kept", "marginals", "best"}
        The majority among the kept states (Algorithm 1), the majority among all samples, or the state with the highest
        product of conditionals. If the conditionals only say yes or no (Algorithm 2): the last state of the first
        chain, the majority of the last states, or the last state with the largest margins.

    References
    ----------
    Guo and Gu, "Multi-label classification using conditional dependency networks", IJCAI 2011.

    Examples
    --------
    >>> from setwise.inference.networks.gibbs import LinearConditionals
    >>> pair = LinearConditionals(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> DependencyNetwork(pair).decide(Gibbs()).labels
    array([[1, 1]], dtype=int8)
    """

    search: Search = "kept"

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise ValueError(f"search is {self.search!r}; expected one of {', '.join(map(repr, SEARCHES))}")

    def loss(self, truth: Any, answer: Any) -> Floats:
        """1 if the sets differ, otherwise 0."""
        return Subset().loss(truth, answer)

    def labels(self, distribution: Joint, feasible: Feasible) -> Labels:
        """Find the sets (n, L) without counting their share of the samples, which would take as long again."""
        check_only_sizes(self, feasible)
        if not isinstance(distribution, DependencyNetwork):
            raise TypeError(
                f"Gibbs needs a DependencyNetwork, got {type(distribution).__name__}; use 'subset'"
            )
        marginals = distribution.marginals()
        shares = self._shares(distribution, feasible.least)
        return _majority(shares, marginals, distribution.evidence, feasible.least)

    def _shares(self, network: DependencyNetwork, least: int) -> Floats:
        """The share (n, L) of the deciding states that have each label."""
        if self.search == "marginals":
            return network.marginals()
        states, scores = network.states()
        if self.search == "kept" and network.start is not None:
            return states[:, 0].astype(np.float64)
        n_keep = 1 if self.search == "best" else network.sampling.n_keep
        shares: Floats = implementation.kept_shares(states, scores, n_keep, least)
        return shares

    def _best(self, distribution: Joint, feasible: Feasible) -> Decided:
        labels = self.labels(distribution, feasible)
        none = np.zeros(len(labels))
        return self._decided(distribution, labels, none, np.zeros(len(labels), dtype=np.bool_))


def _majority(shares: Floats, marginals: Floats, evidence: Labels, least: int) -> Labels:
    """Labels (n, L) with shares above one half; if those are too few, the likeliest others are added."""
    labels = (shares > 0.5).astype(np.int8)
    if least:
        # With few states shares tie, often at zero; marginals break the tie.
        preference = np.where(evidence == 0, -1.0, labels + shares + 1e-6 * marginals)
        best = np.argsort(-preference, axis=1, kind="stable")[:, :least]
        forced = np.zeros_like(labels)
        np.put_along_axis(forced, best, 1, axis=1)
        labels |= forced & (evidence != 0)
    return labels
