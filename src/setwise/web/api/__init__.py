"""Questions to a loaded model as plain data: lists and dictionaries in, lists and dictionaries out, no HTTP.

Every question takes a :class:`Model`, rows as JSON has them, and perhaps evidence by label name. It returns one
dictionary per row. Wrong input raises a ValueError, most often an :class:`~setwise.errors.InputError` that names the
row, the column or the label. A question that the family of the model cannot answer raises NotTractable.
"""

from setwise.web.api.description import describe
from setwise.web.api.model import Model, read_model
from setwise.web.api.questions import (
    QUESTIONS,
    explain,
    label_errors,
    marginals,
    next_question,
    predict,
    sizes,
    top_k,
)

__all__ = [
    "QUESTIONS",
    "Model",
    "describe",
    "explain",
    "label_errors",
    "marginals",
    "next_question",
    "predict",
    "read_model",
    "sizes",
    "top_k",
]
