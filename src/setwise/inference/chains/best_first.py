"""Best-first search (A*): sets in falling order of probability, certified by a bound on every open prefix.

D. Mena, E. Montanes, J. R. Quevedo and J. J. del Coz, "Using A* for inference in probabilistic classifier chains",
IJCAI 2015. Its heuristic for linear models is sharpened here: the range of a later logit narrows with every label that
is decided. Other learners have no such bound; for them a beam is widened until no dropped prefix can win.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from setwise.contract import Labels, TopK, replace_rows
from setwise.inference.chains.conditionals import Conditionals, Linear, search_levels
from setwise.inference.sets.candidates import best_distinct
from setwise.inference.sets.certificates import certify, upper_bound
from setwise.kernels import implementation

FIRST_WIDTH = 8
"""Width of the first beam; it is widened fourfold until the answer is certified."""
FALLBACK_WIDTH = 64
"""Width of the beam for rows whose search ran out of budget."""


@dataclass(frozen=True)
class BestFirst:
    """Search exactly, with a certificate unless ``budget`` prefixes of a row were expanded first.

    Examples
    --------
    >>> import numpy as np
    >>> chain = Linear(np.array([[0.1, -0.4]]), np.array([[0.0, 0.5], [0.0, 0.0]]))
    >>> best = BestFirst()(chain, np.full((1, 2), -1, dtype=np.int8))
    >>> best.labels, best.certified
    (array([[[0, 0]]], dtype=int8), array([ True]))
    """

    budget: int = 20_000

    def __call__(self, conditionals: Conditionals, evidence: Labels, k: int = 1, min_labels: int = 0) -> TopK:
        """Search for the ``k`` most probable sets; see :class:`ChainSearch`. A search out of budget returns a gap."""
        if isinstance(conditionals, Linear):
            return self._a_star(conditionals, evidence, k, min_labels)
        return self._widen_beam(conditionals, evidence, k, min_labels)

    def _a_star(self, chain: Linear, evidence: Labels, k: int, min_labels: int) -> TopK:
        labels, log_p, bound, _ = implementation.chain_search(
            chain.offsets, chain.coupling, np.ascontiguousarray(evidence), k, min_labels, self.budget
        )
        stopped = np.flatnonzero(bound > -np.inf)
        if stopped.size:
            width = max(k, FALLBACK_WIDTH)
            beam = search_levels(
                chain.take(stopped), evidence[stopped], k, width=width, min_labels=min_labels
            )
            sets = np.concatenate([labels[stopped], beam.labels], axis=1)
            values = np.concatenate([log_p[stopped], beam.log_prob], axis=1)
            labels[stopped], log_p[stopped] = best_distinct(sets, values, k)
            bound[stopped] = np.minimum(bound[stopped], upper_bound(beam))
        return certify(labels, log_p, bound)

    def _widen_beam(self, conditionals: Conditionals, evidence: Labels, k: int, min_labels: int) -> TopK:
        width = max(k, FIRST_WIDTH)
        answer = search_levels(conditionals, evidence, k, width=width, min_labels=min_labels)
        widest = max(width, self.budget // max(1, evidence.shape[1]))
        while not answer.certified.all() and width < widest:
            width = min(4 * width, widest)
            rows = np.flatnonzero(~answer.certified)
            wider = search_levels(
                conditionals.take(rows), evidence[rows], k, width=width, min_labels=min_labels
            )
            replace_rows(answer, rows, wider)
        return answer
