"""Lists of tags in a cell: Python lists, JSON, printed lists, or words with something between them."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from setwise.tables.files.decimal_commas import first_comma

SEPARATORS = (";", "|", ",")
"""What may be between tags, beside spaces; of equally common ones the first is taken."""
_PRINTED_LIST = re.compile(r"\[.*\]", re.DOTALL)
LONGEST = 2**20
"""Characters of a printed list: a longer one is not read."""
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


def read_list(text: str) -> list[str] | None:
    """The tags of a list as JSON or Python writes it, None if it is something else.

    Examples
    --------
    >>> read_list('["sea", "sand"]'), read_list("['it''s']"), read_list("[1, 2]"), read_list("sea, sand")
    (['sea', 'sand'], ['its'], ['1', '2'], None)
    """
    if not _PRINTED_LIST.fullmatch(text) or len(text) > LONGEST:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, list) and not any(isinstance(item, (list, dict, tuple)) for item in found):
            return [str(item) for item in found if item is not None]
    return None


def split_tags(entry: Any, separator: str) -> list[str]:
    """The tags of an entry, in its order and each once.

    Examples
    --------
    >>> split_tags("billing; refund;;billing", ";"), split_tags({"refund"}, ";"), split_tags("['a b', 'c']", ",")
    (['billing', 'refund'], ['refund'], ['a b', 'c'])
    """
    if isinstance(entry, COLLECTIONS):
        pieces: Iterable[Any] = sorted(entry, key=str) if isinstance(entry, (set, frozenset)) else entry
    else:
        text = str(entry).strip()
        found = read_list(text)
        pieces = text.split(None if separator == " " else separator) if found is None else found
    return list(dict.fromkeys(tag for piece in pieces if piece is not None and (tag := str(piece).strip())))


def find_separator(entries: Sequence[Any]) -> str:
    """What is between the tags of some known entries: one of :data:`SEPARATORS` or a space, a comma if nothing is.

    Spaces count if nothing else is there and the words between them recur, as tags do.

    Examples
    --------
    >>> find_separator(["billing;refund", "refund"]), find_separator(["a|b", "c"]), find_separator(["a", "b"])
    (';', '|', ',')
    >>> find_separator(["bread oven", "oven", "bread yeast", "yeast oven", "bread"])
    ' '
    """
    texts = [entry.strip() for entry in entries if isinstance(entry, str)]
    texts = [text for text in texts if not _PRINTED_LIST.fullmatch(text)]
    counts = {separator: sum(separator in text for text in texts) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: counts[separator])
    if counts[best]:
        return best
    distinct = set(texts)
    words = {word for text in distinct for word in text.split()}
    spaced = sum(" " in text for text in distinct)
    return " " if spaced and 2 * spaced >= len(distinct) / 2 and len(words) < len(distinct) else ","


def looks_like_tags(entries: Sequence[Any]) -> bool:
    """Whether some known entries of text are lists of tags: short pieces with something between them that recur.

    Examples
    --------
    >>> looks_like_tags(["red|round", "round", "red|big"] * 4), looks_like_tags(["Come here, please.", "Yes; no."])
    (True, False)
    """
    texts = [str(entry).strip() for entry in entries]
    printed = sum(read_list(text) is not None for text in texts)
    if printed:
        return printed == len(texts)
    if first_comma(texts) is not None:  # numbers with decimal commas
        return False
    return any(_recur(texts, separator) for separator in SEPARATORS)


def _recur(texts: Sequence[str], separator: str) -> bool:
    """Whether the pieces between separators recur; commas are also in sentences, so their pieces must recur more."""
    if sum(separator in text for text in texts) < max(2, 0.1 * len(texts)):
        return False
    counts = Counter(tag for text in texts for tag in split_tags(text, separator))
    words = sum(len(tag.split()) * count for tag, count in counts.items())
    total = counts.total()
    if separator != ",":
        return words <= 12 * total and len(counts) <= 0.5 * total
    return words <= 2.5 * total and len(counts) <= min(0.3 * total, len(set(texts)))
