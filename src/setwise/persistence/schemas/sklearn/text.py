"""Schemas of scikit-learn's vectorizers of text."""

from __future__ import annotations

from typing import Any

from setwise.persistence.kinds import (
    Either,
    Flag,
    Floats,
    Kind,
    ListOf,
    Maybe,
    Optional,
    Part,
    Schema,
    Scope,
    SetOf,
    Size,
    Text,
)
from setwise.persistence.kinds.kind import refuse, shown
from setwise.persistence.schemas.sklearn.numbers import OUTPUT, transformer
from setwise.persistence.schemas.sklearn.parameters import check_sklearn, with_parameters
from setwise.persistence.words import is_vocabulary

d = Size("d")


class Vocabulary(Kind):
    """A dictionary from n words to the numbers 0 .. n - 1 of their columns."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        if not isinstance(value, dict) or not is_vocabulary(value):
            refuse(place, shown(value), "words with the numbers 0, 1, ..., each once")
        if not d.unify(len(value), scope.sizes):
            refuse(place, f"{len(value)} words", f"{d.value(scope.sizes)}")


FORGOTTEN = frozenset({"_stop_words_id", "stop_words_"})
"""Attributes that are not stored: the address of an object in memory, and words that were left out."""
COUNTS: dict[str, Kind] = {"vocabulary_": Vocabulary(), "fixed_vocabulary_": Flag(), **OUTPUT}

_parameters = with_parameters(vocabulary=Maybe(Either(Vocabulary(), ListOf(Text()), SetOf())))

SCHEMAS = {
    "sklearn.CountVectorizer": Schema(COUNTS, _parameters, dropped=FORGOTTEN),
    "sklearn.TfidfVectorizer": Schema(
        COUNTS | {"_tfidf": Part("sklearn.TfidfTransformer", d=d)}, _parameters, dropped=FORGOTTEN
    ),
    "sklearn.HashingVectorizer": Schema(dict(OUTPUT), check_sklearn, dropped=FORGOTTEN),
    "sklearn.TfidfTransformer": transformer(
        lambda p: {"idf_": Floats(d, low=0.0) if p.get("use_idf", True) else Optional(Floats(d, low=0.0))}
    ),
}
