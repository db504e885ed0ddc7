"""One row: probabilities of its labels, its best sets and sizes, given what is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from setwise.contract import FREE, Labels
from setwise.distributions import LabelDistribution
from setwise.errors import InputError
from setwise.web.explorer.answers.components import components_of
from setwise.web.explorer.answers.plain import if_tractable, number, numbers, set_of, unknown_of
from setwise.web.explorer.answers.structure import structure_of
from setwise.web.explorer.session import Session

SHOWN_SETS = 10
COVERAGE = 0.9


def describe_row(session: Session, row: int) -> dict[str, Any]:
    """What is written in a row: its entries and its given labels."""
    session.check_row(row)
    given = session.given_set(row)
    return {
        "row": row,
        "cells": [cell._asdict() for cell in session.data.rows.cells(row)],
        "given": None if given is None else set_of(given),
        "unknown": [] if given is None else unknown_of(given),
    }


def answer_row(
    session: Session,
    row: int,
    *,
    model: int = 0,
    evidence: Mapping[int, int] | None = None,
    changes: Mapping[str, Any] | None = None,
    n_sets: int = SHOWN_SETS,
    held_out: bool = False,
    parts: tuple[str, ...] = ("labels", "sets", "question", "structure", "components"),
) -> dict[str, Any]:
    """What the model says of a row if some labels are known and some entries changed."""
    joint = session.joint(row, model, changes=changes, held_out=held_out)
    known = known_labels(evidence or {}, joint.n_labels)
    given = joint if (known == FREE).all() else joint.condition(known[None])
    answers = {
        "labels": lambda: _labels(joint, given, known),
        "sets": lambda: (
            _sets(given, n_sets) | {"cut": conformal_cut(session, model) if joint is given else None}
        ),
        "question": lambda: _question(given, known),
        "structure": lambda: structure_of(given),
        "components": lambda: components_of(given),
    }
    return {part: if_tractable(answers[part]) for part in parts}


def known_labels(evidence: Mapping[int, int], n_labels: int) -> Labels:
    """Evidence (L,) of a mapping from labels to values."""
    known = np.full(n_labels, FREE, dtype=np.int8)
    for label, value in evidence.items():
        if not 0 <= label < n_labels or value not in (0, 1):
            raise InputError(f"label {label} is {value}; expected 0 or 1 for one of {n_labels} labels")
        known[label] = value
    return known


def _labels(joint: LabelDistribution, given: LabelDistribution, known: Labels) -> dict[str, Any]:
    before = joint.marginals()[0]
    after = given.marginals()[0]
    return {
        "before": numbers(before),
        "after": numbers(after),
        "sizes": numbers(given.size_probs()[0]),
        "evidence_probability": if_tractable(lambda: number(np.exp(joint.log_prob(known[None])[0]))),
        "sampled": bool(given.sampled),
        "answer": if_tractable(lambda: set_of(given.decide().labels[0])),
    }


def _sets(given: LabelDistribution, n_sets: int) -> dict[str, Any]:
    best = given.top_k(n_sets)
    found = np.isfinite(best.log_prob[0])
    probabilities = np.exp(best.log_prob[0][found])
    return {
        "sets": [set_of(labels) for labels in best.labels[0][found]],
        "probabilities": numbers(probabilities),
        "cumulative": numbers(np.cumsum(probabilities)),
        "certified": bool(best.certified[0]),
        "gap": number(best.gap[0]),
    }


def conformal_cut(session: Session, model: int) -> dict[str, float] | None:
    """The probability that 90 % of the given sets reach, by models that have not seen them; None if there are few rows.

    As in :class:`~setwise.ConformalSets`: the true set of a new row is as probable with a probability of 90 %.
    """
    try:
        log_prob = session.judged(model).judgement.log_prob
    except InputError:
        return None
    known = np.sort(log_prob[~np.isnan(log_prob)])
    place = int(np.floor((1.0 - COVERAGE) * (len(known) + 1)))
    return {"coverage": COVERAGE, "probability": float(np.exp(known[place - 1]))} if place else None


def _question(given: LabelDistribution, known: Labels) -> dict[str, Any] | None:
    """The most informative label, and how probable the best set is expected to be once it is known."""
    free = np.flatnonzero(known == FREE)
    gain = given.next_question().gain[0][free]
    if not free.size or gain.max() <= 1e-9:
        return None
    label = int(free[gain.argmax()])
    best = [given.mode({label: value}).log_prob[0] for value in (0, 1)]
    return {
        "label": label,
        "gain": number(gain.max() / np.log(2.0)),
        "now": number(np.exp(given.mode().log_prob[0])),
        "then": number(np.exp(best).sum()),
    }
