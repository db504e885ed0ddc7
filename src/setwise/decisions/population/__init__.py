"""Measures of many rows together: the best answer of a row depends on the other rows."""

from setwise.decisions.population.batch_rule import BatchRule
from setwise.decisions.population.macro_f import MacroF
from setwise.decisions.population.micro_f import MicroF

__all__ = ["BatchRule", "MacroF", "MicroF"]
