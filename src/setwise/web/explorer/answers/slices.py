"""Slices: the rows that satisfy conditions, in the order asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from setwise.contract import Array, Bools, Labels
from setwise.errors import InputError, quote_some
from setwise.web.explorer.answers.plain import number, set_of
from setwise.web.explorer.session import Judged, NotReady, Session

ORDERS = ("row", "confidence", "error")
"""By number, the least confident prediction first, or the most suspicious row first."""


@dataclass(frozen=True)
class Slice:
    """Conditions on rows; None or an empty value means no condition.

    Attributes
    ----------
    text : str
        Occurs in an entry of the row, without regard to case.
    on, off : lists of label numbers
        Labels that the given set has, or has not.
    exactly : list of label numbers, optional
        The whole given set.
    size : int, optional
        Number of given labels.
    predicted : bool
        Whether ``on``, ``off``, ``exactly`` and ``size`` are about the predicted sets.
    confidence : (low, high), optional
        Probability of the predicted set.
    outcome : {"", "right", "wrong"}
        Whether the predicted set is the given one.
    column, value : str
        A column and its entry, or ``low..high`` for numbers.
    """

    text: str = ""
    on: tuple[int, ...] = ()
    off: tuple[int, ...] = ()
    exactly: tuple[int, ...] | None = None
    size: int | None = None
    predicted: bool = False
    confidence: tuple[float, float] | None = None
    outcome: str = ""
    column: str = ""
    value: str = ""
    order: str = "row"
    model: int = 0


def select(session: Session, chosen: Slice) -> Array:
    """The numbers of the rows of a slice, in its order."""
    keep = np.ones(session.data.rows.n_rows, dtype=np.bool_)
    if chosen.text:
        keep &= _with_text(session, chosen.text)
    if chosen.column and chosen.value != "":
        keep &= _with_value(session, chosen.column, chosen.value)
    if chosen.on or chosen.off or chosen.exactly is not None or chosen.size is not None:
        keep &= _with_labels(_sets(session, chosen), chosen)
    if chosen.confidence is not None:
        confidence = session.judged(chosen.model).judgement.confidence
        low, high = chosen.confidence
        keep &= (confidence >= low) & ((confidence < high) | (high >= 1.0))
    if chosen.outcome:
        right = exact(session, session.judged(chosen.model))
        keep &= right if chosen.outcome == "right" else ~right
    return _ordered(session, np.flatnonzero(keep), chosen)


def exact(session: Session, judged: Judged) -> Bools:
    """Whether the predicted set of each row is the given one."""
    assert session.data.given is not None
    return np.asarray((judged.judgement.suggested == session.data.given).all(axis=1))


def list_rows(session: Session, chosen: Slice, start: int, stop: int) -> dict[str, Any]:
    """A page of the rows of a slice, as a list shows them."""
    rows = select(session, chosen)
    try:
        judged = session.judged(chosen.model)
    except (NotReady, InputError):
        judged = None
    return {
        "total": len(rows),
        "start": start,
        "rows": [_line(session, judged, int(row)) for row in rows[start:stop]],
    }


def _line(session: Session, judged: Judged | None, row: int) -> dict[str, Any]:
    given = session.given_set(row)
    line: dict[str, Any] = {"row": row, "summary": session.data.rows.summary(row)}
    line["given"] = None if given is None else set_of(given)
    if judged is not None:
        line["predicted"] = set_of(judged.judgement.suggested[row])
        line["confidence"] = number(judged.judgement.confidence[row])
    return line


def _sets(session: Session, chosen: Slice) -> Labels:
    if chosen.predicted:
        return session.judged(chosen.model).judgement.suggested
    if session.data.given is None:
        raise InputError("the rows have no given labels; choose predicted ones")
    return session.data.given


def _with_labels(sets: Labels, chosen: Slice) -> Bools:
    on = sets == 1
    largest = max((*chosen.on, *chosen.off, *(chosen.exactly or ())), default=0)
    if largest >= sets.shape[1]:
        raise InputError(f"there is no label {largest}; the data have {sets.shape[1]} labels")
    keep = on[:, list(chosen.on)].all(axis=1) & ~on[:, list(chosen.off)].any(axis=1)
    if chosen.size is not None:
        keep &= on.sum(axis=1) == chosen.size
    if chosen.exactly is not None:
        wanted = np.zeros(sets.shape[1], dtype=np.bool_)
        wanted[list(chosen.exactly)] = True
        keep &= (on == wanted).all(axis=1)
    return np.asarray(keep)


def _with_text(session: Session, text: str) -> Bools:
    wanted, rows = text.casefold(), session.data.rows
    if wanted.isdigit() and int(wanted) < rows.n_rows:
        return np.arange(rows.n_rows) == int(wanted)
    found = np.zeros(rows.n_rows, dtype=np.bool_)
    for name in rows.columns if len(rows.columns) <= 200 else ():
        entries = rows.column(name)
        found |= np.fromiter((isinstance(e, str) and wanted in e.casefold() for e in entries), np.bool_)
    return found


def _with_value(session: Session, column: str, value: str) -> Bools:
    if column not in session.data.rows.columns:
        known = quote_some(session.data.rows.columns)
        raise InputError(f"there is no column {column[:60]!r}; the rows have {known}")
    entries = session.data.rows.column(column)
    low, between, high = value.partition("..")
    if between:
        numbers = np.array([_number(entry) for entry in entries])
        return np.asarray((numbers >= _limit(low, -np.inf)) & (numbers <= _limit(high, np.inf)))
    return np.fromiter(
        (str(entry) == value or _number(entry) == _number(value) for entry in entries), np.bool_
    )


def _number(entry: Any) -> float:
    try:
        return float(entry)
    except (TypeError, ValueError):
        return np.nan


def _limit(text: str, default: float) -> float:
    if text.strip() and np.isnan(_number(text)):
        raise InputError(f"{text[:40]!r} is not a number; a range of values is written 1.5..3")
    return _number(text) if text.strip() else default


def _ordered(session: Session, rows: Array, chosen: Slice) -> Array:
    if chosen.order not in ORDERS:
        raise InputError(f"the order is {chosen.order[:40]!r}; expected one of {', '.join(ORDERS)}")
    if chosen.order == "row":
        return rows
    judgement = session.judged(chosen.model).judgement
    keys = judgement.confidence if chosen.order == "confidence" else -judgement.score
    return rows[np.argsort(keys[rows], kind="stable")]
