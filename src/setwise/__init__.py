"""Multi-label classification that predicts whole label sets from their joint distribution."""

from setwise.contract import FREE, ImpossibleEvidence, LabelDistribution, NotTractable
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.conditional_dependency_network import ConditionalDependencyNetwork
from setwise.estimators.conditional_tree import ConditionalTree
from setwise.estimators.naibx import NaiBX

__all__ = [
    "FREE",
    "BinaryRelevance",
    "ConditionalDependencyNetwork",
    "ConditionalTree",
    "ImpossibleEvidence",
    "LabelDistribution",
    "NaiBX",
    "NotTractable",
]
