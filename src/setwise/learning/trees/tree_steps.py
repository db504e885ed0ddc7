"""How boosting fits a tree to gradients: by Newton steps, or by least squares."""

from __future__ import annotations

from typing import NamedTuple

from setwise.arrays import Floats


class TreeSteps(NamedTuple):
    """What a tree is fitted to, and how freely.

    Parameters
    ----------
    by_curvature : bool
        Whether the step in a leaf is the gradient over the curvature (Newton); otherwise it is the mean gradient.
    all_features : bool
        Whether each split considers all features, not only the square root of their number.
    leaf_penalty : float
        Ridge penalty on the value of a leaf, in units of the curvature or of rows.
    """

    by_curvature: bool
    all_features: bool
    leaf_penalty: float

    def curvature(self, weights: Floats, p: Floats) -> Floats:
        """What divides the gradient weights * (p - target): the curvature, or the weights alone."""
        return weights * p * (1.0 - p) if self.by_curvature else weights


NEWTON = TreeSteps(by_curvature=True, all_features=False, leaf_penalty=1.0)
LEAST_SQUARES = TreeSteps(by_curvature=False, all_features=True, leaf_penalty=0.0)
"""As section 3.2 of the CBM paper has it: a weighted least-squares fit to gradients without weights."""
TREE_STEPS = {"newton": NEWTON, "least_squares": LEAST_SQUARES}
