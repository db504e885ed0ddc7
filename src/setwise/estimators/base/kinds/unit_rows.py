"""Base class of estimators that can L2-normalize rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from setwise.contract import Floats, Labels, Matrix
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.kernels.matrices import unit_rows


class UnitRows(SetClassifier):
    """An estimator with the parameter ``unit_rows``: whether rows are L2-normalized.

    Attributes
    ----------
    unit_rows_ : bool
        Whether rows are L2-normalized, in ``fit`` and in prediction.
    """

    unit_rows: bool | Literal["auto"]
    unit_rows_: bool = False

    @abstractmethod
    def _prefers_unit_rows(self, X: Matrix, Y: Labels, weights: Floats | None) -> bool:
        """Whether ``unit_rows="auto"`` normalizes these rows."""

    def _fit_scaling(self, X: Matrix, Y: Labels, weights: Floats | None) -> None:
        choice = self.unit_rows
        self.unit_rows_ = self._prefers_unit_rows(X, Y, weights) if choice == "auto" else bool(choice)

    def _scaled(self, X: Matrix) -> Matrix:
        return unit_rows(X) if self.unit_rows_ else X
