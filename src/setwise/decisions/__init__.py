"""Which label set to answer for a loss, and what that answer is expected to cost."""

from setwise.decisions.abstain import Abstain
from setwise.decisions.constrained import Constrained, Sizes
from setwise.decisions.costs import Costs
from setwise.decisions.expected import Loss
from setwise.decisions.f_measure import FBeta
from setwise.decisions.hamming import Hamming
from setwise.decisions.jaccard import Jaccard
from setwise.decisions.named import DECISIONS, Decision
from setwise.decisions.population import BatchRule, MacroF, MicroF
from setwise.decisions.precision_at_k import PrecisionAtK
from setwise.decisions.rule import Rule
from setwise.decisions.subset import Subset

__all__ = [
    "DECISIONS",
    "Abstain",
    "BatchRule",
    "Constrained",
    "Costs",
    "Decision",
    "FBeta",
    "Hamming",
    "Jaccard",
    "Loss",
    "MacroF",
    "MicroF",
    "PrecisionAtK",
    "Rule",
    "Sizes",
    "Subset",
]
