"""How much of the training time is spent inside matrix products."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest import mock

from benchmarks.timing import Line, seconds
from setwise import BinaryRelevance
from setwise.datasets import load
from setwise.kernels import implementation
from setwise.learning.linear.design import Design


def run(rows: int | None) -> Iterator[Line]:
    """``BinaryRelevance().fit`` on mediamill's training part, penalties chosen inside as by default."""
    data = load("mediamill").train()
    X, Y = data.X[:rows], data.Y[:rows]
    spent: dict[str, float] = defaultdict(float)
    watched = [
        (Design, "scores", "products"),
        (Design, "gradient", "products"),
        (implementation, "logistic_step", "losses and residuals"),
        (implementation, "lbfgs_direction", "directions"),
    ]
    with ExitStack() as patches:
        for owner, name, part in watched:
            timer = _timed(getattr(owner, name), spent, part)
            patches.enter_context(mock.patch.object(owner, name, timer))
        total, _ = seconds(lambda: BinaryRelevance().fit(X, Y))
    profile = ", ".join(
        f"{part} {value / total:.0%}" for part, value in sorted(spent.items(), key=lambda p: -p[1])
    )
    yield Line(
        "products in training on mediamill",
        f"{spent['products']:.2f} s",
        f"{total:.2f} s in all",
        f"{spent['products'] / total:.0%} of the time",
        "at least 50%",
        f"profile: {profile}, the rest {1 - sum(spent.values()) / total:.0%}",
        spent["products"] / total,
    )


def _timed(function: Callable[..., Any], spent: dict[str, float], part: str) -> Callable[..., Any]:
    def timed(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            spent[part] += time.perf_counter() - start

    return timed
