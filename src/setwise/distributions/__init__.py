"""P(y | x) for a fixed batch of rows, one family a file."""

from setwise.distributions.forest_mixture import ForestMixture
from setwise.distributions.table import Table

__all__ = ["ForestMixture", "Table"]
