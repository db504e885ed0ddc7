"""A fitted model as an ONNX graph: probabilities of labels, and the best set of products and tables.

ONNX has no notion of a label distribution, so the graph answers only these questions. All numbers are double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.errors import InputError
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.learning.linear.scores import LinearScores
from setwise.web.standalone.onnx_graph import Graph
from setwise.web.standalone.plain_model import Plain, parts_of


def to_onnx(estimator: SetClassifier) -> bytes:
    """Convert a fitted model to ONNX.

    Parameters
    ----------
    estimator : SetClassifier
        Fitted, with linear learners: ``BinaryRelevance``, ``ConditionalTree``, ``LabelPowerset``, or a mixture whose
        ``seen_share_`` is 0.

    Returns
    -------
    bytes
        The ONNX model. Its input ``features`` is (n, d) of doubles. Its output ``probabilities`` (n, L) equals
        ``predict_proba``. Products and tables also have ``best_set`` (n, L) of 0 and 1, the most probable set. The
        metadata ``labels`` has the names of the labels, one a line.

    Raises
    ------
    InputError
        If the model is of another kind; the message names those that can be converted.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]])
    >>> graph = to_onnx(model)  # doctest: +SKIP
    """
    parts = parts_of(estimator)
    if any("forests" not in part and "scores" not in part for part in parts):
        raise InputError(
            f"ONNX cannot express the seen sets of this {type(estimator).__name__}",
            hint="fit it again with seen_share=0",
        )
    graph = Graph()
    x = _prepared(graph, estimator)
    answers = [_part(graph, x, part, int(estimator.n_labels_)) for part in parts]
    graph.output("probabilities", graph.total([graph.scaled(a, p["share"]) for a, p in zip(answers, parts)]))
    best = _best_set(graph, x, parts, answers, int(estimator.min_labels_))
    if best is not None:
        graph.output("best_set", graph.whole_numbers(best))
    names = "\n".join(str(name) for name in estimator.label_names_)
    return graph.serialized(int(estimator.n_features_in_), int(estimator.n_labels_), {"labels": names})


def _prepared(graph: Graph, estimator: Any) -> str:
    """Fill missing features and normalize rows as the model does."""
    x = "features"
    if hasattr(estimator, "fill_"):
        x = graph.add("Where", graph.add("IsNaN", x), graph.constant(estimator.fill_), x)
    if getattr(estimator, "unit_rows_", False):
        squares = graph.add("ReduceSum", graph.add("Mul", x, x), graph.integers([1]), keepdims=1)
        length = graph.add("Sqrt", squares)
        zero = graph.add("Equal", length, graph.constant(0.0))
        x = graph.add("Div", x, graph.add("Where", zero, graph.constant(1.0), length))
    return x


def _part(graph: Graph, x: str, part: Plain, L: int) -> str:
    """The marginals (n, L) of one part."""
    if "forests" in part:
        return _forest_marginals(graph, x, part["forests"], L)
    return graph.add("MatMul", _table(graph, x, part), graph.constant(part["sets"]))


def _table(graph: Graph, x: str, part: Plain) -> str:
    return graph.add("Softmax", _scores(graph, x, part["scores"]), axis=1)


def _scores(graph: Graph, x: str, scores: LinearScores) -> str:
    return graph.add(
        "Add", graph.add("MatMul", x, graph.constant(scores.coef)), graph.constant(scores.intercept)
    )


def _forest_marginals(graph: Graph, x: str, forests: Plain, L: int) -> str:
    parents = np.asarray(forests["parents"])
    K = len(parents)
    on = graph.add("Sigmoid", _scores(graph, x, forests["experts"]))
    marginals = _down_the_trees(graph, on, parents, int(forests["values"]))
    if K == 1:
        return marginals
    each = graph.add("Reshape", marginals, graph.integers([-1, K, L]))
    gate = graph.add("Reshape", _gate(graph, x, forests), graph.integers([-1, K, 1]))
    return graph.add("ReduceSum", graph.add("Mul", each, gate), graph.integers([1]), keepdims=0)


def _down_the_trees(graph: Graph, on: str, parents: Array, values: int) -> str:
    """P(on) of every label of every tree (n, K L): after i + 1 steps, labels at depth i are right."""
    flat = parents.ravel()
    if values == 1 or (flat < 0).all():
        return graph.columns(on, np.arange(len(flat)) * values)
    above = (np.arange(len(parents))[:, None] * parents.shape[1] + np.maximum(parents, 0)).ravel()
    # A root has no parent: both of its tables are the first.
    first = np.arange(len(flat)) * 2
    if_off, if_on = graph.columns(on, first), graph.columns(on, first + (flat >= 0))
    change = graph.add("Sub", if_on, if_off)
    marginals = if_off
    for _ in range(_depth(parents)):
        marginals = graph.add("Add", if_off, graph.add("Mul", change, graph.columns(marginals, above)))
    return marginals


def _depth(parents: Array) -> int:
    """The longest way from a root to a label."""
    trees, depth = np.arange(len(parents))[:, None], 0
    at = parents
    while (at >= 0).any():
        at, depth = np.where(at >= 0, parents[trees, np.maximum(at, 0)], -1), depth + 1
    return depth


def _gate(graph: Graph, x: str, forests: Plain) -> str:
    """The weights (n, K): a softmax within each mixture, and mixtures weigh the same."""
    scores, sizes = _scores(graph, x, forests["gate"]), [int(size) for size in forests["sizes"]]
    starts = np.cumsum([0, *sizes])
    weights = [
        graph.add("Softmax", graph.columns(scores, np.arange(start, start + size)), axis=1)
        for start, size in zip(starts, sizes)
    ]
    return graph.scaled(graph.add("Concat", *weights, axis=1), 1.0 / len(sizes))


def _best_set(graph: Graph, x: str, parts: list[Plain], marginals: list[str], least: int) -> str | None:
    """The most probable set (n, L) of a product or of a table with a product behind it; None for other models."""
    products = [i for i, part in enumerate(parts) if "forests" in part]
    if any((np.asarray(parts[i]["forests"]["parents"]) >= 0).any() for i in products):
        return None
    if any(len(parts[i]["forests"]["parents"]) > 1 for i in products):
        return None
    product = _product_mode(graph, marginals[products[0]], least) if products else None
    if "sets" not in parts[0]:
        return product
    sets = np.asarray(parts[0]["sets"])
    allowed = sets.sum(axis=1) >= least
    listed = graph.columns(_table(graph, x, parts[0]), np.flatnonzero(allowed))
    values = graph.scaled(listed, parts[0]["share"])
    if product is None:
        return graph.rows_at(sets[allowed], values)
    # No set outside the list is more probable than the product's own mode, so it is the only other candidate.
    on, share = marginals[products[0]], parts[1]["share"]
    values = graph.add("Add", values, graph.scaled(graph.product_of_sets(on, sets[allowed]), share))
    other = graph.scaled(graph.product_of_answer(on, product), share)
    best = graph.add("ReduceMax", values, graph.integers([1]), keepdims=1)
    wins = graph.add("Greater", other, best)
    return graph.add("Where", wins, product, graph.rows_at(sets[allowed], values))


def _product_mode(graph: Graph, on: str, least: int) -> str:
    """Each label's likelier value; if these are too few, the most probable labels."""
    likelier = graph.add("Greater", on, graph.constant(0.5))
    if least:
        smallest = graph.add_many("TopK", 2, on, graph.integers([least]), axis=1)[0]
        last = graph.columns(smallest, np.array([least - 1]))
        likelier = graph.add("Or", likelier, graph.add("GreaterOrEqual", on, last))
    return graph.numbers(likelier)
