"""The data of the golden answers: made by code, always the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

N_TRAIN, N_TEST = 120, 16


class Data(NamedTuple):
    """Training rows, and rows to answer for with the labels they have."""

    X: Any
    Y: np.ndarray
    X_test: Any
    Y_test: np.ndarray


def dense() -> Data:
    """Numbers, and four labels of which one follows another and none is ever missing: no set is empty."""
    rng = np.random.default_rng(20)
    n = N_TRAIN + N_TEST
    X = rng.normal(size=(n, 5)) * [1.0, 3.0, 0.5, 1.0, 10.0] + [0, 1, 0, -2, 5]
    first = X[:, 0] + rng.normal(size=n) > 0
    second = first ^ (rng.random(n) < 0.15)
    third = X[:, 1] * X[:, 0] + rng.normal(size=n) > 1
    Y = np.column_stack([first, second, third, ~(first | second | third) | (rng.random(n) < 0.2)])
    return _split(X, Y.astype(np.int64))


def sparse() -> Data:
    """Counts of words as CSR; texts differ in length, and a third of them have no label."""
    rng = np.random.default_rng(21)
    n = N_TRAIN + N_TEST
    length = rng.lognormal(2.5, 0.8, n)
    topics = rng.random((n, 3)) < 0.35
    rates = 0.02 + topics.astype(float) @ np.kron(np.eye(3), np.full((1, 4), 0.2))
    X = sp.csr_array(rng.poisson(length[:, None] * rates).astype(float))
    return _split(X, topics.astype(np.int64))


def missing() -> Data:
    """The dense data with a quarter of the training labels unknown."""
    data = dense()
    unknown = np.random.default_rng(22).random(data.Y.shape) < 0.25
    return data._replace(Y=np.where(unknown, -1, data.Y))


def _split(X: Any, Y: np.ndarray) -> Data:
    return Data(X[:N_TRAIN], Y[:N_TRAIN], X[N_TRAIN:], Y[N_TRAIN:])


DATA = {"dense": dense, "sparse": sparse, "missing": missing}
