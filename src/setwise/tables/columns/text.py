"""Columns of free text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

from setwise.tables.columns.column import Column, Encoded, Entries, Options, is_missing

LOOKED_AT = 2000
"""Texts that are looked at to choose how all are read."""
WORDS, WORDS_AND_SIGNS = r"(?u)\b\w+\b", r"(?u)\w+|[^\w\s]"
"""What counts as a word; in short texts also a sign, such as an emoji."""
SHORT = 300
"""Mean number of characters up to which texts are short."""
MAX_CHARACTERS = 300_000
"""Characters of a column of short texts up to which n-grams of characters become features beside words: they help with
spelling if rows are few, and cost several times the work."""
PAIRS_OF_SHORT, PAIRS = 0.5, 0.25
"""Weight of a pair of words beside a word, in short and in long texts. Pairs are many and mostly rare; as heavy as
words they drown them. Log-loss of independent labels with weights 1, .5, .25 and 0: 4.231, 4.131, 4.098 and 4.084 of
2,000 questions about cryptography, 4.607, 4.589, 4.584 and 4.579 of 2,000 films; but 4.146, 4.136 and 4.143 (1, .5,
.25) of 2,000 tweets, 3.134, 3.140 and 3.144 of 6,000 comments."""
LISTED = 200_000
"""Words beyond which they are hashed: their list would take too much memory."""
SAMPLED = 2**24
"""Characters of a column from which the words are chosen: those of more texts, evenly spread, are the same."""
SLICE = 2**14
"""Texts that are cut into words at a time."""

_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*>")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
"""Letters of languages that do not put spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


@dataclass(frozen=True)
class Text(Column):
    """Free text: words, lighter pairs of words and n-grams of characters, weighted by tf-idf.

    Parameters
    ----------
    has_html : bool
        Whether tags and entities of HTML are removed.
    words, characters : TfidfVectorizer or None
        Those of words and of n-grams of characters.
    hashed : HashingVectorizer or None
        In the place of ``words`` if very many are asked for.
    weights : TfidfTransformer or None
        The weights of hashed words.

    Examples
    --------
    >>> column = Text.fit(["Refund <b>please</b>", "Where is my refund?"], Options())
    >>> column.features("note")[:3]
    ['note: ?', 'note: is', 'note: is my']
    """

    kind = "text"

    has_html: bool
    words: TfidfVectorizer | None = None
    characters: TfidfVectorizer | None = None
    hashed: HashingVectorizer | None = None
    weights: TfidfTransformer | None = None

    @classmethod
    def fit(cls, entries: Entries, options: Options) -> Self:
        """See :class:`Column`."""
        return cls.fit_encode(entries, options)[0]

    @classmethod
    def fit_encode(cls, entries: Entries, options: Options) -> tuple[Self, Encoded]:
        """See :class:`Column`; every text is cut into words once."""
        looked_at = list(islice((str(e) for e in entries if not is_missing(e)), LOOKED_AT))
        has_html = sum(bool(_TAG.search(text)) for text in looked_at) > 0.01 * len(looked_at)
        texts = _texts(entries, has_html)
        if options.max_words > LISTED:
            hashed, weights, block = _fit_hashed(texts, options.max_words)
            return cls(has_html, hashed=hashed, weights=weights), _joined([block], len(texts))
        plain = _texts(looked_at, has_html)
        unspaced = _is_unspaced(plain)
        words = None if unspaced else _fit_words(plain, texts, options)
        wanted = words is None or (_is_short(plain) and sum(map(len, texts)) <= MAX_CHARACTERS)
        pieces = _fit(_characters(len(texts), unspaced, options), texts) if wanted else None
        fitted = [part for part in (words, pieces) if part is not None]
        column = cls(has_html, words and words[0], pieces and pieces[0])
        return column, _joined([block for _, block in fitted], len(texts))

    def encode(self, entries: Entries) -> Encoded:
        """See :class:`Column`."""
        texts = _texts(entries, self.has_html)
        if not texts:
            return Encoded(np.empty((0, len(self.features("")))))
        blocks = [_in_slices(part, texts) for part in (self.words, self.characters) if part is not None]
        if self.hashed is not None and self.weights is not None:
            blocks.append(self.weights.transform(_in_slices(self.hashed, texts), copy=False))
        return _joined(blocks, len(texts))

    def features(self, name: str) -> list[str]:
        """See :class:`Column`."""
        words = [] if self.words is None else self.words.get_feature_names_out()
        pieces = [] if self.characters is None else self.characters.get_feature_names_out()
        numbers = range(0 if self.hashed is None else self.hashed.n_features)
        return [
            *(f"{name}: {word}" for word in words),
            *(f"{name}: …{piece}…" for piece in pieces),
            *(f"{name}: hash {number}" for number in numbers),
        ]

    def made(self) -> str:
        """See :class:`Column`."""
        parts = [f"{self.hashed.n_features} hashed words"] if self.hashed is not None else []
        if self.words is not None:
            parts.append(f"{len(self.words.vocabulary_)} words and pairs")
        if self.characters is not None:
            parts.append(f"{len(self.characters.vocabulary_)} n-grams of characters")
        return ", ".join(parts) + (", without HTML" if self.has_html else "")


def _texts(entries: Sequence[Any], has_html: bool) -> list[str]:
    """The texts of a column, empty where one is missing."""
    texts = ("" if is_missing(entry) else str(entry) for entry in entries)
    return [html.unescape(_TAG.sub(" ", text)) for text in texts] if has_html else list(texts)


def is_unspaced(text: str) -> bool:
    """Whether most of a text is in a script without spaces between words."""
    return 2 * len(_UNSPACED.findall(text)) > len(text)


def _is_unspaced(texts: Sequence[str]) -> bool:
    """Whether words cannot be found by spaces: other scripts, or one long word a text, as in formulas and codes."""
    known = [text for text in texts if text.strip()]
    codes = sum(len(text.split()) == 1 for text in known) > 0.5 * len(known)
    return bool(known) and (codes or sum(map(is_unspaced, known)) > 0.3 * len(known))


def _is_short(texts: Sequence[str]) -> bool:
    return sum(map(len, texts)) <= SHORT * len(texts)


def _pattern(texts: Sequence[str]) -> str:
    return WORDS_AND_SIGNS if _is_short(texts) else WORDS


def _least_rows(n_texts: int) -> int:
    """Rows that a word must be in: one that occurs once says nothing about other rows."""
    return 1 if n_texts < 100 else 2


def _words(n_texts: int, pattern: str, options: Options) -> TfidfVectorizer:
    return TfidfVectorizer(
        token_pattern=pattern,
        ngram_range=(1, 2),
        min_df=_least_rows(n_texts),
        max_features=options.max_words,
        sublinear_tf=True,
    )


def _characters(n_texts: int, across: bool, options: Options) -> TfidfVectorizer:
    """N-grams of characters: inside words, or across them in languages without spaces."""
    return TfidfVectorizer(
        analyzer="char" if across else "char_wb",
        ngram_range=(1, 4) if across else (2, 4),
        min_df=_least_rows(n_texts),
        max_features=options.max_words,
        sublinear_tf=True,
    )


def _fit_words(
    looked_at: list[str], texts: list[str], options: Options
) -> tuple[TfidfVectorizer, Any] | None:
    """The fitted vectorizer of words and lighter pairs with its features; None if nothing recurs."""
    vectorizer = _words(len(texts), _pattern(looked_at), options)
    pairs = PAIRS_OF_SHORT if _is_short(looked_at) else PAIRS
    if _step(texts) > 1:
        fitted = _fit(vectorizer, texts[:: _step(texts)])
        if fitted is None:
            return None
        vectorizer.idf_ = vectorizer.idf_ * _lighter(vectorizer, pairs)
        return vectorizer, _in_slices(vectorizer, texts)
    try:
        counts = CountVectorizer.fit_transform(vectorizer, texts)
    except ValueError:  # an empty vocabulary
        return None
    counts.sort_indices()  # as those of new texts are, or the last bits of a length would differ
    weights = TfidfTransformer(sublinear_tf=True).fit(counts)
    weights.idf_ = weights.idf_ * _lighter(vectorizer, pairs)
    vectorizer._tfidf = (
        weights  # as its own fit leaves it: setting idf_ would leave one that was never fitted
    )
    return vectorizer, weights.transform(counts, copy=False)


def _lighter(vectorizer: TfidfVectorizer, pairs: float) -> Any:
    return np.array([pairs if " " in word else 1.0 for word in vectorizer.get_feature_names_out()])


def _step(texts: list[str]) -> int:
    """Every how many texts the words are chosen from."""
    return max(1, -(-sum(map(len, texts)) // SAMPLED))


def _fit(vectorizer: TfidfVectorizer, texts: list[str]) -> tuple[TfidfVectorizer, Any] | None:
    """The fitted vectorizer with its features; None if nothing recurs."""
    step = _step(texts)
    try:
        if step <= 1:
            return vectorizer, vectorizer.fit_transform(texts)
        return vectorizer.fit(texts[::step]), _in_slices(vectorizer, texts)
    except ValueError:  # an empty vocabulary
        return None


def _in_slices(transformer: Any, texts: list[str]) -> Any:
    """The features of texts; the lists of their words are never there all at once."""
    if len(texts) <= SLICE:
        return transformer.transform(texts)
    starts = range(0, len(texts), SLICE)
    return sparse.vstack([transformer.transform(texts[i : i + SLICE]) for i in starts], format="csr")


def _fit_hashed(texts: list[str], n_features: int) -> tuple[HashingVectorizer, TfidfTransformer, Any]:
    hashed = HashingVectorizer(
        n_features=n_features, ngram_range=(1, 2), alternate_sign=False, norm=None, token_pattern=WORDS
    )
    counts = _in_slices(hashed, texts)
    counts.sort_indices()  # as those of new texts are, or the last bits of a length would differ
    weights = TfidfTransformer(sublinear_tf=True).fit(counts)
    return hashed, weights, weights.transform(counts, copy=False)


def _joined(blocks: list[Any], n_texts: int) -> Encoded:
    if not blocks:
        return Encoded(np.empty((n_texts, 0)))
    return Encoded(sparse.csr_array(sparse.hstack(blocks, format="csr")))
