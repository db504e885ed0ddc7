"""Plots in the style of scikit-learn: a Display made from an estimator, from predictions or from arrays."""

from setwise.plotting.base.display import Display
from setwise.plotting.component_curve import ComponentCurveDisplay
from setwise.plotting.components import ComponentsDisplay
from setwise.plotting.correlation import LabelCorrelationDisplay
from setwise.plotting.critical_difference import CriticalDifferenceDisplay
from setwise.plotting.em_trace import EMTraceDisplay
from setwise.plotting.label_errors import LabelErrorsDisplay
from setwise.plotting.label_scores import LabelScoresDisplay
from setwise.plotting.learning_curve import LearningCurveDisplay
from setwise.plotting.method_scores import MethodScoresDisplay
from setwise.plotting.reliability import SetReliabilityDisplay
from setwise.plotting.top_sets import TopSetsDisplay
from setwise.plotting.tree import TreeDisplay

__all__ = [
    "ComponentCurveDisplay",
    "ComponentsDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "EMTraceDisplay",
    "LabelCorrelationDisplay",
    "LabelErrorsDisplay",
    "LabelScoresDisplay",
    "LearningCurveDisplay",
    "MethodScoresDisplay",
    "SetReliabilityDisplay",
    "TopSetsDisplay",
    "TreeDisplay",
]
