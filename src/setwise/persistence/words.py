"""Vocabularies as two arrays: a word is many times smaller there than in JSON."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from setwise.arrays import Array
from setwise.persistence.errors import ModelFileError


class Words(dict[str, int]):
    """A vocabulary as it is read from a file: known to give n words the numbers 0 .. n - 1.

    Looking through a large one again takes longer than reading it.
    """


def is_vocabulary(value: dict[Any, Any]) -> bool:
    """Whether a dictionary gives n words the numbers 0 .. n - 1.

    Examples
    --------
    >>> is_vocabulary({"ball": 1, "a": 0}), is_vocabulary({"ball": 7}), is_vocabulary({})
    (True, False, False)
    """
    if isinstance(value, Words):
        return bool(value)
    numbers = value.values()
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in numbers)
    return bool(value) and whole and all(isinstance(k, str) for k in value) and _is_range(numbers)


def _is_range(numbers: Any) -> bool:
    return sorted(map(int, numbers)) == list(range(len(numbers)))


def to_words(vocabulary: dict[str, Any]) -> tuple[Array, Array]:
    """The words by number as UTF-8, one after another, and where each of them ends.

    Examples
    --------
    >>> text, ends = to_words({"ball": 1, "a": 0})
    >>> bytes(text), ends
    (b'aball', array([1, 5]))
    >>> dict(from_words(text, ends))
    {'a': 0, 'ball': 1}
    """
    words = [word.encode() for word, _ in sorted(vocabulary.items(), key=lambda item: int(item[1]))]
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    return np.frombuffer(b"".join(words), dtype=np.uint8), ends


def from_words(text: Any, ends: Any) -> Words:
    """The words and their numbers; words differ."""
    plain = isinstance(text, np.ndarray) and text.dtype == np.uint8 and text.ndim == 1
    if not plain or not isinstance(ends, np.ndarray) or ends.dtype != np.int64 or ends.ndim != 1:
        raise ModelFileError("a vocabulary is not two arrays of bytes and of ends")
    starts = np.concatenate([np.zeros(1, np.int64), ends])
    if (np.diff(starts) < 0).any() or starts[-1] != len(text):
        raise ModelFileError("the words of a vocabulary do not end one after another")
    words = Words(zip(_cut(text.tobytes(), starts.tolist()), range(len(ends))))
    if len(words) != len(ends):
        raise ModelFileError("a vocabulary has a word twice")
    return words


def _cut(content: bytes, bounds: list[int]) -> list[str]:
    """The texts between bounds in bytes."""
    pairs = itertools.pairwise(bounds)
    if content.isascii():
        text = content.decode()
        return [text[a:b] for a, b in pairs]
    return [content[a:b].decode() for a, b in pairs]
