"""Rows with dependent labels, as arrays and as blocks."""

import numpy as np
import pytest

from setwise.blocks import StreamedBlocks


def cut(arrays, ends):
    """Blocks of arrays that end at these rows, some of them perhaps without rows."""
    slices = [slice(a, b) for a, b in zip([0, *ends], ends)]
    return StreamedBlocks(
        tuple(lambda rows=rows: tuple(a if a is None else a[rows] for a in arrays) for rows in slices)
    )


@pytest.fixture(scope="session")
def table():
    """600 rows of 5 features far from zero and 4 labels, of which the last two depend on each other; row weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * [1, 10, 0.1, 3, 1] + [5, 0, 2, -30, 0]
    Z = (X - X.mean(0)) / X.std(0)
    Y = (Z[:, :4] + Z[:, 1:] + rng.normal(size=(600, 4)) > 0).astype(np.int8)
    Y[:, 3] = Y[:, 2] ^ (rng.random(600) < 0.15)
    return X, Y, rng.uniform(0.2, 3.0, 600)
