"""A model as the web sees it: a name, a version, labels, and rows of plain data in the place of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.decisions import Decision
from setwise.distributions import LabelDistribution
from setwise.nesting import feature_origins
from setwise.persistence.opened import OpenedModel, open_model
from setwise.web.api.rows import Row, RowReader


@dataclass(frozen=True)
class Model:
    """A fitted model with a name.

    Parameters
    ----------
    name : str
    parts : OpenedModel
        What its file holds.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from setwise import BinaryRelevance, save
    >>> with TemporaryDirectory() as folder:
    ...     save(BinaryRelevance(l2=1.0).fit([[0.0], [1.0]], [["sea"], ["sand"]]), f"{folder}/beach.setwise")
    ...     model = read_model(f"{folder}/beach.setwise")
    >>> model.name, model.labels
    ('beach', ['sand', 'sea'])
    """

    name: str
    parts: OpenedModel

    @property
    def version(self) -> str:
        """The first digits of the digest of its file: another model has another version."""
        return self.parts.about.digest[:12]

    @cached_property
    def labels(self) -> list[str]:
        """Names of the labels."""
        return [str(name) for name in self.parts.final.label_names_]

    @cached_property
    def reader(self) -> RowReader:
        """What makes features of rows."""
        return RowReader.of(self.parts)

    @cached_property
    def feature_origins(self) -> tuple[Array, Array]:
        """Names of the features (d,), and of the columns of the table that they come from."""
        names, columns = feature_origins(self.parts.whole)
        noted = self.parts.feature_names
        if self.parts.encoder is None and len(noted) == len(names):
            names = columns = np.array(noted, dtype=object)
        return names, columns

    def features(self, rows: Sequence[Row]) -> Any:
        """Rows as the classifier takes them, an array or CSR of shape (n, d)."""
        return self.reader.read(rows)

    def label_probs(self, X: Any) -> Floats:
        """Probability (n, L) of each label, strictly between 0 and 1, as ``predict_proba`` has it."""
        return self.parts.final.predict_proba(X)[:, -len(self.labels) :]

    def block_rows(self, X: Any, decision: Decision | None) -> int:
        """Rows that are asked at a time: few enough to bound memory, or all for a decision about them together."""
        final = self.parts.final
        return max(1, X.shape[0]) if final.rule(decision).whole_batch else final.block_rows()

    def joints(
        self, X: Any, evidence: Labels | None = None, decision: Decision | None = None
    ) -> Iterator[LabelDistribution]:
        """Yield P(y | x, evidence) of the blocks of rows that a decision is made for."""
        step = self.block_rows(X, decision)
        for start in range(0, X.shape[0], step):
            joint = self.parts.final.distribution(X[start : start + step])
            yield joint if evidence is None else joint.condition(evidence[start : start + step])


def read_model(path: str | os.PathLike[str], name: str | None = None) -> Model:
    """Load a model file.

    Parameters
    ----------
    path : path of the file
    name : str, optional
        By default the name of the file without its ending.

    Returns
    -------
    Model

    Examples
    --------
    See :class:`Model`.
    """
    return Model(name or Path(path).stem, open_model(path))
