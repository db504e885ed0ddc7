"""Schemas of estimators of labels given other labels: chains and dependency networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.persistence.kinds import (
    ANY,
    Dimension,
    Doubles,
    Either,
    Flag,
    ListOf,
    Optional,
    Order,
    Part,
    Real,
    Scope,
    Size,
    Table,
    Whole,
)
from setwise.persistence.records import Record
from setwise.persistence.schemas.base import (
    PENALTIES,
    Fields,
    L,
    Parameters,
    d,
    estimator,
    is_built_in,
    learner_of,
    views,
    weight_shift,
)
from setwise.persistence.schemas.labels import AlongChain, learner, scores

M = Size("M")

UPDATES = 2**22
"""Maximum number of couplings visited to draw the sets of one row. If the default sampler visits
more, because there are many labels, the maximum is 16 times what it visits."""
DEFAULT_SWEEPS = 2400

linear_chain = Part("part.LinearChain", d=d, L=L)


def _chain(p: Parameters) -> Fields:
    if is_built_in(p):
        return {"chain_": linear_chain, **weight_shift(p)}
    return {"order_": Order(L), "classifiers_": AlongChain()}


def _chain_views(p: Parameters) -> dict[str, Any]:
    return views("chain_", order_="order", coupling_="scores.labels", l2_="l2") if is_built_in(p) else {}


def _chains(p: Parameters) -> Fields:
    kind = linear_chain if is_built_in(p) else AlongChain()
    return {"orders_": Order(M, L), "chains_": ListOf(kind, M, least=1)}


def _n_chains_agree(record: Record, scope: Scope) -> str | None:
    if record.parameters.get("n_chains", 10) != len(record.state["chains_"]):
        return "n_chains is not the number of chains"
    return None


def _orders_agree(record: Record, scope: Scope) -> str | None:
    chains, orders = record.state["chains_"], record.state["orders_"]
    linear = [
        (chain.state["order"], order)
        for chain, order in zip(chains, orders)
        if is_built_in(record.parameters)
    ]
    return None if all(np.array_equal(a, b) for a, b in linear) else "the orders are not those of the chains"


MIXTURE: Fields = {
    "n_components_": Dimension(M),
    "gate_": scores(d, M, 0),
    "chains_": ListOf(linear_chain, M, least=1),
    "orders_": Order(M, L),
    "growth_": Table(held_out=Real(infinite=True), components=Whole()),
    "trace_": Table(bound=Real(infinite=True), components=Whole()),
    "converged_": Flag(),
    "n_iter_": Whole(),
}


def _few_sets(record: Record, scope: Scope) -> str | None:
    """Limit searches through all sets, which are not in the file."""
    n_labels = scope.sizes["L"]
    if record.parameters.get("search") == "exhaustive" and n_labels * 2**n_labels > UPDATES:
        return f"search='exhaustive' lists 2^{n_labels} sets; store search='best_first', which finds the same ones"
    return None


def _network(p: Parameters) -> Fields:
    fields: Fields = {"seed_": Whole(0, 2**32 - 1)}
    if learner_of(p) == "svm":
        return fields | {
            "scores_": scores(d, L, L),
            "C_": Doubles(L, low=0.0),
            "scores_alone_": scores(d, L, ANY),
        }
    if is_built_in(p):
        return fields | {"scores_": scores(d, L, L), "l2_": Doubles(L, **PENALTIES)}
    seeing, alone = (ListOf(Either(Real(), learner(size, 2)), L) for size in (d + L, d))
    return fields | {"learners_": seeing, "learners_alone_": Optional(alone)}


def _network_views(p: Parameters) -> dict[str, Any]:
    return views("scores_", coupling_="labels") if is_built_in(p) else {}


def _few_sweeps(record: Record, scope: Scope) -> str | None:
    """Limit the time of Gibbs sampling, which depends on three numbers and not on the arrays of the file."""
    defaults = {"n_gibbs_chains": 4, "n_burn_in": 100, "n_samples": 500, "n_keep": 100}
    chains, burn_in, samples, keep = (int(record.parameters.get(*item)) for item in defaults.items())
    sweeps = chains * (burn_in + samples)
    limit = max(UPDATES // scope.sizes["L"] ** 2, 16 * DEFAULT_SWEEPS)
    if max(sweeps, keep) > limit:
        return f"{sweeps} sweeps of the sampler; at most {limit} are allowed with {scope.sizes['L']} labels"
    return None


SCHEMAS = {
    "setwise.ClassifierChain": estimator(_chain, derived=_chain_views, rules=(_few_sets,)),
    "setwise.ChainEnsemble": estimator(
        _chains,
        derived=lambda p: {"l2_": lambda model: model.chains_[0].l2} if is_built_in(p) else {},
        rules=(_n_chains_agree, _orders_agree, _few_sets),
    ),
    "setwise.MixtureOfChains": estimator(
        MIXTURE,
        derived=lambda p: {"l2_": lambda model: model.chains_[0].l2},
        rules=(_orders_agree, _few_sets),
    ),
    "setwise.ConditionalDependencyNetwork": estimator(_network, derived=_network_views, rules=(_few_sweeps,)),
}
