"""Schemas of scores: linear functions of the features, and sums of trees."""

from __future__ import annotations

from typing import Any

from setwise.kernels.tree_scores import TreeScores
from setwise.persistence.kinds import Doubles, Floats, Schema, Scope, Size, Wholes
from setwise.persistence.kinds.arrays import Numbers
from setwise.persistence.records import Record

WEIGHT = 1e30
"""Largest coefficient: as a 32-bit float it is finite, and so are sums of its products with features."""
WEIGHTS: dict[str, Any] = {"low": -WEIGHT, "high": WEIGHT}
"""The limits of coefficients."""

d, B, m = Size("d"), Size("B"), Size("m")
nodes, trees = Size("nodes"), Size("trees")


class Weights(Floats):
    """Coefficients of features or labels."""

    def __init__(self, *shape: Size | int, **limits: Any) -> None:
        super().__init__(*shape, **(WEIGHTS | limits))


class _Places(Numbers):
    """Indices into other arrays, in the type of the kernel that walks trees."""

    types = frozenset({"i4"})


def _walks_end(record: Record, scope: Scope) -> str | None:
    """Check that children come after their parents and exist, so that every walk ends at a leaf."""
    n_features = scope.sizes.get("d", 0)
    if not TreeScores(**record.state).is_sound(n_features):
        return "the nodes of the trees do not form trees of the features"
    return None


SCHEMAS = {
    "part.LinearScores": Schema(
        {"coef": Doubles(d, B, **WEIGHTS), "intercept": Doubles(B), "labels": Doubles(m, B, **WEIGHTS)}
    ),
    "part.TreeScores": Schema(
        {
            "intercept": Doubles(B, **WEIGHTS),
            "feature": _Places(nodes),
            "threshold": Doubles(nodes),
            "left": _Places(nodes),
            "right": _Places(nodes),
            "value": Doubles(nodes, **WEIGHTS),
            "root": Wholes(trees, below=nodes, types=frozenset({"i4"})),
            "score": Wholes(trees, below=B, types=frozenset({"i4"})),
        },
        rules=(_walks_end,),
    ),
}
