"""How the columns of a file became features, so that another file can be read the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Schema:
    """Columns of a file that are features, and the words of those that hold words.

    A column of two words is one feature whose 1 depends on which words there are, so a second file must be
    encoded with the words of the first.

    Attributes
    ----------
    columns : tuple of str
        In the order of the features.
    categories : mapping of str to tuple of str
        The words of nominal columns, in the order of their codes.
    zero_based : bool, optional
        Of a libsvm file, whose features have numbers and no names: whether they are counted from 0. A second file
        in which feature 0 does not occur cannot say it.
    may_miss : bool
        Whether values may be missing in a second file; if not, the first that is gets named.
    """

    columns: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zero_based: bool | None = None
    may_miss: bool = True
