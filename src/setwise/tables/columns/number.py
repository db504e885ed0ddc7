"""Columns of numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from setwise.contract import Floats
from setwise.tables.columns.column import (
    Column,
    Encoded,
    Entries,
    Options,
    Unreadable,
    deviation,
    is_missing,
    with_flag,
)
from setwise.tables.entries import is_missing_number

SKEWED = 2.0
"""Numbers whose skewness is beyond this are replaced by their logarithm if that makes them less skewed."""
FLAG_ROWS = 5
"""Rows without a value from which a feature marks that it is missing."""

_CURRENCY = re.compile(
    r"(?P<sign>[-+]?)\s*[$€£¥₹]\s*(?P<number>[\d,]*\.?\d+)|(?P<before>[-+]?[\d,]*\.?\d+)\s*[$€£¥₹]"
)
_PERCENT = re.compile(r"([-+]?\d*\.?\d+)\s*%")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?|[-+]?\d{1,3}(\.\d+)?")


def _currency(text: str) -> float:
    found = _CURRENCY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    number = found["before"] or found["sign"] + found["number"]
    return float(number.replace(",", ""))


def _percent(text: str) -> float:
    found = _PERCENT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return float(found[1])


def _thousands(text: str) -> float:
    if _THOUSANDS.fullmatch(text) is None:
        raise ValueError(text)
    return float(text.replace(",", ""))


FORMATS = {"plain": float, "currency": _currency, "percent": _percent, "thousands": _thousands}
"""How numbers may be written; a column is written in one way."""


def read_numbers(entries: Entries, form: str = "plain") -> Floats:
    """Numbers (n,) of a column, NaN where one is missing; Unreadable names the first row that holds something else.

    Examples
    --------
    >>> read_numbers(["$1,250.00", "", "$99"], "currency")
    array([1250.,   nan,   99.])
    """
    if isinstance(entries, np.ndarray) and entries.dtype.kind in "biuf":
        return entries.astype(np.float64)
    parse, out = FORMATS[form], np.empty(len(entries))
    for row, entry in enumerate(entries):
        try:
            out[row] = _number(entry, parse)
        except (TypeError, ValueError):
            raise Unreadable("a number", row) from None
    return out


def _number(entry: Any, parse: Any) -> float:
    if not isinstance(entry, str):
        return math.nan if is_missing(entry) else float(entry)
    try:
        return float(parse(entry.strip()))
    except ValueError:
        if is_missing_number(entry):
            return math.nan
        raise


def number_format(entries: Entries) -> str | None:
    """How the numbers of a column are written, or None if some entry is not a number."""
    for form in FORMATS:
        try:
            if not np.isnan(read_numbers(entries, form)).all():
                return form
        except Unreadable:
            continue
    return None


@dataclass(frozen=True)
class Number(Column):
    """Numbers: one feature, and a second one that marks missing values if some were missing in training.

    Parameters
    ----------
    form : str
        How they are written: plain, currency, percent or thousands.
    fill : float
        In the place of a missing value; NaN if it stays missing.
    logarithm : bool
        Whether the feature is sign(x) log(1 + |x|).
    center, scale : float
        Subtracted from the feature, and its divisor.
    flagged : bool
        Whether a feature marks missing values.

    Examples
    --------
    >>> Number.fit(["1", "3", ""], Options()).encode(["3", "?"]).features
    array([[1.],
           [0.]])
    """

    kind = "number"

    form: str = "plain"
    fill: float = math.nan
    logarithm: bool = False
    center: float = 0.0
    scale: float = 1.0
    flagged: bool = False

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        form = number_format(entries) or "plain"
        values = read_numbers(entries, form)
        known = values[~np.isnan(values)]
        if options.scale and np.isinf(known).any():
            raise Unreadable("a finite number", int(np.isinf(values).argmax()))
        fill = math.nan if options.keep_missing or not known.size else float(np.median(known))
        flagged = not options.keep_missing and values.size - known.size >= FLAG_ROWS
        if not options.scale or not known.size:
            return cls(form, fill, flagged=flagged)
        logarithm = _is_skewed(known)
        moved = _logarithm(known) if logarithm else known
        return cls(form, fill, logarithm, float(moved.mean()), deviation(moved), flagged)

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        values = read_numbers(entries, self.form)
        missing = np.isnan(values)
        values = np.where(missing, self.fill, values)
        if self.logarithm:
            values = _logarithm(values)
        return Encoded(with_flag(((values - self.center) / self.scale)[:, None], missing, self.flagged))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        return [name, f"{name} is missing"] if self.flagged else [name]

    def made(self) -> str:
        """See :class:`Column`."""
        what = "logarithm" if self.logarithm else "number"
        written = "" if self.form == "plain" else f", written as {self.form}"
        return f"{what}{written}" + (", marked if missing" if self.flagged else "")


def _logarithm(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)))


def _skewness(values: Floats) -> float:
    scale = deviation(values)
    return abs(float(((values / scale - (values / scale).mean()) ** 3).mean()))


def _is_skewed(values: Floats) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        skewness = _skewness(values)
        return skewness > SKEWED and _skewness(_logarithm(values)) < skewness
