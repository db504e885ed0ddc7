"""Search level by level: all prefixes of one length before the next. Beams and the searches built on them use it."""

from __future__ import annotations

import numpy as np

from setwise.contract import Labels, TopK, replace_rows
from setwise.inference.chains.bounds import largest_factors
from setwise.inference.chains.conditionals import Conditionals, Linear
from setwise.inference.sets.certificates import certify
from setwise.kernels import implementation
from setwise.kernels.generic.chain_beam import level_beam


def search_levels(
    conditionals: Conditionals,
    evidence: Labels,
    k: int,
    *,
    width: int,
    log_epsilon: float = -np.inf,
    min_labels: int = 0,
) -> TopK:
    """Search level by level: branch the prefixes of probability at least epsilon, keep the ``width`` best of them.

    A prefix, times the largest factor that its open labels can have, bounds every set that continues it. So the best
    prefix dropped bounds all sets that were not seen, and the answer is certified if it is at least as probable. Rows
    whose answer has too few labels are searched again, with ``width`` places for the prefixes of each number of labels
    up to ``min_labels``.

    Parameters
    ----------
    conditionals : Conditionals
    evidence : ndarray of shape (n, L)
    k : int
        Number of sets to return.
    width : int
        Number of prefixes kept.
    log_epsilon : float, default=-inf
    min_labels : int, default=0
        Smallest number of labels of a set.

    Returns
    -------
    TopK
    """
    answer = _search_once(conditionals, evidence, k, width, log_epsilon, 0)
    if min_labels:
        short = np.flatnonzero(((answer.labels != 0).sum(axis=2) < min_labels).any(axis=1))
        again = _search_once(conditionals.take(short), evidence[short], k, width, log_epsilon, min_labels)
        replace_rows(answer, short, again)
    return answer


def _search_once(
    conditionals: Conditionals, evidence: Labels, k: int, width: int, log_epsilon: float, classes: int
) -> TopK:
    rules = (largest_factors(conditionals, evidence), k, width, float(log_epsilon), classes)
    if isinstance(conditionals, Linear):
        found = implementation.chain_beam(
            conditionals.offsets, conditionals.coupling, np.ascontiguousarray(evidence), *rules
        )
    else:
        found = level_beam(conditionals.logits, evidence, *rules)
    labels, log_p, dropped = found
    return certify(labels, log_p, dropped)
