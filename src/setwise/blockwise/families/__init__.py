"""Estimators whose parameters follow from sums over rows: how each is fitted to blocks after its choices are made."""

from setwise.blockwise.families.registry import fits_in_blocks, refit_of

__all__ = ["fits_in_blocks", "refit_of"]
