"""Beam search through linear chains of labels."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Floats, Labels
from setwise.kernels.checks import check_array, check_at_least, check_chain, check_labels
from setwise.kernels.generic.chain_beam import level_beam
from setwise.kernels.generic.chain_draws import linear_logits


def chain_beam(
    offsets: Floats,
    coupling: Floats,
    evidence: Labels,
    later: Floats,
    k: int,
    width: int,
    log_epsilon: float,
    classes: int,
) -> tuple[Labels, Floats, Floats]:
    """Find ``k`` sets (n, k, L) by a beam, their log-probabilities (n, k), and a bound on the others (n,)."""
    n, L = check_chain(offsets, coupling)
    check_labels("evidence", evidence, (n, L), free=True)
    check_array("later", later, np.float64, (n, L + 1))
    check_at_least("k", k, 1)
    check_at_least("width", width, 1)
    return level_beam(linear_logits(offsets, coupling), evidence, later, k, width, log_epsilon, classes)
