"""Schemas of counts: of labels, features and neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.kernels.nearest import METRICS
from setwise.learning.counting.smoothing import SMALLEST_SMOOTHING
from setwise.persistence.kinds import (
    ANY,
    NOT_NEGATIVE,
    Choice,
    ClassOf,
    Dimension,
    Doubles,
    Labels,
    ListOf,
    Matrix,
    Part,
    Schema,
    Scope,
    Size,
    Wholes,
)
from setwise.persistence.records import Record

L, d, C, q, n, k = Size("L"), Size("d"), Size("C"), Size("q"), Size("n"), Size("k")
FAMILIES = ("part.GaussianCounts", "part.BernoulliCounts", "part.MultinomialCounts")
COUNT: dict[str, Any] = {"low": 0.0, "high": 1e18}

smoothing = Part("part.Smoothing")


def _some_rows(record: Record, scope: Scope) -> str | None:
    """Check the counts of sizes, which follow those of the labels."""
    return None if record.state["classes"][scope.sizes["L"] :].any() else "no row was counted"


def _columns_and_parts(record: Record, scope: Scope) -> str | None:
    """Check that every column belongs to one family, whose counts have that many columns."""
    columns, parts = record.state["columns"], record.state["parts"]
    together = np.sort(np.concatenate([np.empty(0, np.int64), *columns]))
    if len(columns) != len(parts) or not np.array_equal(together, np.arange(scope.sizes["d"])):
        return "the families do not divide the columns among them"
    for number, (part, own) in enumerate(zip(parts, columns)):
        Part(*FAMILIES, C=2 * L + 1, q=len(own)).check(part, f"FeatureCounts.parts[{number}]", scope)
    return None


def _positive_among_rows(record: Record, scope: Scope) -> str | None:
    alpha = max(record.state["smoothing"].state["alpha"], SMALLEST_SMOOTHING)
    enough = record.state["rows"] - record.state["positive"] + alpha > 0
    return None if enough.all() else "more rows are positive than were counted"


def _enough_neighbours(record: Record, scope: Scope) -> str | None:
    return None if scope.sizes["k"] <= max(1, scope.sizes["n"]) else "more neighbours than rows"


SCHEMAS = {
    "part.Smoothing": Schema({"alpha": NOT_NEGATIVE, "variance": NOT_NEGATIVE, "ddof": Choice(0, 1)}),
    "part.GaussianCounts": Schema(
        {
            "rows": Doubles(C, q, **COUNT),
            "mean": Doubles(C, q),
            "spread": Doubles(C, q, low=0.0),
            "smoothing": smoothing,
        }
    ),
    "part.BernoulliCounts": Schema(
        {"rows": Doubles(C, q, **COUNT), "positive": Doubles(C, q, **COUNT), "smoothing": smoothing},
        rules=(_positive_among_rows,),
    ),
    "part.MultinomialCounts": Schema({"sums": Doubles(C, q, low=0.0), "smoothing": smoothing}),
    "part.FeatureCounts": Schema(
        {
            "columns": ListOf(Wholes(ANY, below=d, increasing=True), tuples=True),
            "parts": ListOf(ClassOf(*FAMILIES), tuples=True),
        },
        rules=(_columns_and_parts,),
    ),
    "part.LabelCounts": Schema(
        {
            "pairs": Doubles(L, L, **COUNT),
            "classes": Doubles(2 * L + 1, **COUNT),
            "label_sizes": Doubles(L, L + 1, **COUNT),
        },
        rules=(_some_rows,),
    ),
    "part.NeighbourVotes": Schema(
        {
            "k": Dimension(k),
            "Y": Labels(n, L),
            "divisors": Doubles(d, low=1e-100),
            "rows": Matrix(n, d),
            "metric": Choice(*METRICS),
        },
        rules=(_enough_neighbours,),
        dropped=frozenset({"order"}),  # of the training rows, which get votes in fit only
    ),
}
