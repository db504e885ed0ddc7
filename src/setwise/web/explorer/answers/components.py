"""What each component of a mixture says of a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from setwise.contract import Array
from setwise.distributions import LabelDistribution
from setwise.distributions.forest_mixture import ForestMixture
from setwise.distributions.mixture import Mixture
from setwise.web.explorer.answers.plain import number, numbers, set_of

SHOWN = 12
"""Components that are shown, the heaviest first."""


def components_of(joint: LabelDistribution) -> list[dict[str, Any]]:
    """Weight, marginals and most probable set of each component; nothing if there is only one."""
    parts = _parts(joint)
    if len(parts) < 2:
        return []
    parts.sort(key=lambda part: -part[1])
    if len({name for name, *_ in parts}) < len(parts):
        parts = [(f"model {place + 1}", *part[1:]) for place, part in enumerate(parts)]
    return [_described(name, weight, make()) for name, weight, make in parts[:SHOWN]]


Part = tuple[str, float, Callable[[], LabelDistribution]]


def _parts(joint: LabelDistribution) -> list[Part]:
    """Names and weights of the components of one row, and what makes their distributions."""
    if isinstance(joint, ForestMixture):
        weights = np.exp(joint.log_gate[0])
        logits, parents = joint.forests.logits, joint.forests.parents
        return [
            (f"component {k + 1}", float(w), partial(_single, logits[:, [k]], parents[[k]]))
            for k, w in enumerate(weights)
        ]
    if isinstance(joint, Mixture):
        inner = [
            (type(part).__name__, float(weight), part)
            for weight, part in zip(np.exp(joint.log_gate[0]), joint.components)
        ]
        return [piece for name, weight, part in inner for piece in _opened(name, weight, part)]
    return []


def _single(logits: Array, parents: Array) -> ForestMixture:
    return ForestMixture(np.zeros((1, 1)), logits, parents)


def _opened(name: str, weight: float, part: LabelDistribution) -> list[Part]:
    """A component, or those inside it."""
    inside = _parts(part)
    if len(inside) < 2:
        return [(_plain(name), weight, lambda: part)]
    return [(sub, weight * share, make) for sub, share, make in inside]


def _plain(name: str) -> str:
    """The name of a family in a reader's words."""
    return {"Table": "sets seen in training", "ForestMixture": "any set"}.get(name, name)


def _described(name: str, weight: float, joint: LabelDistribution) -> dict[str, Any]:
    best = joint.mode()
    return {
        "name": name,
        "weight": weight,
        "marginals": numbers(joint.marginals()[0]),
        "best": set_of(best.labels[0]),
        "probability": number(np.exp(best.log_prob[0])),
    }
