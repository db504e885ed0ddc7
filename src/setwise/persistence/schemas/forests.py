"""Decision forests: randomized trees whose leaves hold label sets."""

from __future__ import annotations

import math

from setwise.kernels.set_trees import SetTrees
from setwise.persistence.kinds import (
    POSITIVE,
    SHARE,
    Booleans,
    Doubles,
    Labels,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Whole,
)
from setwise.persistence.kinds.arrays import Numbers
from setwise.persistence.records import Record
from setwise.persistence.schemas.base import L, d, estimator

m, nodes, trees, members = Size("m"), Size("nodes"), Size("trees"), Size("members")


class _Places(Numbers):
    """Places in other arrays, as the kernels that walk trees take them."""

    types = frozenset({"i4"})


def _walks_end(record: Record, scope: Scope) -> str | None:
    """Children come after their parents, and leaves hold sets that exist."""
    if not SetTrees(**record.state).is_sound(scope.sizes.get("d", 0), scope.sizes.get("m", 0)):
        return "the nodes do not form trees of the features over the listed sets"
    return None


def _shares_sum_to_one(record: Record, scope: Scope) -> str | None:
    if not math.isclose(sum(record.state.values()), 1.0, abs_tol=1e-6):
        return "the shares of the three parts do not sum to one"
    return None


SCHEMAS = {
    "part.SetTrees": Schema(
        {
            "root": _Places(trees),
            "feature": _Places(nodes),
            "threshold": Doubles(nodes),
            "left": _Places(nodes),
            "begin": _Places(nodes),
            "end": _Places(nodes),
            "weight": Doubles(nodes, low=1e-100),
            "member": _Places(members),
            "member_weight": Doubles(members, low=0.0),
        },
        rules=(_walks_end,),
    ),
    "part.Shares": Schema({"leaves": SHARE, "seen": SHARE, "anywhere": SHARE}, rules=(_shares_sum_to_one,)),
    "part.DecisionTrees": Schema(
        {
            # The sets come first: the trees refer to them.
            "sets": Labels(m, L, distinct=True),
            "trees": Part("part.SetTrees", d=d, m=m),
            "unknown": Booleans(L),
            "prior": Doubles(L, low=0.0, high=1.0),
            "shrinkage": SHARE,
            "shares": Part("part.Shares"),
        }
    ),
    "setwise.DecisionForest": estimator(
        {
            "forest_": Part("part.DecisionTrees", d=d, L=L),
            "max_features_": Whole(1),
            "leaf_size_": POSITIVE,
            "out_of_bag_loss_": Real(),
        }
    ),
}
