"""The contract: what a distribution over label sets answers, the types of its answers, and the checks of evidence."""

from setwise.arrays import FREE, Array, Bools, Floats, Labels, Matrix
from setwise.contract.answers import Decided, Entropy, Mode, Question, TopK, first_of_size, replace_rows
from setwise.contract.distribution import NAMED_DECISIONS, LabelDistribution
from setwise.contract.errors import ImpossibleEvidence, NotTractable
from setwise.contract.estimates import size_shares
from setwise.contract.evidence import (
    check_evidence,
    check_possible,
    check_rows,
    check_search,
    check_sizes,
    find_label,
)

__all__ = [
    "FREE",
    "NAMED_DECISIONS",
    "Array",
    "Bools",
    "Decided",
    "Entropy",
    "Floats",
    "ImpossibleEvidence",
    "LabelDistribution",
    "Labels",
    "Matrix",
    "Mode",
    "NotTractable",
    "Question",
    "TopK",
    "check_evidence",
    "check_possible",
    "check_rows",
    "check_search",
    "check_sizes",
    "find_label",
    "first_of_size",
    "replace_rows",
    "size_shares",
]
