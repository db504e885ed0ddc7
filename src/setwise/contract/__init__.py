"""The contract: what a distribution over label sets answers, the types of its answers, and the checks of evidence."""

from setwise.arrays import FREE, Array, Bools, Floats, Labels, Matrix
from setwise.contract.answers import Decided, Entropy, Mode, Question, TopK, replace_rows
from setwise.contract.errors import ImpossibleEvidence, NotTractable
from setwise.contract.estimates import size_shares
from setwise.contract.evidence import (
    Evidence,
    check_evidence,
    check_possible,
    check_search,
    check_sizes,
    read_evidence,
    unknown_as_free,
)
from setwise.contract.joint import Joint
from setwise.contract.names import by_label, column_names, default_names, find_label, in_order

__all__ = [
    "FREE",
    "Array",
    "Bools",
    "Decided",
    "Entropy",
    "Evidence",
    "Floats",
    "ImpossibleEvidence",
    "Joint",
    "Labels",
    "Matrix",
    "Mode",
    "NotTractable",
    "Question",
    "TopK",
    "by_label",
    "check_evidence",
    "check_possible",
    "check_search",
    "check_sizes",
    "column_names",
    "default_names",
    "find_label",
    "in_order",
    "read_evidence",
    "replace_rows",
    "size_shares",
    "unknown_as_free",
]
