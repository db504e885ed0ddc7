"""Rows to boost on, and every grower of trees."""

import numpy as np
import scipy.sparse as sp

from setwise.arrays import FREE
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.trees.growers import CartGrower, HistogramGrower, lightgbm_grower


def rows(dtype=np.float64, n=600):
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(size=(n, 3)),
            rng.integers(0, 4, n),
            1.0 + np.spacing(1.0) * rng.integers(0, 3, n),
            np.ones(n),
        ]
    ).astype(dtype)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] * X[:, 2] > 0, X[:, 4] > 1]).astype(np.int8)
    Y[rng.random(Y.shape) < 0.1] = FREE
    return TrainingRows.of(X, Y)


GROWERS = {
    "histogram": HistogramGrower,
    "histogram of sparse X": lambda X, weights, *steps: HistogramGrower(sp.csr_array(X), weights, *steps),
    "scikit-learn": lambda X, weights, *steps: CartGrower(sp.csr_array(X), *steps),
    "lightgbm": lightgbm_grower,
}
