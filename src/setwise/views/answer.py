"""The base classes of answers, which can be printed, shown in a notebook and converted to a data frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt

from setwise.views.frames import Library, RowNames
from setwise.views.sheet import Sheet
from setwise.views.table import Table
from setwise.views.text import check_names, count, set_text

if TYPE_CHECKING:
    import pandas
    import polars

SHOWN_ROWS, SHOWN_LINES = 10, 40
"""Rows of an answer that are printed, and lines at most; ``to_frame()`` has all."""


class Answer(ABC):
    """An answer as text, as HTML and as a data frame.

    A subclass defines its lines (``_sheet``), the number of rows, and the title.
    """

    @abstractmethod
    def _sheet(self, n_rows: int | None) -> Sheet:
        """The lines of the first ``n_rows`` rows, of all by default."""

    @abstractmethod
    def _n_rows(self) -> int:
        """Number of rows."""

    @abstractmethod
    def _title(self) -> str:
        """One line above the table."""

    def _shown(self) -> Sheet:
        """The lines that are printed."""
        return self._sheet(SHOWN_ROWS)

    def _remarks(self) -> list[str]:
        """Remarks, one line each."""
        return []

    def _tables(self) -> list[Table]:
        """The printed table."""
        shown = self._shown()
        whole = self._n_rows() <= SHOWN_ROWS and len(shown) <= SHOWN_LINES
        notes = [] if whole else [f"{count(self._n_rows(), 'row')} in all; to_frame() returns them"]
        return [shown.first(SHOWN_LINES).to_table(self._title(), [*notes, *self._remarks()])]

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self._tables()))

    def _repr_html_(self) -> str:
        return "\n".join(table.to_html() for table in self._tables())

    @overload
    def to_frame(self, n_rows: int | None = ..., *, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, n_rows: int | None = ..., *, library: Literal["polars"]) -> polars.DataFrame: ...
    def to_frame(
        self, n_rows: int | None = None, *, library: Library = "pandas"
    ) -> pandas.DataFrame | polars.DataFrame:
        """Put the answer in a data frame.

        Parameters
        ----------
        n_rows : int, optional
            Only the first rows; all by default.
        library : {"pandas", "polars"}
            In pandas the index is that of the DataFrame X, or the numbers of the rows if X had no index. Polars has
            no index: a first column names the rows.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            A line per row, or several if the answer has several sets for a row.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from setwise import BinaryRelevance
        >>> X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0]}, index=["ann", "bob", "cat", "dan"])
        >>> Y = pd.DataFrame({"small": [1, 1, 0, 0], "large": [0, 0, 1, 1]})
        >>> answer = BinaryRelevance(l2=0.1).fit(X, Y).decide(X)
        >>> answer.to_frame()["set"]
        ann    small
        bob    small
        cat    large
        dan    large
        Name: set, dtype: ...
        """
        return self._sheet(n_rows).to_frame(library)


class RowAnswer(Answer):
    """An answer about the label sets of rows, with the names of labels and rows."""

    label_names: npt.NDArray[Any] | None = None
    """Names (L,) of the labels; without them labels are numbered."""
    row_names: RowNames | None = None
    """Index of the DataFrame X; without it rows are numbered."""

    def with_names(self, label_names: npt.NDArray[Any] | None, row_names: RowNames | None = None) -> Self:
        """Give the answer the names of its labels and rows.

        Parameters
        ----------
        label_names : array of shape (L,), optional
            Names of the labels.
        row_names : pandas Index, optional
            Names of the rows.

        Returns
        -------
        RowAnswer
            The answer itself.

        Examples
        --------
        >>> from setwise.contract import Mode
        >>> best = Mode(np.array([[1, 0]]), np.log([0.75]), np.array([True]), np.zeros(1))
        >>> best.with_names(np.array(["sea", "sand"]))
        Most probable set of 1 row
        row  set  probability
        ---  ---  -----------
          0  sea        0.750
        """
        self.label_names, self.row_names = label_names, row_names
        return self

    def _set_texts(self, sets: npt.NDArray[Any]) -> list[str]:
        """Label sets (m, L) by the names of their labels."""
        names = check_names(self.label_names, sets.shape[1])
        return [set_text(labels, names) for labels in sets]

    def _row_sheet(self, **columns: Any) -> Sheet:
        """A line for each of the first rows."""
        rows = np.arange(len(next(iter(columns.values()))))
        return Sheet(columns, rows, self.row_names)

    def _set_sheet(
        self, sets: npt.NDArray[Any], log_prob: npt.NDArray[Any], **more: npt.NDArray[Any]
    ) -> Sheet:
        """A line for each of the sets (n, k, L) of each row, without the padding of shorter lists.

        A row without any set has one line, which says so. The columns ``more`` (n,) are repeated for all sets of a row.
        """
        listed = log_prob > -np.inf
        listed[:, 0] = True
        rows, rank = np.nonzero(listed)
        columns: dict[str, Any] = {
            "rank": rank + 1,
            "set": self._set_texts(sets[rows, rank]),
            "probability": np.exp(log_prob[rows, rank]),
        }
        columns |= {name: values[rows] for name, values in more.items()}
        return Sheet(columns, rows, self.row_names)


def row_names_of(X: Any) -> RowNames | None:
    """Index of a pandas DataFrame (or of what behaves like one); None for anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> row_names_of(pd.DataFrame({"size": [1.0]}, index=["ann"])).tolist()
    ['ann']
    >>> row_names_of([[1.0]])
    """
    return X.index if hasattr(X, "iloc") else None
