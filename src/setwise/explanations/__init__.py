"""Why a model gives a label, a pair, a set or a component its probability: contributions of features to log-odds."""

from setwise.explanations.answer import Explanation
from setwise.explanations.strongest import StrongestFeatures

__all__ = ["Explanation", "StrongestFeatures"]
