"""Subset 0/1 loss: the whole set is right or wrong."""

from __future__ import annotations

from setwise.contract import LabelDistribution, Labels


def subset(distribution: LabelDistribution, *, min_labels: int = 0) -> Labels:
    """The most probable set (n, L) of each row with at least ``min_labels`` labels: the mode."""
    return distribution.mode(min_labels=min_labels).labels
