"""Asking an estimator for its answers, and keeping them as text."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from setwise import NotTractable
from tests.golden.builders import CASES
from tests.golden.data import DATA, Data

FILE = Path(__file__).with_name("answers.json")
DECISIONS = ("subset", "hamming", "f1", "jaccard")
DIGITS = 10
K = 3
Answers = dict[str, Any]


def answers(name: str) -> Answers:
    """What the estimator of a case answers, as it is kept: sets as text, numbers rounded."""
    case, data = name.split(" / ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _ask(CASES[case].build(), DATA[data]())


def _ask(model: Any, data: Data) -> Answers:
    model.fit(data.X, data.Y)
    X = data.X_test
    said: Answers = {
        "predict": _sets(model.predict(X)),
        "predict_proba": _numbers(model.predict_proba(X)),
        "marginals": _numbers(model.distribution(X).marginals()),
    }
    for decision in DECISIONS:
        said[f"decide {decision}"] = _sets(model.decide(X, decision).labels)
    said["log_prob"] = _if_tractable(lambda: _numbers(model.log_prob(X, data.Y_test)))
    said["top sets"] = _if_tractable(lambda: [_sets(row) for row in model.predict_top_k(X, K).labels])
    said["top log_prob"] = _if_tractable(lambda: _numbers(model.predict_top_k(X, K).log_prob))
    return said


def _if_tractable(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except NotTractable as refused:
        return [type(refused).__name__]


def _sets(labels: np.ndarray) -> list[str]:
    """Each set as a word of 0, 1 and, for padding, a point."""
    return ["".join("01."[value] for value in row) for row in labels]


def _numbers(values: np.ndarray) -> Any:
    return [_numbers(row) if np.ndim(row) else float(f"{row:.{DIGITS}g}") for row in values]


def read() -> dict[str, Answers]:
    """The answers that are kept."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def write(kept: dict[str, Answers]) -> None:
    """Keep answers, one a line, so that a difference shows which have changed."""
    cases = []
    for name in sorted(kept):
        lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in kept[name].items()]
        cases.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n  }")
    FILE.write_text("{\n" + ",\n".join(cases) + "\n}\n")
