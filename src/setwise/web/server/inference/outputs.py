"""From a model's distributions to the tensors of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from setwise.arrays import Array, Labels
from setwise.contract import Decided, NotTractable
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.errors import InputError
from setwise.web.api import Model
from setwise.web.api.questions.marginals import given_probs


class Block:
    """The distributions of some rows, and their answers, each computed when it is first asked for.

    Parameters
    ----------
    model : Model
    X : array or CSR of shape (n, d)
    joint : LabelDistribution
        Given the evidence.
    known : bool
        Whether there is evidence.
    decision : decision, optional
    k : int
    """

    def __init__(
        self, model: Model, X: Any, joint: LabelDistribution, known: bool, decision: Decision | None, k: int
    ) -> None:
        self.model, self.X, self.joint, self.known = model, X, joint, known
        self.decision, self.k = decision, k
        self._decided: Decided | None = None

    @property
    def decided(self) -> Decided:
        """The best sets for the decision."""
        if self._decided is None:
            self._decided = self.joint.decide(self.decision)
        return self._decided

    def probabilities(self) -> Array:
        """Probability of each label."""
        return given_probs(self.joint) if self.known else self.model.label_probs(self.X)


OUTPUTS: dict[str, tuple[Callable[[Block], Array], str, tuple[int | str, ...]]] = {
    "labels": (lambda block: block.decided.labels, "INT8", (-1, "L")),
    "probabilities": (Block.probabilities, "FP64", (-1, "L")),
    "log_probability": (lambda block: block.joint.log_prob(block.decided.labels), "FP64", (-1,)),
    "expected_loss": (lambda block: block.decided.expected_loss, "FP64", (-1,)),
    "certified": (lambda block: block.decided.certified, "BOOL", (-1,)),
    "top_labels": (lambda block: block.joint.top_k(block.k).labels, "INT8", (-1, -1, "L")),
    "top_log_probability": (lambda block: block.joint.top_k(block.k).log_prob, "FP64", (-1, -1)),
    "top_certified": (lambda block: block.joint.top_k(block.k).certified, "BOOL", (-1,)),
    "sizes": (lambda block: block.joint.size_probs(), "FP64", (-1, "L + 1")),
}
"""What can be answered: how, its datatype, its shape."""
DEFAULT = ("labels", "probabilities", "log_probability", "expected_loss", "certified")
"""What is answered if a request does not say."""


def output_tensors(model: Model) -> list[dict[str, Any]]:
    """What a model answers."""
    sizes = {"L": len(model.labels), "L + 1": len(model.labels) + 1}
    return [
        {"name": name, "datatype": datatype, "shape": [sizes.get(str(size), size) for size in shape]}
        for name, (_, datatype, shape) in OUTPUTS.items()
    ]


def check_outputs(names: Sequence[str]) -> None:
    """Refuse names that are not outputs."""
    unknown = [name for name in names if name not in OUTPUTS]
    if unknown:
        raise InputError(f"there is no output {unknown[0][:60]!r}; there are {', '.join(OUTPUTS)}")


def compute(
    model: Model, X: Any, known: Labels | None, names: Sequence[str], decision: Decision | None, k: int
) -> dict[str, Array]:
    """The arrays of the outputs; without ``names``, all default ones that the family of the model can answer."""
    step = model.block_rows(X, decision)
    blocks = [
        Block(model, X[place * step : (place + 1) * step], joint, known is not None, decision, k)
        for place, joint in enumerate(model.joints(X, known, decision))
    ]
    found = {}
    for name in names or DEFAULT:
        try:
            found[name] = np.concatenate([OUTPUTS[name][0](block) for block in blocks])
        except NotTractable:
            if names:
                raise
    _check_known(found)
    return found


def _check_known(found: dict[str, Array]) -> None:
    for name, values in found.items():
        if values.dtype.kind == "f" and name != "expected_loss" and np.isnan(values).any():
            row = int(np.isnan(values).reshape(len(values), -1).any(axis=1).argmax())
            hint = "are some of its features extremely large?"
            raise InputError(f"the model has no {name} for row {row}", row=row, hint=hint)
