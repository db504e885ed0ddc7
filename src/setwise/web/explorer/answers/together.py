"""Losses of all rows together, such as 1 - macro F1: answers of the whole batch, and intervals of their loss."""

from __future__ import annotations

import numpy as np

from setwise.contract import Array, Floats, Labels
from setwise.decisions import Rule
from setwise.distributions import ForestMixture
from setwise.web.explorer.answers.plain import number
from setwise.web.explorer.session import Session

RESAMPLED = 200
"""Batches of the bootstrap."""
TINY = 1e-12


def decide_together(session: Session, rows: Array, rule: Rule, model: int) -> tuple[Labels, Floats]:
    """Answers (n, L) of a batch and its expected loss for every row (n,), by held-out models.

    These losses depend on the probabilities of single labels only, so rows that different models judge can be decided
    in one batch.
    """
    p = np.empty((len(rows), len(session.data.label_names)))
    least = 0
    for places, joint in session.judged(model).models.joints(rows):
        p[places], least = joint.marginals(), joint.min_labels
    p = np.clip(p, TINY, 1.0 - TINY)
    batch = ForestMixture.independent(np.log(p) - np.log1p(-p))
    batch.label_names = np.asarray(session.data.label_names)
    found = batch.restricted(min_labels=least).decide(rule)
    return found.labels, found.expected_loss


def batch_interval(
    rule: Rule, truth: Labels, answers: Labels, others: Labels | None = None
) -> dict[str, float | None]:
    """The loss of a batch, or what it exceeds that of ``others`` by, with a 95 % bootstrap interval over its rows."""

    def loss(rows: Array) -> float:
        mine = float(rule.loss(truth[rows], answers[rows]))
        return mine if others is None else mine - float(rule.loss(truth[rows], others[rows]))

    rng, n = np.random.default_rng(0), len(truth)
    found = [loss(rng.integers(n, size=n)) for _ in range(RESAMPLED)]
    low, high = np.quantile(found, (0.025, 0.975))
    return {"mean": loss(np.arange(n)), "low": number(low), "high": number(high)}
