"""Mixtures: EM on rows in blocks, from the mixture of the sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.blockwise.families.linear import refit_single
from setwise.blockwise.rows import BlockRows
from setwise.contract import Floats, Labels, Matrix
from setwise.estimators.base.kinds.mixture import MixtureClassifier
from setwise.estimators.conditional_bernoulli_mixture import ConditionalBernoulliMixture
from setwise.learning.linear.in_blocks.design import BlockDesign
from setwise.learning.mixtures.em import EMResult
from setwise.learning.mixtures.gates import ConstantGate
from setwise.learning.mixtures.in_blocks import BlockExperts, BlockGate, MixtureRows, fit_block_mixture
from setwise.learning.mixtures.pooling.seen_share import distinct_sets
from setwise.learning.progress.monitor import current_monitor

MOST_ITERATIONS = 12
"""Most EM iterations on all rows, after those on the sample; ``max_iter`` may ask for fewer."""
TOL = 1e-5
"""Smallest gain per unit of row weight for which EM goes on."""


def refit_mixture(model: ConditionalBernoulliMixture, rows: BlockRows) -> None:
    """Continue EM on all rows from the conditional Bernoulli mixtures of the sample."""
    if not rows.parts:
        refit_single(model, rows)
    else:
        model._keep(continued(model, rows))


def refit_tree_mixture(model: Any, rows: BlockRows) -> None:
    """Continue EM on all rows from the mixtures of trees of the sample; their structures stay."""
    if rows.is_partial:
        raise ValueError(
            f"y is missing (-1 or NaN) in some rows; on rows in blocks {type(model).__name__} needs every label. Leave "
            "such rows out, or use ConditionalBernoulliMixture"
        )
    model._keep(continued(model, rows))
    model._keep_seen(distinct_sets(np.concatenate(rows.blocks.total(_distinct))), model.seen_share_)


def continued(model: MixtureClassifier, rows: BlockRows) -> list[tuple[Any, Any, EMResult]]:
    """Run EM on all rows from each mixture of the sample, in double precision.

    In single precision the rounding of a sum depends on where the rows are cut, and EM makes it grow: it moves
    coefficients that the rows hardly determine, for hundreds of solver steps, by up to 4e-4.
    """
    settings: Any = model
    design = rows.design(standardize=settings.standardize, dtype=np.float64)
    mixture_rows = MixtureRows(design, rows.empty, rows.n_rows, rows.total)
    max_iter, fits, monitor = min(settings.max_iter, MOST_ITERATIONS), [], current_monitor()
    for number, (gate, experts) in enumerate(rows.parts, start=1):
        monitor.task(f"rows in blocks, mixture {number} of {len(rows.parts)}")
        moved = moved_gate(mixture_rows, design, gate), moved_experts(mixture_rows, design, experts)
        result = fit_block_mixture(mixture_rows, *moved, max_iter=max_iter, tol=TOL, monitor=monitor)
        fits.append((*moved, result))
    return fits


def moved_gate(rows: Any, design: BlockDesign, gate: Any) -> BlockGate | ConstantGate:
    """Copy a gate of the sample to the coordinates of all rows."""
    if isinstance(gate, ConstantGate):
        return ConstantGate(rows, gate.log_weights.copy())
    return BlockGate(rows, design.from_features(gate.scores()), gate.l2)


def moved_experts(rows: Any, design: BlockDesign, experts: Any) -> BlockExperts:
    """Copy the experts of the sample to the coordinates of all rows."""
    K, _, L, V = experts.coef.shape
    coef = design.from_features(experts.scores()).reshape(-1, K, L, V).transpose(1, 0, 2, 3)
    return BlockExperts(rows, experts.parents, np.ascontiguousarray(coef), experts.l2)


def _distinct(X: Matrix, weights: Floats | None, Y: Labels) -> list[Labels]:
    return [distinct_sets(Y)]
