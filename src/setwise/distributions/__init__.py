"""P(y | x) for a fixed batch of rows, one family a file."""

import setwise.decisions  # noqa: F401 - so that decide() knows them by name
from setwise.distributions.cascade import Cascade
from setwise.distributions.chain import Chain
from setwise.distributions.dependency import DependencyNetwork
from setwise.distributions.forest_mixture import ForestMixture
from setwise.distributions.mixture import Mixture
from setwise.distributions.product import Product
from setwise.distributions.seen_sets import SeenSets
from setwise.distributions.table import Table

__all__ = [
    "Cascade",
    "Chain",
    "DependencyNetwork",
    "ForestMixture",
    "Mixture",
    "Product",
    "SeenSets",
    "Table",
]
