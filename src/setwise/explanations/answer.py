"""Contributions of features to log-odds, as an answer that can be printed, shown and put in a data frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from scipy.special import expit

from setwise.contract import Array, Floats, Matrix
from setwise.kernels.matrices import merge_columns, row_cells
from setwise.views import RowAnswer, Sheet
from setwise.views.text import count

SHOWN_FEATURES = 8
"""Features of an entry that are printed; ``to_frame()`` has all."""
SHOWN_ROWS = 3
NEGLIGIBLE = 1e-12
"""Contributions below this share of the largest are rounding."""
BASELINE, TOTAL = "(baseline)", "= log-odds"


Method = Literal["exact", "estimated", "sampled"]


@dataclass(repr=False)
class Explanation(RowAnswer):
    """What each feature adds to the log-odds of something in a row, compared with the baseline.

    ``base + contributions.sum(axis=1)`` is ``log_odds``. The baseline is a typical row: the training mean of each
    feature, and zero for features that are zero in most rows, such as words.

    Parameters
    ----------
    contributions : array or CSR of shape (m, d)
        A line per entry: something to explain in a row.
    values : array or CSR of shape (m, d)
        The features of the rows.
    base, log_odds : array of shape (m,)
        Log-odds of the baseline and of the row.
    rows : array of shape (m,)
        The row of each entry.
    targets : list of str
        What is explained: ``sea`` (the label is on), ``sea + sand`` (both are), ``{sea, sand}`` (the whole set),
        ``sea | sand`` (if sand is on), ``component 2``.
    method : {"exact", "estimated", "sampled"}
        "exact" for linear models and trees; "estimated" if sums over label sets are; "sampled" if features are moved in
        random orders.
    error : array of shape (m,)
        Largest standard error of a contribution; zero unless they are sampled.
    feature_names, columns : array of shape (d,)
        Names of the features, and of the columns of the table that they come from.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
    >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sand"], ["sea"]])
    >>> model.explain([[3.0, 1.0]], "sea")
    Contributions to the log-odds of 1 target in 1 row, exact
    row  target  feature     value  contribution
    ---  ------  ----------  -----  ------------
      0  sea     (baseline)               -2.053
                 x0          3.000         2.568
                 x1          1.000         1.502
                 = log-odds                2.017
    """

    contributions: Matrix
    values: Matrix
    base: Floats
    log_odds: Floats
    rows: Array
    targets: list[str]
    method: Method
    error: Floats
    feature_names: Array
    columns: Array
    row_names: Any = field(default=None)

    @property
    def probability(self) -> Floats:
        """Probability (m,) of what is explained."""
        return np.asarray(expit(self.log_odds))

    def by_column(self) -> Self:
        """Add up the features of each column of the table.

        Returns
        -------
        Explanation
            Its features are columns; those of several features have no value.

        Examples
        --------
        >>> from setwise import BinaryRelevance, TableEncoder, make_set_pipeline
        >>> tickets = {"message": ["money back please", "cannot log in", "give my money back", "log in fails"]}
        >>> model = make_set_pipeline(TableEncoder(), BinaryRelevance(l2=0.1))
        >>> model = model.fit(tickets, [["refund"], ["login"], ["refund"], ["login"]])
        >>> model.explain({"message": ["money"]}, "refund").by_column().feature_names.tolist()
        ['message']
        """
        names, place, size = np.unique(
            np.asarray(self.columns, dtype=str), return_inverse=True, return_counts=True
        )
        merged = merge_columns(self.contributions, place, len(names))
        values = merge_columns(self.values, place, len(names))
        values = np.where(size == 1, values, np.nan)
        own = names.astype(object)
        return replace(self, contributions=merged, values=values, feature_names=own, columns=own)

    def to_dict(self, n_features: int | None = None) -> list[dict[str, Any]]:
        """List the entries as plain data, the strongest features first.

        Parameters
        ----------
        n_features : int, optional
            How many features to list for an entry; the sum of the others is ``others``. All by default.

        Returns
        -------
        list of dict
            With the keys row, target, probability, log_odds, base, others and features, a list of feature, column,
            value and contribution.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> model = BinaryRelevance(l2=0.1).fit([[0.0], [1.0], [2.0], [3.0]], [["sand"], ["sand"], ["sea"], ["sea"]])
        >>> model.explain([[3.0]], "sea").to_dict(1)[0]["features"][0]["feature"]
        'x0'
        """
        return [self._entry(entry, n_features) for entry in range(len(self.rows))]

    def _entry(self, entry: int, n_features: int | None) -> dict[str, Any]:
        found = self._strongest(entry)
        shown = found[:n_features]
        keys = ("feature", "column", "value", "contribution")
        return {
            "row": int(self.rows[entry]),
            "target": self.targets[entry],
            "probability": float(self.probability[entry]),
            "log_odds": float(self.log_odds[entry]),
            "base": float(self.base[entry]),
            "others": float(sum(line[3] for line in found[len(shown) :])),
            "features": [dict(zip(keys, line)) for line in shown],
        }

    def _strongest(self, entry: int) -> list[tuple[str, str, float | None, float]]:
        """Name, column, value and contribution of the features of an entry, the strongest first."""
        places, parts = row_cells(self.contributions, entry)
        order = np.argsort(-np.abs(parts), kind="stable")
        order = order[np.abs(parts[order]) > NEGLIGIBLE * np.abs(parts).max(initial=0.0)]
        values = dict(zip(*(cells.tolist() for cells in row_cells(self.values, entry))))
        return [
            (str(self.feature_names[j]), str(self.columns[j]), _known(values.get(j, 0.0)), float(part))
            for j, part in zip(places[order].tolist(), parts[order])
        ]

    def _n_rows(self) -> int:
        return len(np.unique(self.rows))

    def _title(self) -> str:
        targets, rows = count(len(set(self.targets)), "target"), count(self._n_rows(), "row")
        return f"Contributions to the log-odds of {targets} in {rows}, {self.method}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        return self._lines(n_rows, None)

    def _shown(self) -> Sheet:
        shown = self._lines(SHOWN_ROWS, SHOWN_FEATURES).only("target", "feature", "value", "contribution")
        starts = [feature == BASELINE for feature in shown.columns["feature"]]
        targets = [target if first else "" for target, first in zip(shown.columns["target"], starts)]
        return replace(shown, columns={**shown.columns, "target": targets})

    def _lines(self, n_rows: int | None, n_features: int | None) -> Sheet:
        lines: list[tuple[Any, ...]] = []
        kept = np.unique(self.rows)[:n_rows]
        for entry in np.flatnonzero(np.isin(self.rows, kept)).tolist():
            found, target = self._strongest(entry), self.targets[entry]
            shown = found if n_features is None else found[:n_features]
            lines.append((entry, target, BASELINE, "", None, float(self.base[entry])))
            lines += [(entry, target, *line) for line in shown]
            if len(shown) < len(found):
                others = sum(line[3] for line in found[len(shown) :])
                lines.append((entry, target, f"({len(found) - len(shown)} others)", "", None, others))
            if n_features is not None:
                lines.append((entry, target, TOTAL, "", None, float(self.log_odds[entry])))
        entries, *columns = zip(*lines) if lines else [()] * 6
        heads = ("target", "feature", "column", "value", "contribution")
        return Sheet(dict(zip(heads, map(list, columns))), self.rows[list(entries)], self.row_names)

    def _remarks(self) -> list[str]:
        if self.method == "sampled":
            return [
                f"features were moved in random orders; standard error at most {self.error.max(initial=0.0):.2g}"
            ]
        return ["sums over label sets are estimated"] if self.method == "estimated" else []


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
