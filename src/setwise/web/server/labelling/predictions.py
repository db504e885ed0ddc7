"""Predictions for tasks: the best set as choices, and how much an answer about the task would tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from setwise.contract import NotTractable
from setwise.errors import InputError
from setwise.web.api import Model, next_question, predict
from setwise.web.api.rows import Row
from setwise.web.server.labelling.config import Choices, Interface


def task_row(
    model: Model, task: Mapping[str, Any], control: Choices, interface: Interface, number: int
) -> Row:
    """The row of a task: its data by column name, or the text that the control labels."""
    data = task.get("data")
    if not isinstance(data, Mapping):
        raise InputError(f"task {number} has no data", row=number)
    columns = model.reader.columns
    variable = interface.variables.get(control.to_name, "")
    is_one_text = model.reader.takes_text or len(columns) == 1
    if is_one_text and variable in data and not set(columns) & set(data):
        return [data[variable]] if columns else str(data[variable])
    return {str(name): value for name, value in data.items() if not isinstance(value, dict)}


def predictions(model: Model, rows: Sequence[Row], control: Choices) -> list[dict[str, Any]]:
    """One prediction per task, in the form of Label Studio.

    The score of the choices is the probability of the set. The score of the task is the gain of the best next question,
    so that sorting by it brings the most informative tasks first; without one, it is the probability too.
    """
    best = predict(model, rows)
    gains = _gains(model, rows)
    found = []
    for answer, gain in zip(best, gains):
        chosen = [name for name in answer["labels"] or [] if name in control.values]
        log_prob = answer["log_probability"]
        probability = 1.0 - (answer["expected_loss"] or 0.0) if log_prob is None else math.exp(log_prob)
        found.append(
            {
                "result": [_choices(control, chosen, probability)] if chosen else [],
                "score": probability if gain is None else gain,
                "model_version": model.version,
            }
        )
    return found


def _gains(model: Model, rows: Sequence[Row]) -> list[float | None]:
    try:
        return [answer["gain"] for answer in next_question(model, rows)]
    except NotTractable:
        return [None] * len(rows)


def _choices(control: Choices, chosen: list[str], score: float) -> dict[str, Any]:
    return {
        "from_name": control.name,
        "to_name": control.to_name,
        "type": "choices",
        "value": {"choices": chosen},
        "score": score,
    }
