"""Answers to questions about label sets: tuples of arrays, one entry a row, that print themselves.

Searches make and unpack them as plain tuples. The names of labels and rows, which only the reader needs, are attached
by the object that was asked.
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
