"""Allowed parameters of scikit-learn's classes in a file.

No parameter can run code: only some functions of NumPy, only known patterns, no names of files or folders. The rest is
compared with scikit-learn's own constraints.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import (
    ANY,
    Choice,
    DataType,
    DictOf,
    Either,
    Flag,
    Floats,
    Kind,
    ListOf,
    Maybe,
    Names,
    Nothing,
    Real,
    Scope,
    SetOf,
    Text,
    Tuple,
    Whole,
    Wholes,
)
from setwise.persistence.kinds.kind import refuse, shown
from setwise.persistence.records import Record
from setwise.persistence.registry import LEFT_OUT, find_class, function_name
from setwise.persistence.schemas.parameters import check_names
from setwise.tables.columns.text import WORDS_AND_SIGNS

PLAIN = Either(Nothing(), Flag(), Real(nan=True), Text(64))

PATTERNS = (
    r"(?u)\b\w\w+\b",
    r"(?u)\b\w+\b",
    r"\b\w\w+\b",
    r"\b\w+\b",
    r"\w+",
    r"\w\w+",
    r"\S+",
    r"[^\s]+",
    WORDS_AND_SIGNS,
)
"""Patterns of words. Another one could take for ever, and no pattern can be seen to be harmless."""
ENCODINGS = ("utf-8", "utf8", "ascii", "latin-1", "latin1", "iso-8859-1", "iso-8859-15", "cp1252", "utf-16")


class Function(Kind):
    """One of the functions of the closed list."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if function_name(value) is None:
            refuse(place, shown(value), "a function of NumPy that files may hold")


class HashWidth(Kind):
    """The number of columns that words are hashed to; later steps have arrays of that length."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        Whole(1, scope.limits.cells).check(value, place, scope)


numbers = Either(Floats(ANY, nan=True), Wholes(ANY), ListOf(Real()), ListOf(Real(), tuples=True))
values = Either(Floats(ANY, nan=True), Wholes(ANY), Names(ANY), ListOf(PLAIN), ListOf(PLAIN, tuples=True))
pair = Tuple(Real(), Real())

BY_NAME: dict[str, Kind] = {
    "analyzer": Choice("word", "char", "char_wb"),
    "categories": Either(Choice("auto"), ListOf(values)),
    "categorical_features": Maybe(Either(Text(64), values)),
    "class_prior": Maybe(numbers),
    "class_weight": Maybe(Either(Text(64), DictOf(Real(), keys=Either(Text(), Whole(-(2**31), 2**31))))),
    "covariance_estimator": Nothing(),
    "degree": Either(Whole(0, 32), Tuple(Whole(0, 32), Whole(0, 32))),
    "drop": Maybe(Either(Text(64), values)),
    "dtype": DataType("iuf"),
    "encoding": Choice(*ENCODINGS),
    "feature_range": pair,
    "func": Maybe(Function()),
    "input": Choice("content"),
    "inv_kw_args": Nothing(),
    "inverse_func": Maybe(Function()),
    "kw_args": Nothing(),
    "n_features": HashWidth(),
    "monotonic_cst": Maybe(numbers),
    "ngram_range": Tuple(Whole(1, 16), Whole(1, 16)),
    "preprocessor": Nothing(),
    "priors": Maybe(numbers),
    "quantile_range": pair,
    "random_state": Maybe(Whole(0, 2**32 - 1)),
    "stop_words": Maybe(Either(Choice("english"), ListOf(Text()), SetOf())),
    "token_pattern": Maybe(Choice(*PATTERNS)),
    "tokenizer": Nothing(),
    "transform_input": Nothing(),
    "transformer_weights": Maybe(DictOf(Real(-1e30, 1e30))),
    "verbose": Either(Flag(), Whole(0, 100)),
}


def check_sklearn(record: Record, place: str, scope: Scope, **own: Kind) -> None:
    """Raise a ModelFileError unless the parameters of a class of scikit-learn are safe.

    ``own`` are the kinds of parameters that hold other estimators or a vocabulary.
    """
    check_names(record)
    for name, value in record.parameters.items():
        kind = Nothing() if name in LEFT_OUT else own.get(name, BY_NAME.get(name, PLAIN))
        kind.check(value, f"{place}.{name}", scope)
    _check_constraints(record)


def _check_constraints(record: Record) -> None:
    """Apply scikit-learn's checks in ``fit`` to the values that can be checked without building anything."""
    known = getattr(find_class(record.name), "_parameter_constraints", {})
    plain = {
        name: value
        for name, value in record.parameters.items()
        if name in known and isinstance(value, (bool, int, float, str))
    }
    try:
        validate_parameter_constraints(known, plain, record.short)
    except InvalidParameterError as error:
        raise ModelFileError(str(error)) from None


def with_parameters(**own: Kind) -> Any:
    """Make a check of parameters, with special kinds for some of them."""

    def check(record: Record, place: str, scope: Scope) -> None:
        check_sklearn(record, place, scope, **own)

    return check
