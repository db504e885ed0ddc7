"""Schemas of scikit-learn's encoders of categories and imputers of missing values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.persistence.kinds import (
    ANY,
    DataType,
    DictOf,
    Dimension,
    Flag,
    Kind,
    ListOf,
    Maybe,
    Part,
    Scope,
    Size,
    Whole,
    Wholes,
)
from setwise.persistence.kinds.arrays import check_shape
from setwise.persistence.kinds.kind import refuse, shown
from setwise.persistence.kinds.values import MAX_TEXT
from setwise.persistence.records import Record
from setwise.persistence.schemas.sklearn.numbers import transformer

d, f = Size("d"), Size("f")
LONGEST = 16 * MAX_TEXT


class Values(Kind):
    """An array of plain values: text, whole numbers, booleans, None, NaN and finite numbers."""

    def __init__(self, size: Size) -> None:
        self.size = size

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, np.ndarray):
            refuse(place, shown(value), "an array of values")
        check_shape(value.shape, place, (self.size,), scope)
        if value.dtype.kind == "f" and np.isinf(value).any():
            refuse(f"an entry of {place}", "infinite", "a finite number or NaN")
        if value.dtype == object and not all(map(_is_plain, value.tolist())):
            refuse(
                f"an entry of {place}",
                "not a plain value",
                f"numbers, or text of at most {LONGEST} characters",
            )


def _is_plain(value: Any) -> bool:
    return (
        len(value) <= LONGEST
        if isinstance(value, str)
        else not (isinstance(value, float) and math.isinf(value))
    )


class Categories(Values):
    """The categories of one column. Numbers are found by bisection, so they increase; NaN may be the last of them."""

    def __init__(self) -> None:
        super().__init__(ANY)

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        super().check(value, place, scope)
        if not len(value):
            refuse(place, "empty", "at least one category")
        if value.dtype.kind in "biuf":
            numbers = value[:-1] if value.dtype.kind == "f" and len(value) and np.isnan(value[-1]) else value
            if not (numbers[1:] > numbers[:-1]).all() or np.isnan(numbers.astype(np.float64)).any():
                refuse(place, "not in order", "different numbers in increasing order")
        elif len({(type(item), item) for item in value.tolist() if item == item}) < sum(
            item == item for item in value.tolist()
        ):
            refuse(place, "a list with a category that occurs twice", "different categories")


grouping = ListOf(Maybe(Wholes(ANY)), d)
ENCODER: dict[str, Kind] = {
    "categories_": ListOf(Categories(), d),
    "_infrequent_enabled": Flag(),
}


class Dropped(Kind):
    """For each column, the category that is dropped, or None."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "Oiu":
            refuse(place, shown(value), "an array of numbers")
        check_shape(value.shape, place, (d,), scope)
        for item in value.tolist():
            Maybe(Whole()).check(item, f"an entry of {place}", scope)


def _encoder(p: Any, own: dict[str, Kind]) -> dict[str, Kind]:
    grouped = p.get("min_frequency") is not None or p.get("max_categories") is not None
    names = ("_infrequent_indices", "_default_to_infrequent_mappings")
    return ENCODER | own | (dict.fromkeys(names, grouping) if grouped else {})


def _groups_fit(record: Record, scope: Scope) -> str | None:
    """Check that every category maps to one of those left after rare ones were grouped."""
    state = record.state
    if state["_infrequent_enabled"] != ("_infrequent_indices" in state):
        return "rare categories are grouped, but the groups are missing"
    missing = state.get("_missing_indices", {})
    for column, categories in enumerate(state["categories_"] if state["_infrequent_enabled"] else []):
        rare, places = (
            state[name][column] for name in ("_infrequent_indices", "_default_to_infrequent_mappings")
        )
        n = len(categories) - (column in missing)
        if (rare is None) != (places is None) or (rare is not None and not _is_grouping(rare, places, n)):
            return f"the groups of column {column} do not fit its {n} categories"
    return None


def _is_grouping(rare: Array, places: Array, n: int) -> bool:
    groups = n - len(rare) + 1
    return bool(0 < len(rare) <= n and rare.max() < n and len(places) == n and places.max() < groups)


def _drops_fit(record: Record, scope: Scope) -> str | None:
    """Check that a dropped category is one of its column."""
    dropped = record.state["_drop_idx_after_grouping"]
    sizes = n_places(record.state["categories_"], record.state.get("_infrequent_indices"))
    if dropped is not None and any(i is not None and i >= size for i, size in zip(dropped.tolist(), sizes)):
        return "a dropped category is not one of its column"
    return None


def n_places(categories: list[Array], rare: list[Array | None] | None) -> list[int]:
    """Number of categories of each column after rare ones were grouped."""
    sizes = [len(column) for column in categories]
    groups = rare or [None] * len(sizes)
    return [size if group is None else size - len(group) + 1 for size, group in zip(sizes, groups)]


def _widths(model: Any) -> list[int]:
    sizes = n_places(model.categories_, getattr(model, "_infrequent_indices", None))
    dropped = model._drop_idx_after_grouping
    lost = [False] * len(sizes) if dropped is None else [i is not None for i in dropped]
    return [size - gone for size, gone in zip(sizes, lost)]


def _missing_fits(record: Record, scope: Scope) -> str | None:
    sizes = dict(enumerate(map(len, record.state["categories_"])))
    wrong = [c for c, place in record.state["_missing_indices"].items() if not place < sizes.get(c, 0)]
    return f"the missing value of column {wrong[0]} is not one of its categories" if wrong else None


INDICATOR = Part("sklearn.MissingIndicator", d=d)

SCHEMAS = {
    "sklearn.OneHotEncoder": transformer(
        lambda p: _encoder(p, {"drop_idx_": Maybe(Dropped()), "_drop_idx_after_grouping": Maybe(Dropped())}),
        rules=(_groups_fit, _drops_fit),
        derived={"_n_features_outs": _widths},
    ),
    "sklearn.OrdinalEncoder": transformer(
        lambda p: _encoder(p, {"_missing_indices": DictOf(Whole(), keys=Whole(0, 2**31))}),
        rules=(_groups_fit, _missing_fits),
    ),
    "sklearn.SimpleImputer": transformer(
        lambda p: {
            "statistics_": Values(d),
            "indicator_": INDICATOR if p.get("add_indicator") else Maybe(INDICATOR),
            "_fit_dtype": DataType("biufU", objects=True),
            "_fill_dtype": DataType("biufU", objects=True),
        }
    ),
    "sklearn.MissingIndicator": transformer(
        {
            "_n_features": Dimension(d),
            "_precomputed": Flag(),
            "features_": Wholes(f, below=d, increasing=True),
        }
    ),
}
_indicator = Part("sklearn.MissingIndicator", d=d)
