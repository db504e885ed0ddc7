"""Objectives of the linear learners: a loss of each row's scores, and an L2 penalty on the coefficients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from setwise.contract import Array, Bools, Floats
from setwise.learning.linear.design import Design
from setwise.learning.linear.walk import ScoredRows, Walk


class Objective(ABC):
    """B problems on one design, whose coefficients are C columns: problem b has ``first[b]`` to ``first[b + 1]``.

    Each objective is a sum over rows of a loss of their scores, plus l2 / 2 times the squared coefficients without the
    intercepts. A family of problems implements the loss (:meth:`rows`) and the selection of problems (:meth:`take`); it
    may add a penalty on the intercepts (:meth:`intercept_penalty`).

    Parameters
    ----------
    design : Design of n rows and D columns
    first : ndarray of shape (B + 1,)
    l2 : ndarray of shape (C,)
        Penalty of each column of coefficients.
    dtype : dtype
        Precision of the scores and residuals.
    """

    def __init__(self, design: Design, first: Array, l2: Floats, dtype: np.dtype[Any]) -> None:
        self.design, self.l2, self.dtype = design, l2, dtype
        self.first = np.ascontiguousarray(first, dtype=np.int32)
        self.rounding = float(np.finfo(design.dtype).eps)
        self._widths, self._alone = np.diff(self.first), len(self.first) == len(l2) + 1

    @abstractmethod
    def rows(
        self, scores: Array, change: Array, step: Floats, which: Array, out: Array, residual: Array
    ) -> tuple[Floats, Floats, Floats]:
        """Compute the losses, curvatures and slopes of some problems at ``scores + step * change``.

        Parameters
        ----------
        scores, change : ndarray of shape (n, C)
        step : ndarray of shape (B,)
            With an entry for every problem.
        which : ndarray of int
            Problems to evaluate.
        out, residual : ndarray of shape (n, C)
            Receive the new scores, and the derivatives of the losses by them, in the columns of these problems.

        Returns
        -------
        loss : ndarray of shape (B,)
            Zero for the other problems.
        curvature : ndarray of shape (C,)
            Zero for the other problems.
        slope : ndarray of shape (B,)
            Derivative of the loss by the step; zero for the other problems.
        """

    @abstractmethod
    def take(self, keep: Bools) -> Self:
        """Select the problems for which ``keep`` (B,) is true."""

    def walk(self, coef: Floats) -> Walk:
        """Go to coefficients (D, C), from where the solver sets out."""
        return ScoredRows(self, coef)

    def scores(self, coef: Floats) -> Array:
        """Compute the scores (n, C) of coefficients (D, C)."""
        return np.ascontiguousarray(self.design.scores(coef), dtype=self.dtype)

    def dots(self, a: Floats, b: Floats) -> Floats:
        """Compute the dot product (B,) of two matrices (D, C) over the columns of each problem."""
        return self.by_problem(np.einsum("jc,jc->c", a, b))

    def by_problem(self, values: Floats, combine: np.ufunc = np.add) -> Floats:
        """Combine the values (C,) of each problem's columns to one, (B,)."""
        return values if self._alone else np.asarray(combine.reduceat(values, self.first[:-1]))

    def by_column(self, values: Array) -> Array:
        """Repeat the value (B,) of each problem for each of its columns, (C,)."""
        return values if self._alone else np.repeat(values, self._widths)

    def intercept_penalty(self, intercepts: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute a penalty (C,) on the intercepts (C,), and its first and second derivatives; zero by default."""
        nothing = np.zeros(len(intercepts))
        return nothing, nothing, nothing

    def ridge(self, coef: Floats) -> Floats:
        """Compute the L2 penalty (B,) of coefficients (D, C)."""
        squares = np.einsum("jc,jc->c", coef, coef) - coef[self.design.intercept] ** 2
        return self.by_problem(0.5 * self.l2 * squares)

    def gradient(self, residual: Array, intercepts: Floats) -> Array:
        """Compute the gradient (D, C), without that of the L2 penalty, at scores with these residuals."""
        return self.penalized(
            self.design.gradient(residual.astype(self.design.dtype, copy=False)), intercepts
        )

    def penalized(self, gradient: Array, intercepts: Floats) -> Array:
        """Add the gradient of the penalty on the intercepts (C,) to that of the losses (D, C), in place."""
        gradient[self.design.intercept] += self.intercept_penalty(intercepts)[1]
        return gradient

    def pull(self, coef: Floats) -> Floats:
        """Compute the gradient (D, C) of the L2 penalty."""
        pull = self.l2 * coef
        pull[self.design.intercept] = 0.0
        return pull
