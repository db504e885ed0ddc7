"""The encoder of tables, and what it learned from each column."""

from __future__ import annotations

from setwise.persistence.kinds import (
    POSITIVE,
    SHARE,
    Choice,
    DictOf,
    Dimension,
    Either,
    Flag,
    Floats,
    Kind,
    ListOf,
    Maybe,
    Names,
    Optional,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Text,
    Whole,
)
from setwise.persistence.records import Record
from setwise.persistence.schemas.parameters import check_names
from setwise.persistence.schemas.sklearn.encoders import LONGEST
from setwise.persistence.schemas.sklearn.widths import widest
from setwise.tables.columns import KINDS, date, number
from setwise.tables.encoder import CHOICES

d, k = Size("d"), Size("k")
FLAG, FILL = Flag(), Real(nan=True)
VALUES = ListOf(Text(LONGEST), least=1, tuples=True)
COLUMN = Part(*(f"part.{kind.__name__}" for kind in KINDS.values()))

PARAMETERS: dict[str, Kind] = {
    "columns": Maybe(DictOf(Choice(*CHOICES))),
    "scale": FLAG,
    "missing": Choice("impute", "keep"),
    "min_frequency": Either(Choice("auto"), Whole(0, 2**31)),
    "keep_all": FLAG,
    "max_words": Whole(1, 2**31),
    "sparse_output": Either(Choice("auto"), FLAG),
}


def _check_parameters(record: Record, place: str, scope: Scope) -> None:
    check_names(record)
    for name, value in record.parameters.items():
        PARAMETERS[name].check(value, f"{place}.{name}", scope)


def _named_once(record: Record, scope: Scope) -> str | None:
    if list(record.state["columns_"]) != record.state["feature_names_in_"].tolist():
        return "its columns have other names than its features"
    return None


def _few_columns(record: Record, scope: Scope) -> str | None:
    widest(record, None, scope.limits)
    return None


def _differ(record: Record, scope: Scope) -> str | None:
    lists = [record.state[name] for name in ("values", "words") if name in record.state]
    return None if all(len(set(found)) == len(found) for found in lists) else "a value occurs twice"


def _whole_hash(record: Record, scope: Scope) -> str | None:
    """Hashed words have weights."""
    hashed, weights = record.state["hashed"], record.state["weights"]
    if (hashed is None) != (weights is None):
        return "hashed words without weights"
    if hashed is not None and len(weights.state["idf_"]) != hashed.parameters.get("n_features", 2**20):
        return "hashed words with other weights"
    return None


SCHEMAS = {
    "setwise.TableEncoder": Schema(
        {
            "n_features_in_": Dimension(d, low=0),
            "feature_names_in_": Names(d),
            "columns_": DictOf(COLUMN),
            "sparse_output_": FLAG,
        },
        _check_parameters,
        rules=(_named_once, _few_columns),
    ),
    "part.Boolean": Schema({"fill": FILL, "flagged": FLAG}),
    "part.Category": Schema(
        {"values": VALUES, "pooled": FLAG, "flagged": FLAG, "keep_missing": FLAG, "share": SHARE},
        rules=(_differ,),
    ),
    "part.Date": Schema(
        {
            "form": Choice(*date.FORMATS),
            "center": Real(),
            "scale": POSITIVE,
            "first": Real(),
            "last": Real(),
            "cycles": ListOf(Choice(*date.CYCLES), tuples=True),
            "flagged": FLAG,
            "keep_missing": FLAG,
            "odd": Optional(Whole(0, 2**31)),
        },
        rules=(
            lambda record, scope: (
                None if len(record.state["cycles"]) <= len(date.CYCLES) else "too many cycles"
            ),
        ),
    ),
    "part.LeftOut": Schema({"reason": Text()}),
    "part.Number": Schema(
        {
            "form": Choice(*number.FORMATS),
            "fill": FILL,
            "logarithm": FLAG,
            "center": Real(),
            "scale": POSITIVE,
            "flagged": FLAG,
        }
    ),
    "part.Tags": Schema(
        {
            "separator": Text(16),
            "values": VALUES,
            "words": ListOf(Text(LONGEST), tuples=True),
            "flagged": FLAG,
            "keep_missing": FLAG,
        },
        rules=(_differ,),
    ),
    "part.Text": Schema(
        {
            "has_html": FLAG,
            "words": Maybe(Part("sklearn.TfidfVectorizer")),
            "characters": Maybe(Part("sklearn.TfidfVectorizer")),
            "hashed": Maybe(Part("sklearn.HashingVectorizer")),
            "weights": Maybe(Part("sklearn.TfidfTransformer")),
        },
        rules=(_whole_hash,),
    ),
    "part.Vector": Schema({"center": Floats(k), "scale": POSITIVE, "fill": FILL}),
}
