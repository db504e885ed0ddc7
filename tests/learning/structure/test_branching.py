"""Maximum branching against the enumeration of all forests."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from setwise.inference.forests.arrays import ROOT
from setwise.learning.structure.branching import maximum_branching


def is_forest(parents):
    for node in range(len(parents)):
        seen = set()
        while node != ROOT:
            if node in seen:
                return False
            seen.add(node)
            node = parents[node]
    return True


def total(gains, parents):
    return sum(gains[p, i] for i, p in enumerate(parents) if p != ROOT)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
def test_no_forest_gains_more(seed, L, integers):
    """Red if a cycle is contracted or expanded wrongly; integer gains make many ties."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(-2, 4, (L, L)).astype(float) if integers else rng.normal(size=(L, L)) + 0.5
    parents = maximum_branching(gains)
    assert is_forest(parents)
    choices = [[ROOT, *(j for j in range(L) if j != i)] for i in range(L)]
    best = max(total(gains, p) for p in itertools.product(*choices) if is_forest(p))
    assert np.isclose(total(gains, parents), best)


def test_large_graphs_stay_forests():
    gains = np.random.default_rng(0).normal(size=(120, 120)) + 1.0
    assert is_forest(maximum_branching(gains))
