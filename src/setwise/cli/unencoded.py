"""The encoder of a model that only checks a large table: its features are made when they are needed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from setwise.contract import Matrix
from setwise.tables.encoder import TableEncoder
from setwise.tables.table import Table


class Unencoded(TableEncoder):
    """Reads a table as its ``encoder`` does, keeps it as ``table``, and leaves out all features.

    Examples
    --------
    >>> from setwise.tables.frames import as_table
    >>> encoder = TableEncoder().fit({"size": [1.0, 3.0]})
    >>> Unencoded(encoder).transform(as_table({"size": [7.0, 8.0, 9.0]})).shape
    (3, 1)
    """

    def __init__(self, encoder: TableEncoder) -> None:
        self.encoder = encoder
        self.__dict__.update(vars(encoder))

    def transform(self, X: Table) -> Matrix:
        """No features of all rows; a first row that the encoder refuses is an error."""
        self.table = X
        width = self.encoder.transform(X.take_rows(range(min(1, X.n_rows)))).shape[1]
        return csr_matrix((X.n_rows, width), dtype=np.float64)
