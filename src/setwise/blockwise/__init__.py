"""Estimators fitted to rows in blocks: files larger than memory, or parts on other machines."""

from setwise.blockwise.classifier import BlockwiseSetClassifier
from setwise.blockwise.fitting import fit_in_blocks

__all__ = ["BlockwiseSetClassifier", "fit_in_blocks"]
