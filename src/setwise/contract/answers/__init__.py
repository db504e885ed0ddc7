"""Answers to questions about label sets: tuples of arrays with one entry per row, printed as tables.

Searches create and unpack them as plain tuples. The distribution or estimator then attaches the names of labels and
rows for display.
"""

from setwise.contract.answers.decided import Decided
from setwise.contract.answers.entropy import Entropy
from setwise.contract.answers.mode import Mode
from setwise.contract.answers.question import Question
from setwise.contract.answers.rows import replace_rows
from setwise.contract.answers.top_k import TopK

__all__ = [
    "Decided",
    "Entropy",
    "Mode",
    "Question",
    "TopK",
    "replace_rows",
]
