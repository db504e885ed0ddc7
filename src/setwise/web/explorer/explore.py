"""``setwise.explore``: open the explorer from Python or a notebook."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from setwise.contract import Labels
from setwise.errors import InputError
from setwise.nesting import in_label_order, last_step
from setwise.tables.labels.tag_tables import are_tag_lists, tag_matrix
from setwise.web.explorer.corrections import CorrectionJournal, fingerprint
from setwise.web.explorer.launch import Explorer
from setwise.web.explorer.rows import rows_of
from setwise.web.explorer.session import ExploredData, ExploredModel, Session


def explore(
    model: Any,
    X: Any,
    Y: Any = None,
    *,
    other: Any = None,
    feature_names: Sequence[str] | None = None,
    name: str = "data",
    folds: int = 5,
    journal: str | os.PathLike[str] | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> Explorer:
    """Open a page on which to explore a model, review labels and correct them.

    Parameters
    ----------
    model : fitted estimator of setwise, or a Pipeline whose last step is one
    X : array, DataFrame, CSR or list of texts of shape (n, ...)
        The rows to explore, as the model takes them.
    Y : array, DataFrame or CSR of shape (n, L), or lists of tags, optional
        Given labels. Without them only single rows can be explored.
    other : fitted estimator, optional
        A second model of the same labels, to compare with the first.
    feature_names : sequence of str, optional
        Names of the columns of an array.
    name : str, default="data"
        Name of the data on the page.
    folds : int, default=5
        Number of held-out models: each is fitted without some of the rows and judges these. With 0 the model itself
        judges all rows, which is right if it was fitted to other rows.
    journal : path, optional
        File of the corrections. By default ``<name>.corrections.jsonl`` in the current folder.
    port : int, default=0
        0 takes a free one.
    open_browser : bool, default=True
        Whether to open the page in a browser window.

    Returns
    -------
    Explorer
        It has the address of the page, ``url``, and closes with ``close()``.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from setwise import ConditionalTree, explore
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> Y = np.hstack([X > 0, X > 0.5]).astype(int)
    >>> folder = tempfile.TemporaryDirectory()
    >>> with explore(ConditionalTree(l2=1.0).fit(X, Y), X, Y, folds=2, open_browser=False,
    ...              journal=os.path.join(folder.name, "corrections.jsonl")) as explorer:
    ...     explorer.url.startswith("http://127.0.0.1:")
    True
    """
    models = [ExploredModel("model" if other is None else "first", model)]
    if other is not None:
        models.append(ExploredModel("second", other))
    rows = rows_of(X, feature_names)
    names = [str(label) for label in last_step(model).label_names_]
    given = None if Y is None else _given(model, Y, names, rows.n_rows)
    data = ExploredData(name, rows, names, given)
    return open_explorer(data, models, folds=folds, journal=journal, port=port, open_browser=open_browser)


def open_explorer(
    data: ExploredData,
    models: list[ExploredModel],
    *,
    folds: int,
    journal: str | os.PathLike[str] | None,
    port: int,
    open_browser: bool,
    judge: bool = True,
) -> Explorer:
    """Start the server of an explorer and, to ``judge`` the rows, the work that goes on behind it."""
    check_models(data, models)
    session = Session(data, models, folds)
    book = None
    if data.given is not None:
        digest = fingerprint(data.rows, data.label_names, data.given)
        path = default_journal(data) if journal is None else journal
        book = CorrectionJournal(path, digest, data.label_names, len(data.given))
    explorer = Explorer(session, book, port)
    if judge:
        session.start_judging()
    if open_browser:
        explorer.open()
    return explorer


def default_journal(data: ExploredData) -> Path:
    """The journal beside the file of the data, or in the current folder."""
    if data.path is not None:
        return data.path.with_name(f"{data.path.name}.corrections.jsonl")
    return Path(f"{re.sub(r'[^A-Za-z0-9_.-]', '_', data.name)[:80]}.corrections.jsonl")


def check_models(data: ExploredData, models: Sequence[ExploredModel]) -> None:
    """Refuse a second model of other labels."""
    for model in models:
        names = [str(label) for label in last_step(model.estimator).label_names_]
        if names != data.label_names:
            other = next((name for name in data.label_names if name not in names), None)
            why = f"it has no label {other!r}" if other is not None else "its labels are in another order"
            raise InputError(f"the models do not have the same labels: {model.name}: {why}")


def _given(model: Any, Y: Any, names: Sequence[str], n_rows: int) -> Labels:
    found = tag_matrix(Y, np.asarray(names)) if are_tag_lists(Y) else in_label_order(model, Y)
    values = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
    if values.shape != (n_rows, len(names)):
        raise InputError(f"Y has shape {values.shape}; expected {(n_rows, len(names))}")
    given = np.where(np.isnan(values), -1, values)
    if not np.isin(given, (-1, 0, 1)).all():
        raise InputError("Y holds other values than 0, 1 and -1 (unknown)")
    return given.astype(np.int8)
