"""The fingerprint of labelled rows: a journal of other data is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from setwise.contract import Labels
from setwise.web.explorer.rows import ExploredRows

SAMPLED = 1000
"""Rows whose entries count; the labels of all rows do."""


def fingerprint(rows: ExploredRows, label_names: Sequence[str], given: Labels) -> str:
    """A digest of the label names, of all given labels, and of the entries of rows spread over the data.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.web.explorer.rows import ArrayRows
    >>> rows, given = ArrayRows(np.array([[1.0], [2.0]])), np.array([[1], [0]], dtype=np.int8)
    >>> fingerprint(rows, ["a"], given) == fingerprint(rows, ["a"], 1 - given)
    False
    """
    digest = hashlib.sha256(json.dumps([list(label_names), list(rows.columns)]).encode())
    digest.update(np.array(given.shape).tobytes() + np.ascontiguousarray(given, dtype=np.int8).tobytes())
    for row in np.unique(np.linspace(0, rows.n_rows - 1, min(SAMPLED, rows.n_rows)).astype(int)):
        digest.update(json.dumps([cell.value for cell in rows.cells(int(row))]).encode())
    return digest.hexdigest()
