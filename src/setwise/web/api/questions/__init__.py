"""One question per file: a function of a model, rows, and what the question needs, to one dictionary per row."""

from setwise.web.api.questions.explain import explain
from setwise.web.api.questions.label_errors import label_errors
from setwise.web.api.questions.marginals import marginals
from setwise.web.api.questions.next_question import next_question
from setwise.web.api.questions.predict import predict
from setwise.web.api.questions.sizes import sizes
from setwise.web.api.questions.top_k import top_k

QUESTIONS = {
    question.__name__: question
    for question in (predict, marginals, top_k, sizes, next_question, label_errors, explain)
}
"""The questions by name."""

__all__ = ["QUESTIONS", "explain", "label_errors", "marginals", "next_question", "predict", "sizes", "top_k"]
