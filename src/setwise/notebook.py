"""What a notebook shows of a batch of distributions: the most probable sets of the first rows."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import numpy.typing as npt

LONGEST = 80
"""Characters of a set that are shown."""


def sets_html(
    title: str, labels: npt.NDArray[Any], log_prob: npt.NDArray[Any], names: npt.NDArray[Any] | None
) -> str:
    """A table of sets with their probabilities; names are escaped.

    Parameters
    ----------
    title : str
    labels : array of shape (rows, k, L)
        Each row's sets, best first; sets of -1 are left out.
    log_prob : array of shape (rows, k)
    names : array of shape (L,), optional

    Examples
    --------
    >>> table = sets_html("Table", np.array([[[1, 0]]]), np.log([[0.75]]), np.array(["<b>", "c"]))
    >>> "&lt;b&gt;" in table, "75.0%" in table
    (True, True)
    """
    lines = [f"<caption><code>{html.escape(title)}</code></caption>"]
    heads = "".join(f"<th>set {k + 1}</th><th>P</th>" for k in range(labels.shape[1]))
    lines.append(f"<thead><tr><th>row</th>{heads}</tr></thead><tbody>")
    for row, (sets, values) in enumerate(zip(labels, log_prob)):
        cells = "".join(_cells(one, value, names) for one, value in zip(sets, values))
        lines.append(f"<tr><th>{row}</th>{cells}</tr>")
    return "<table>" + "\n".join(lines) + "</tbody></table>"


def _cells(labels: npt.NDArray[Any], log_prob: float, names: npt.NDArray[Any] | None) -> str:
    if (labels < 0).any():
        return "<td></td><td></td>"
    on = np.flatnonzero(labels).tolist()
    text = ", ".join(str(j if names is None else names[j]) for j in on) or "(no labels)"
    short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f'<td style="text-align:left">{html.escape(short)}</td><td>{np.exp(log_prob):.1%}</td>'
