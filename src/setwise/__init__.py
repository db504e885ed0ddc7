"""Multi-label classification that predicts whole label sets from their joint distribution."""

from setwise.contract import FREE, ImpossibleEvidence, LabelDistribution, NotTractable
from setwise.estimators.binary_relevance import BinaryRelevance
from setwise.estimators.conditional_tree import ConditionalTree

__all__ = [
    "FREE",
    "BinaryRelevance",
    "ConditionalTree",
    "ImpossibleEvidence",
    "LabelDistribution",
    "NotTractable",
]
