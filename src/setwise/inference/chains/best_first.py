"""Best-first search (A*): sets in falling order of probability, certified by a bound on every open prefix.

D. Mena, E. Montanes, J. R. Quevedo and J. J. del Coz, "Using A* for inference in probabilistic classifier chains",
IJCAI 2015. Its heuristic for linear models is sharpened here: the range of a later logit narrows with every label that
is decided. Other learners have no such bound; for them a beam is widened until no dropped prefix can win.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import Labels, TopK, replace_rows
from setwise.inference.chains.conditionals import Conditionals, Linear
from setwise.inference.chains.levels import search_levels
from setwise.inference.sets.candidates import best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.kernels import implementation

FIRST_WIDTH = 8
"""Width of the first beam; it is widened fourfold until the answer is certified."""
FALLBACK_WIDTH = 64
"""Largest width of the beam for rows whose search ran out of budget."""
FALLBACK_WORK = 16_000
"""Prefixes that this beam extends, over all levels: with many labels it is narrower."""
CALL_WORK = 10
"""Probabilities that a call of any other learner costs."""


@dataclass(frozen=True)
class BestFirst:
    """Search exactly, with a certificate unless the ``budget`` of a row ends first.

    The budget counts probabilities of labels: extending a prefix computes those of all labels left, to bound what it
    can become. The default takes about a millisecond a row. An exact search extends as many prefixes as there are
    labels at least; if the budget is smaller, or has ended, a beam answers, with the gap to the bound.

    Examples
    --------
    >>> import numpy as np
    >>> chain = Linear(np.array([[0.1, -0.4]]), np.array([[0.0, 0.5], [0.0, 0.0]]))
    >>> best = BestFirst()(chain, np.full((1, 2), -1, dtype=np.int8))
    >>> best.labels, best.certified
    (array([[[0, 0]]], dtype=int8), array([ True]))
    """

    budget: int = 200_000

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` most probable sets; see :class:`ChainSearch`. A search out of budget returns a gap."""
        if isinstance(conditionals, Linear):
            return self._a_star(conditionals, evidence, k, min_labels)
        return self._widen_beam(conditionals, evidence, k, min_labels)

    def _a_star(self, chain: Linear, evidence: Labels, k: int, min_labels: int) -> TopK:
        L = evidence.shape[1]
        steps = self.budget // max(1, L)
        if steps < L:
            return self._beam(chain, evidence, k, min_labels)
        labels, log_p, bound, _ = implementation.chain_search(
            chain.offsets, chain.coupling, np.ascontiguousarray(evidence), k, min_labels, steps
        )
        stopped = np.flatnonzero(bound > -np.inf)
        if stopped.size:
            beam = self._beam(chain.take(stopped), evidence[stopped], k, min_labels)
            sets = np.concatenate([labels[stopped], beam.labels], axis=1)
            values = np.concatenate([log_p[stopped], beam.log_prob], axis=1)
            labels[stopped], log_p[stopped] = best_distinct(sets, values, k)
            bound[stopped] = np.minimum(bound[stopped], upper_bound(beam))
        return certify(labels, log_p, bound)

    def _beam(self, chain: Linear, evidence: Labels, k: int, min_labels: int) -> TopK:
        width = max(k, min(FALLBACK_WIDTH, FALLBACK_WORK // evidence.shape[1]), 1)
        return search_levels(chain, evidence, k, width=width, min_labels=min_labels)

    def _widen_beam(self, conditionals: Conditionals, evidence: Labels, k: int, min_labels: int) -> TopK:
        width = max(k, FIRST_WIDTH)
        answer = search_levels(conditionals, evidence, k, width=width, min_labels=min_labels)
        widest = max(width, self.budget // (CALL_WORK * max(1, evidence.shape[1])))
        while not answer.certified.all() and width < widest:
            width = min(4 * width, widest)
            rows = np.flatnonzero(~answer.certified)
            wider = search_levels(
                conditionals.take(rows), evidence[rows], k, width=width, min_labels=min_labels
            )
            replace_rows(answer, rows, wider)
        return answer
