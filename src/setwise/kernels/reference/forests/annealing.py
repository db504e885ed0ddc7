"""Simulated annealing over label sets by single-label flips."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from setwise.contract import Array, Floats, Labels
from setwise.kernels.checks import check_array, check_between, check_forests, check_labels
from setwise.kernels.reference.forests.messages import forest_log_evidence


def mixture_anneal(
    log_gate: Floats,
    logits: Array,
    parents: Array,
    order: Array,
    evidence: Labels,
    start: Labels,
    uniforms: Floats,
    temperatures: Floats,
    min_labels: int,
) -> Labels:
    """Find the best set (n, L) visited by T flips of free labels from ``start``.

    ``uniforms`` (n, T, 2) choose the label and decide on acceptance at ``temperatures`` (T,).
    """
    n, K, L, _ = check_forests(logits, parents, order)
    check_array("log_gate", log_gate, np.float64, (n, K))
    check_labels("evidence", evidence, (n, L), free=True)
    check_labels("start", start, (n, L))
    check_array("temperatures", temperatures, np.float64, (None,))
    check_array("uniforms", uniforms, np.float64, (n, len(temperatures), 2))
    check_between("uniforms", uniforms, 0, 1)

    def score(y: Labels) -> Floats:
        return np.asarray(logsumexp(log_gate + forest_log_evidence(logits, parents, order, y), axis=1))

    free = [np.flatnonzero(row < 0) for row in evidence]
    rows = np.flatnonzero([len(f) > 0 for f in free])
    y, best = start.copy(), start.copy()
    value = best_value = score(y)
    for t, temperature in enumerate(temperatures):
        proposal = y.copy()
        for i in rows:
            choice = min(len(free[i]) - 1, int(uniforms[i, t, 0] * len(free[i])))
            proposal[i, free[i][choice]] ^= 1
        proposed = score(proposal)
        with np.errstate(invalid="ignore", divide="ignore"):
            lucky = np.log(uniforms[:, t, 1]) * temperature < proposed - value
        on = proposal.sum(axis=1)
        accept = ((proposed >= value) | lucky) & ((on >= min_labels) | (on >= y.sum(axis=1)))
        y[accept], value = proposal[accept], np.where(accept, proposed, value)
        better = value > best_value
        best[better], best_value = y[better], np.where(better, value, best_value)
    return best
