"""The best distinct sets among candidates."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from setwise.inference.sets.candidates import best_distinct


@given(seed=st.integers(0, 999), k=st.integers(1, 6))
def test_the_best_distinct_sets_are_those_of_a_dictionary(seed, k):
    """Red if a set comes twice, the order is wrong, or missing places are not marked."""
    rng = np.random.default_rng(seed)
    sets = rng.integers(0, 2, (4, 7, 3), np.int8)
    value = -(sets @ np.array([1.0, 2.0, 4.0]))
    labels, log_prob = best_distinct(sets, value, k)
    for i in range(4):
        known = dict(zip(map(tuple, sets[i].tolist()), value[i].tolist()))
        truth = sorted(known, key=known.get, reverse=True)[:k]
        found = [tuple(row) for row in labels[i].tolist()]
        assert found == truth + [(-1, -1, -1)] * (k - len(truth))
        assert log_prob[i].tolist() == [known[s] for s in truth] + [-np.inf] * (k - len(truth))
