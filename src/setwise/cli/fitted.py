"""A model that a command has fitted, and what it was fitted to."""

from __future__ import annotations

from typing import Any, NamedTuple

from setwise.datasets import Dataset
from setwise.estimators.meta.auto import AutoSetClassifier
from setwise.persistence.row_keys import RowKeys


class Fitted(NamedTuple):
    """A fitted model.

    Attributes
    ----------
    model : estimator or Pipeline
    name : str
        The name of the data.
    data : Dataset
        The data, or a sample of their rows if they are larger than memory.
    n_rows, n_unknown : int
        All rows, and label values that are not known.
    keys : RowKeys
        Of all rows.
    seconds : float
        What the fit took.
    chooser : AutoSetClassifier, optional
        What chose the model, if that is not the model.
    """

    model: Any
    name: str
    data: Dataset
    n_rows: int
    n_unknown: int
    keys: RowKeys
    seconds: float
    chooser: AutoSetClassifier | None = None

    @property
    def final(self) -> Any:
        """The estimator at the end of the model."""
        return final_step(self.model)

    @property
    def choice(self) -> AutoSetClassifier | None:
        """The automatic choice, if there was one."""
        return self.final if isinstance(self.final, AutoSetClassifier) else self.chooser


def final_step(model: Any) -> Any:
    """The last step of a pipeline; another model itself."""
    return model[-1] if hasattr(model, "steps") else model
