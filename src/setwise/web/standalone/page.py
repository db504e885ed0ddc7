"""One self-contained page that computes with a fitted model: no server, no request, open it by double click."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from setwise.arrays import Array, Matrix
from setwise.errors import InputError
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import dense_within
from setwise.web.standalone.plain_model import number_text, plain_model

MOST_ROWS = 200
"""Example rows that a page takes along."""
MOST_EDITED = 300
"""Up to this many plain features can be changed on the page."""
MOST_BYTES = 50_000_000
INVITATION = "Set labels on or off and watch the rest move."


def export_page(
    estimator: SetClassifier,
    X: Matrix | None = None,
    *,
    row_names: Sequence[str] = (),
    feature_names: Sequence[str] = (),
    editable: bool = True,
    title: str = "A model to play with",
) -> str:
    """Make a page with a fitted model: evidence by click, sets that move.

    Parameters
    ----------
    estimator : SetClassifier
        Fitted, one of those that :func:`plain_model` takes.
    X : array or CSR of shape (n, d), optional
        Example rows, as the estimator takes them; the first 200 are taken along. Without them the page begins with
        a row of zeros.
    row_names : sequence of str, optional
    feature_names : sequence of str, optional
    editable : bool
        Whether single features may be changed on the page, which makes sense for plain measurements. Only up to 300.
    title : str

    Returns
    -------
    str
        HTML. Names are text on the page, never markup; scripts other than the page's own are refused by its content
        security policy.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> model = BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]])
    >>> page = export_page(model, [[0.5]], title="<b>beach</b>")
    >>> page.startswith("<!doctype html>"), "<b>beach" in page
    (True, False)
    """
    d = int(estimator.n_features_in_)
    dense = _examples(X, d)
    names = [str(name) for name in feature_names] or [f"feature {j}" for j in range(d)]
    editable = editable and d <= MOST_EDITED
    kept = np.arange(d) if editable else np.flatnonzero(dense.any(axis=0) | np.isnan(dense).any(axis=0))
    shown = [str(name) for name in row_names] or [f"row {i}" for i in range(len(dense))]
    content = {
        "title": title,
        "about": f"{type(estimator).__name__}: {estimator.n_labels_} labels, {d} features. {INVITATION}",
        "editable": editable,
        "features": [names[j] for j in kept],
        "rows": [{"name": name, "x": number_text(row[kept])} for name, row in zip(shown, dense)],
        "model": plain_model(estimator, kept),
    }
    return _filled(content)


def _examples(X: Any, d: int) -> Array:
    if X is None:
        return np.zeros((1, d))
    rows = (
        dense_within(X[:MOST_ROWS], MOST_BYTES)
        if hasattr(X, "shape")
        else np.asarray(X, dtype=float)[:MOST_ROWS]
    )
    if rows is None or rows.shape[1] != d:
        raise InputError(f"the model takes {d} features and the rows have {np.shape(X)[1]}")
    return np.asarray(rows, dtype=np.float64)


def _filled(content: dict[str, Any]) -> str:
    folder = files(__package__)
    read = {
        name: (folder / name).read_text(encoding="utf-8")
        for name in ("joint.js", "page.js", "page.css", "page.html")
    }
    script = "\n" + read["joint.js"] + read["page.js"]
    # "<" begins no tag inside JSON, so no name can end the element it stands in.
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(text) > MOST_BYTES:
        raise InputError(
            f"the page would have {len(text) / 1e6:.0f} MB", hint="export fewer rows or a smaller model"
        )
    return Template(read["page.html"]).substitute(
        SCRIPT=script,
        SCRIPT_HASH=_hash(script),
        STYLE=read["page.css"],
        STYLE_HASH=_hash(read["page.css"]),
        DATA=text,
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
