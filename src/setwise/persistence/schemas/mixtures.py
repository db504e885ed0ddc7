"""Schemas of forests over the labels, and of their mixtures."""

from __future__ import annotations

import numpy as np

from setwise.persistence.kinds import (
    ANY,
    NOT_NEGATIVE,
    SHARE,
    Dimension,
    Doubles,
    Either,
    Flag,
    Labels,
    Optional,
    Parents,
    Part,
    Real,
    Scope,
    Size,
    Table,
    Text,
    Whole,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.schemas.base import PENALTIES, Fields, L, d, estimator
from setwise.persistence.schemas.labels import scores

K, V, M, S = Size("K"), Size("V"), Size("M"), Size("S")
SCORES = ("part.LinearScores", "part.TreeScores", "part.ClassifierScores")

_score = Real(infinite=True)
_of_mixture = Optional(Whole())

MIXTURE: Fields = {
    "n_components_": Dimension(K),
    "_n_values": Dimension(V),
    "gate_": Part(*SCORES, d=d, B=K),
    "experts_": Part(*SCORES, d=d, B=K * L * V),
    "parents_": Parents(K, L),
    "mixture_sizes_": Wholes(M, low=1),
    "trace_": Table(bound=_score, components=Whole(), mixture=_of_mixture),
    "converged_": Flag(),
    "n_iter_": Whole(),
}

GROWN: Fields = MIXTURE | {
    "growth_": Table(held_out=_score, components=Whole(), mixture=_of_mixture),
    "seen_sets_": Labels(S, L, distinct=True),
    "seen_share_": SHARE,
}


def _components_add_up(record: Record, scope: Scope) -> str | None:
    if record.state["mixture_sizes_"].sum() != scope.sizes["K"]:
        return "the sizes of the mixtures do not add up to the number of components"
    values, parents = scope.sizes["V"], record.state["parents_"]
    if values not in (1, 2) or (values == 1 and (parents != -1).any()):
        return "labels with parents need logits for both values of the parent"
    return None


def _trees_are_counted(record: Record, scope: Scope) -> str | None:
    if record.parameters.get("n_trees", 10) != scope.sizes["K"]:
        return "n_trees is not the number of trees"
    return None


def _share_needs_sets(record: Record, scope: Scope) -> str | None:
    """Check that there are seen sets if a share of the probability is reserved for them."""
    if not record.state["seen_share_"] < 1 or (record.state["seen_share_"] > 0 and scope.sizes["S"] == 0):
        return "probability is reserved for seen sets, but there are none"
    return None


SCHEMAS = {
    "setwise.ConditionalTree": estimator(
        {
            "parents_": Parents(L),
            "gains_": Doubles(L, L, low=-np.inf),
            "l2_": Doubles(L, 2, **PENALTIES),
            "scores_": scores(d, 2 * L, ANY),
        }
    ),
    "setwise.TreeEnsemble": estimator(
        {
            "parents_": Parents(K, L),
            "l2_": Doubles(K, L, 2, **PENALTIES),
            "scores_": scores(d, K * L * 2, ANY),
        },
        rules=(_trees_are_counted,),
    ),
    "setwise.MixtureOfTrees": estimator(GROWN, rules=(_components_add_up, _share_needs_sets)),
    "setwise.MixtureOfTreeExperts": estimator(GROWN, rules=(_components_add_up, _share_needs_sets)),
    "setwise.ConditionalBernoulliMixture": estimator(
        MIXTURE
        | {
            "tuning_": Table(held_out=_score, n_components=Whole()),
            "l2_": Either(NOT_NEGATIVE, Doubles(L, **PENALTIES)),
            "gate_l2_": NOT_NEGATIVE,
            "init_": Text(64),
        },
        rules=(_components_add_up,),
    ),
}
