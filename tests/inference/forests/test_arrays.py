"""Arrays of forests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.inference.forests.arrays import Forests, topological_order
from tests.distributions.random_forests import random_parents


@given(seed=st.integers(0, 999), n_labels=st.integers(1, 30))
def test_parents_come_first(seed, n_labels):
    """Red if a label stands before its parent in the order."""
    parents = random_parents(np.random.default_rng(seed), 3, n_labels)
    for line, parent in zip(topological_order(parents), parents):
        place = np.argsort(line)
        assert sorted(line.tolist()) == list(range(n_labels))
        assert all(parent[label] < 0 or place[parent[label]] < place[label] for label in range(n_labels))


def test_a_label_cannot_be_its_own_parent():
    """Red if a cycle passes for a forest."""
    with pytest.raises(ValueError, match=r"component 0 form a cycle among labels \[1\]"):
        topological_order(np.array([[-1, 1, 0]]))


def test_integers_become_floats():
    """Red if the kernels are given an integer array."""
    assert Forests.of(np.zeros((1, 1, 2, 1), dtype=int), [[-1, -1]]).logits.dtype == np.float64
