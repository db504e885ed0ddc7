"""Generated data of growing size: how the time of a method grows with rows, features and labels."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Self

from sklearn.datasets import make_multilabel_classification

from setwise.datasets import Dataset

BASE = (10_000, 100, 10)
DOUBLINGS = 2
KINDS = ("rows", "features", "labels")


@dataclass(frozen=True)
class Generated:
    """Rows of counts with known sizes.

    Examples
    --------
    >>> Generated(100, 5, 3)()
    Dataset('100 rows, 5 features, 3 labels', rows=100, features=5, labels=3)
    >>> Generated.named("100 rows, 5 features, 3 labels").labels
    3
    """

    n_rows: int
    features: int
    labels: int

    @classmethod
    def named(cls, name: str) -> Self | None:
        """The data of that name, or None if it is not one of these."""
        words = name.replace(",", "").split()
        if words[1::2] != list(KINDS) or not all(word.isdigit() for word in words[::2]):
            return None
        return cls(*map(int, words[::2]))

    @property
    def name(self) -> str:
        """The sizes in words."""
        return f"{self.n_rows} rows, {self.features} features, {self.labels} labels"

    def is_here(self, here: Container[str]) -> bool:
        """True: the rows are generated."""
        return True

    def rows(self) -> int:
        """Number of rows."""
        return self.n_rows

    def __call__(self) -> Dataset:
        """The data set; two labels a row on average."""
        X, Y = make_multilabel_classification(
            self.n_rows, self.features, n_classes=self.labels, n_labels=2, random_state=0
        )
        return Dataset(X, Y, name=self.name)


def growing() -> tuple[str, ...]:
    """Names of a smallest data set, and of ones where rows, features or labels double again and again.

    Examples
    --------
    >>> len(growing())
    7
    """
    grown = [
        Generated(*(size << (times * (k == which)) for k, size in enumerate(BASE)))
        for which in range(len(BASE))
        for times in range(1, DOUBLINGS + 1)
    ]
    return tuple(data.name for data in (Generated(*BASE), *grown))
