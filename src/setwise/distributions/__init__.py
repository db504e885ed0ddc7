"""P(y | x) of a batch of rows, one family per file."""

from setwise.distributions.backed_off import BackedOff
from setwise.distributions.cascade import Cascade
from setwise.distributions.chain import Chain
from setwise.distributions.dependency import DependencyNetwork
from setwise.distributions.forest_mixture import ForestMixture
from setwise.distributions.label_distribution import LabelDistribution
from setwise.distributions.mixture import Mixture
from setwise.distributions.product import Product
from setwise.distributions.seen_sets import SeenSets
from setwise.distributions.table import Table

__all__ = [
    "BackedOff",
    "Cascade",
    "Chain",
    "DependencyNetwork",
    "ForestMixture",
    "LabelDistribution",
    "Mixture",
    "Product",
    "SeenSets",
    "Table",
]
