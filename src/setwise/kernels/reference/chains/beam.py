"""Beam search through linear chains of labels."""

from __future__ import annotations

from setwise.arrays import Floats, Labels
from setwise.kernels.checks import check_at_least, check_chain, check_labels
from setwise.kernels.generic.chain_beam import level_beam
from setwise.kernels.generic.chain_draws import linear_logits


def chain_beam(
    offsets: Floats,
    coupling: Floats,
    evidence: Labels,
    k: int,
    width: int,
    log_epsilon: float,
    classes: int,
) -> tuple[Labels, Floats, Floats]:
    """Find ``k`` sets (n, k, L) by a beam, their log-probabilities (n, k), and the largest one dropped (n,)."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_at_least("k", k, 1)
    return level_beam(linear_logits(offsets, coupling), evidence, k, width, log_epsilon, classes)
