"""Sum-product, max-sum and conditioning: one upward pass over each forest, all rows at once.

``logits[i, k, l, v]`` is the logit of P(y_l = 1 | parent value v) in component k of row i, (n, K, L, V);
``parents`` (K, L) holds -1 for a root; ``order`` (K, L) lists parents before their children.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_expit

from setwise.contract import Array, Floats, Labels
from setwise.kernels.checks import check_forests, check_labels


def forest_log_evidence(logits: Array, parents: Array, order: Array, evidence: Labels) -> Floats:
    """Log-probability (n, K) of the evidence (n, L) under each component."""
    n, _, L, _ = check_forests(logits, parents, order)
    check_labels("evidence", evidence, (n, L), free=True)
    passes = [
        _upward(logits[:, k], parents[k], order[k], evidence, np.logaddexp) for k in range(len(parents))
    ]
    return np.stack([total for total, _, _ in passes], axis=1)


def forest_condition(logits: Array, parents: Array, order: Array, evidence: Labels) -> tuple[Array, Floats]:
    """Tables given the evidence, and its log-probability (n, K) under each component.

    Observed labels get infinite logits. A parent value ruled out by the evidence gets an arbitrary table.
    """
    n, _, L, _ = check_forests(logits, parents, order)
    check_labels("evidence", evidence, (n, L), free=True)
    conditioned = np.empty_like(logits)
    log_evidence = np.empty(logits.shape[:2])
    observed = np.where(evidence == 1, np.inf, -np.inf)[:, :, None]
    for k in range(len(parents)):
        total, below, _ = _upward(logits[:, k], parents[k], order[k], evidence, np.logaddexp)
        with np.errstate(invalid="ignore"):
            shift = below[:, :, 1] - below[:, :, 0]
            tables = logits[:, k].astype(np.float64) + shift[:, :, None]
        tables[np.isnan(tables)] = 0.0
        conditioned[:, k] = np.where(evidence[:, :, None] >= 0, observed, tables)
        log_evidence[:, k] = total
    return conditioned, log_evidence


def forest_max_sum(
    logits: Array, parents: Array, order: Array, evidence: Labels, tilt: Floats | None = None
) -> tuple[Labels, Floats]:
    """Most probable set (n, K, L) of each component given the evidence, and its log-probability (n, K).

    ``tilt`` (n, K) is added for every label that is on.
    """
    n, K, L, _ = check_forests(logits, parents, order)
    check_labels("evidence", evidence, (n, L), free=True)
    tilt = np.zeros((n, K)) if tilt is None else tilt
    labels = np.empty((n, K, L), dtype=np.int8)
    values = np.empty((n, K))
    for k in range(K):
        values[:, k], _, scores = _upward(
            logits[:, k], parents[k], order[k], evidence, np.maximum, tilt[:, [k]]
        )
        for label in order[k]:
            parent = parents[k, label]
            given = scores[label][np.arange(n), labels[:, k, parent] if parent >= 0 else 0]
            labels[:, k, label] = np.where(
                evidence[:, label] >= 0, evidence[:, label], given[:, 1] > given[:, 0]
            )
    return labels, values


def _upward(
    logits: Array, parents: Array, order: Array, evidence: Labels, combine: Any, tilt: Any = 0.0
) -> tuple[Floats, Floats, dict[int, Floats]]:
    """Value (n,), messages ``below[i, l, y]`` into each label, and scores (n, parent value, own value)."""
    n, L, _ = logits.shape
    logits = logits.astype(np.float64)
    total = np.zeros(n)
    below = np.zeros((n, L, 2))
    scores = {}
    for label in order[::-1]:
        z = logits[:, label]
        score = np.stack([log_expit(-z), log_expit(z) + tilt], axis=-1) + below[:, label, None, :]
        score[evidence[:, label] == 1, :, 0] = -np.inf
        score[evidence[:, label] == 0, :, 1] = -np.inf
        scores[label] = score
        message = combine(score[:, :, 0], score[:, :, 1])
        if parents[label] < 0:
            total += message[:, 0]
        else:
            below[:, parents[label]] += message
    return total, below, scores
