"""Multi-label classification that predicts whole label sets from their joint distribution."""

from setwise.contract import FREE, ImpossibleEvidence, LabelDistribution, NotTractable
from setwise.estimators.binary_relevance import BinaryRelevance

__all__ = ["FREE", "BinaryRelevance", "ImpossibleEvidence", "LabelDistribution", "NotTractable"]
