"""Independent groups of labels against the enumeration of all label sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.distributions import Product
from tests.distributions.checks import yield_checks
from tests.distributions.test_table import random_table


def random_product(seed, sizes, n_rows=3):
    labels = np.random.default_rng(seed).permutation(sum(sizes))
    groups = np.split(labels, np.cumsum(sizes)[:-1])
    return Product(groups, [random_table(seed + i, n_rows, size) for i, size in enumerate(sizes)])


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 10), sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_equals_enumeration(check, seed, sizes):
    """Red if any answer differs from the sum or maximum over all label sets."""
    check(random_product(seed, sizes), np.random.default_rng(0))


def test_groups_hold_each_label_once():
    with pytest.raises(ValueError, match="expected each label once"):
        Product([[0, 1], [1]], [random_table(0, 2, 2), random_table(0, 2, 1)])
