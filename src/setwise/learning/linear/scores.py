"""Linear functions of the features: the result of every linear learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from setwise.contract import Floats, Matrix
from setwise.kernels.matrices import matmul


class LinearScores(NamedTuple):
    """Linear functions of the original features: ``coef`` (d, B), ``intercept`` (B,), ``labels`` (m, B)."""

    coef: Floats
    intercept: Floats
    labels: Floats

    def __call__(self, X: Matrix) -> Floats:
        """Compute the scores (n, B) of the rows of ``X`` (n, d), without the labels used as features."""
        return np.asarray(matmul(X, self.coef.astype(X.dtype, copy=False)) + self.intercept)

    def minus(self, shift: Floats) -> LinearScores:
        """The same functions less a constant (B,) each."""
        return self._replace(intercept=self.intercept - shift)

    @classmethod
    def side_by_side(cls, scores: Sequence[LinearScores]) -> LinearScores:
        """Join the scores of several functions, in their order.

        Examples
        --------
        >>> import numpy as np
        >>> one = LinearScores(np.ones((2, 3)), np.zeros(3), np.zeros((0, 3)))
        >>> LinearScores.side_by_side([one, one]).coef.shape
        (2, 6)
        """
        return cls(*(np.concatenate(parts, axis=-1) for parts in zip(*scores)))
