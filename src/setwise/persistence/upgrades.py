"""Upgrades of models from earlier formats. Upgraded models pass the same checks.

Format 1 kept the parts' attributes among parameters, named arrays twice where attributes shared them, stored
attributes that only show what a part holds, and kept scikit-learn's objects for neighbours and monotone maps. What
methods answer by definition, greedily or by Gibbs sampling, was called the decision "subset".
"""

from __future__ import annotations

from collections.abc import Callable

from setwise.persistence.nodes import KIND, Node
from setwise.persistence.registry import LEFT_OUT
from setwise.persistence.schemas import SCHEMAS

RENAMED = {
    "setwise.ChainEnsemble": {"inference": "search"},
    "setwise.ClassifierChain": {"inference": "search"},
    "setwise.ConditionalDependencyNetwork": {
        "base": "learner",
        "answer": "search",
        "n_chains": "n_gibbs_chains",
    },
    "setwise.IBLR": {"k": "n_neighbors"},
    "setwise.MLkNN": {"k": "n_neighbors"},
    "setwise.NaiBX": {"base": "learner"},
    "setwise.PairwiseCRF": {"inference": "search"},
    "setwise.RAkEL": {"k": "group_size"},
}
"""New names of parameters."""
COMPUTED = frozenset({"classes_", "coef_", "couplings_", "intercept_"})
"""Attributes of our estimators that are now computed on access."""


def upgrade(node: Node, version: int) -> Node:
    """The node of a model that was written in a format ``version``, as the current format has it.

    Examples
    --------
    >>> upgrade({"$": "object", "class": "part.FBeta", "parameters": {"beta": 2.0}}, 1)
    {'$': 'object', 'class': 'part.FBeta', 'parameters': {}, 'state': {'beta': 2.0}}
    """
    return _from_first(node) if version == 1 else node


def _from_first(node: Node) -> Node:
    if isinstance(node, list):
        return [_from_first(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get(KIND) != "object":
        return {key: _from_first(item) for key, item in node.items()}
    return _object(str(node.get("class")), node)


def _object(name: str, node: Node) -> Node:
    name, node = _REPLACED[name](node) if name in _REPLACED else (name, node)
    parts = (
        {k: _from_first(v) for k, v in dict(node.get(part, {})).items()} for part in ("parameters", "state")
    )
    parameters, state = parts
    if name.startswith("part."):
        parameters, state = {}, parameters | state
    if name.startswith("setwise."):
        new = RENAMED.get(name, {})
        parameters = {new.get(k, k): v for k, v in parameters.items()}
        state = {k: v for k, v in state.items() if k not in COMPUTED}
    if name in SCHEMAS:
        parameters = {k: v for k, v in parameters.items() if k not in LEFT_OUT}
        skipped = SCHEMAS[name].dropped.union(SCHEMAS[name].derived_of(parameters))
        state = {k: v for k, v in state.items() if k not in skipped}
    # A key that no object had, such as arguments of fit, stays for the reader to refuse.
    return node | {KIND: "object", "class": name, "parameters": parameters, "state": state}


def _neighbours(node: Node) -> tuple[str, Node]:
    """Scikit-learn's index of neighbours: its rows and its metric are all that is needed."""
    state = dict(node["state"])
    index = state.pop("index")
    state |= {"rows": index["fit"]["X"], "metric": index["parameters"]["metric"]}
    return "part.NeighbourVotes", {"state": state}


def _monotone_map(node: Node) -> tuple[str, Node]:
    state = node["state"]
    return "part._MonotoneMap", {"state": {"said": state["X_thresholds_"], "seen": state["y_thresholds_"]}}


def _leaderboard(node: Node) -> tuple[str, Node]:
    """A leaderboard was a plain list of its entries."""
    state = dict(node.get("state", {}))
    if "leaderboard_" in state:
        board = {"entries": state["leaderboard_"]}
        state["leaderboard_"] = {KIND: "object", "class": "part.Leaderboard", "state": board}
    return "setwise.AutoSetClassifier", {**node, "state": state}


def _by_definition(name: str, decision: str) -> Callable[[Node], tuple[str, Node]]:
    """Upgrade an estimator whose default decision now has a separate name."""

    def upgraded(node: Node) -> tuple[str, Node]:
        parameters = dict(node.get("parameters", {}))
        greedy = parameters.get("search") == "greedy"
        if parameters.get("decision") == "subset" and (greedy or name != "setwise.NaiBX"):
            parameters["decision"] = decision
        if greedy:
            parameters["search"] = "beam"
        return name, {**node, "parameters": parameters}

    return upgraded


_REPLACED: dict[str, Callable[[Node], tuple[str, Node]]] = {
    "part.NeighbourVotes": _neighbours,
    "setwise.AutoSetClassifier": _leaderboard,
    "setwise.ConditionalDependencyNetwork": _by_definition("setwise.ConditionalDependencyNetwork", "gibbs"),
    "setwise.NaiBX": _by_definition("setwise.NaiBX", "greedy"),
    "sklearn.IsotonicRegression": _monotone_map,
}
