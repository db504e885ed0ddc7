"""Comparison of methods by the protocols of the papers."""

from setwise.evaluation.comparison import Comparison, compare
from setwise.evaluation.methods import METHODS, Recipe, built_methods
from setwise.evaluation.protocol import Estimate, Protocol, evaluate_split
from setwise.evaluation.runner import Cell, run_cells

__all__ = [
    "METHODS",
    "Cell",
    "Comparison",
    "Estimate",
    "Protocol",
    "Recipe",
    "built_methods",
    "compare",
    "evaluate_split",
    "run_cells",
]
