"""P(y | x) for a fixed batch of rows, one family a file."""

from setwise.distributions.cascade import Cascade
from setwise.distributions.dependency import DependencyNetwork
from setwise.distributions.forest_mixture import ForestMixture
from setwise.distributions.table import Table

__all__ = ["Cascade", "DependencyNetwork", "ForestMixture", "Table"]
