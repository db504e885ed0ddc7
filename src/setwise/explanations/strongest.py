"""The features that matter most to each label and pair of labels, over many rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from setwise.contract import Array, Floats
from setwise.explanations.answer import NEGLIGIBLE, Explanation
from setwise.kernels.matrices import column_sums, squared, take_columns, to_dense
from setwise.views import Answer, Sheet
from setwise.views.text import count


@dataclass(repr=False)
class StrongestFeatures(Answer):
    """The strongest features of each target, over the rows that were explained.

    Parameters
    ----------
    targets : list of str
        Label or pair of labels of each line.
    features, columns : list of str
        Name of the feature, and of the column of the table that it comes from.
    places : array of int
        Number of the feature.
    strength : array
        Root of the mean squared contribution to the log-odds. A word that decides few rows comes before one that is in
        every row and hardly matters.
    direction : array
        1 if a larger value of the feature makes the target more probable, -1 if less, 0 if neither.
    n_rows : int
        Number of rows that were explained.

    Examples
    --------
    >>> from setwise import BinaryRelevance
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
    >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sea"], ["sea"]])
    >>> model.strongest_features(X, pairs=0)
    Strongest features of 2 targets in 4 rows
    target  feature  direction  strength
    ------  -------  ---------  --------
    sand    x0       -             2.722
    sea     x0       +             2.722
    """

    targets: list[str]
    features: list[str]
    columns: list[str]
    places: Array
    strength: Floats
    direction: Array
    n_rows: int

    @classmethod
    def of(cls, parts: list[Explanation], n_features: int) -> StrongestFeatures:
        """Rank the features of explanations, each of one target in many rows."""
        lines = [line for part in parts for line in _ranked(part, n_features)]
        targets, places, strength, direction = zip(*lines) if lines else [()] * 4
        rows = len(parts[0].rows) if parts else 0
        found = cls(
            [*targets], [], [], np.array(places, int), np.array(strength), np.array(direction, int), rows
        )
        return found.with_features(parts[0].feature_names, parts[0].columns) if parts else found

    def with_features(self, names: Array, columns: Array) -> StrongestFeatures:
        """Give the features their names, and those of their columns.

        Parameters
        ----------
        names, columns : array of shape (d,)

        Returns
        -------
        StrongestFeatures

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sea"], ["sea"]])
        >>> model.strongest_features(X, ["sea"]).with_features(["depth"], ["depth"]).features
        ['depth']
        """
        own = [[str(some[j]) for j in self.places] for some in (names, columns)]
        return replace(self, features=own[0], columns=own[1])

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """List the features of each target as plain data.

        Returns
        -------
        dict
            From target to a list of feature, column, strength and direction.

        Examples
        --------
        >>> from setwise import BinaryRelevance
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> model = BinaryRelevance(l2=0.1).fit(X, [["sand"], ["sand"], ["sea"], ["sea"]])
        >>> model.strongest_features(X, pairs=0).to_dict()["sea"][0]["direction"]
        1
        """
        found: dict[str, list[dict[str, Any]]] = {}
        lines = zip(
            self.targets, self.features, self.columns, self.strength.tolist(), self.direction.tolist()
        )
        for target, *line in lines:
            found.setdefault(target, []).append(
                dict(zip(("feature", "column", "strength", "direction"), line))
            )
        return found

    def _n_rows(self) -> int:
        return 0

    def _title(self) -> str:
        targets, rows = count(len(set(self.targets)), "target"), count(self.n_rows, "row")
        return f"Strongest features of {targets} in {rows}"

    def _sheet(self, n_rows: int | None) -> Sheet:
        signs = [{1: "+", -1: "-"}.get(int(sign), "") for sign in self.direction]
        columns: dict[str, Any] = {
            "target": self.targets,
            "feature": self.features,
            "column": self.columns,
            "direction": signs,
            "strength": self.strength,
        }
        return Sheet(columns)

    def _shown(self) -> Sheet:
        return self._sheet(None).only("target", "feature", "direction", "strength")


def _ranked(part: Explanation, n_features: int) -> list[tuple[str, int, float, int]]:
    size = np.sqrt(column_sums(squared(part.contributions)) / max(len(part.rows), 1))
    best = np.argsort(-size, kind="stable")[:n_features]
    best = best[size[best] > NEGLIGIBLE * size.max(initial=0.0)]
    values, parts = (to_dense(take_columns(X, best)) for X in (part.values, part.contributions))
    return [
        (part.targets[0], int(j), float(size[j]), _direction(x, c))
        for j, x, c in zip(best, values.T, parts.T)
    ]


def _direction(values: Floats, parts: Floats) -> int:
    """Sign of the covariance of values and contributions."""
    known = ~np.isnan(values)
    x, c = values[known] - values[known].mean(), parts[known]
    together = float(x @ c)
    return int(np.sign(together)) if abs(together) > 1e-9 * np.abs(x) @ np.abs(c) else 0
