"""NaiBX: counts of all rows, added up over blocks."""

from __future__ import annotations

from functools import partial

from setwise.blockwise.rows import BlockRows
from setwise.contract import Array, Floats, Labels, Matrix
from setwise.estimators.naibx import NaiBX
from setwise.learning.counting.counts import Counts, count
from setwise.learning.counting.smoothing import Smoothing


def refit_counts(model: NaiBX, rows: BlockRows) -> None:
    """Count all rows, with the distributions that the model has for each column."""
    smoothing = Smoothing(model.feature_smoothing, model.variance_prior, model.ddof)
    families = model.feature_counts_.families()
    counts: Counts = rows.blocks.total(partial(_count, families=families, smoothing=smoothing))
    model.label_counts_, model.feature_counts_ = counts.labels, counts.features
    model._check_sizes()


def _count(X: Matrix, weights: Floats | None, Y: Labels, families: Array, smoothing: Smoothing) -> Counts:
    return count(X, Y, weights, families, smoothing)
