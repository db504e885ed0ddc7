"""The contract stays small, and a distribution is a sequence of its rows."""

import inspect

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from setwise import LabelDistribution
from setwise.contract import Joint
from setwise.distributions import ForestMixture
from tests.distributions.random_forests import random_mixture

LARGEST = 15


@pytest.mark.parametrize("cls", [Joint, LabelDistribution])
def test_a_contract_has_few_methods(cls):
    """Red if a derived question is added to the file of the contract instead of a separate file."""
    public = [name for name, value in vars(cls).items() if not name.startswith("_") and _is_method(value)]
    assert len(public) <= LARGEST, public


def _is_method(value):
    return inspect.isfunction(value) or isinstance(value, property)


def test_rows_are_counted_indexed_and_iterated():
    mixture = random_mixture(0, n_rows=5, n_labels=3)
    mixture.row_names = pd.Index(list("abcde"))
    marginals = mixture.marginals()
    assert len(mixture) == 5
    for rows in (2, -1, slice(1, 4), [4, 0], np.array([True, False, True, False, True])):
        part = mixture[rows]
        assert isinstance(part, ForestMixture)
        assert_array_equal(part.marginals(), np.atleast_2d(marginals[rows]))
        assert part.row_names.tolist() == np.atleast_1d(np.array(list("abcde"))[rows]).tolist()
    assert_array_equal(np.concatenate([row.marginals() for row in mixture]), marginals)
    with pytest.raises(IndexError):
        mixture[5]


def test_what_is_known_is_kept():
    """Red if ``take`` or more evidence loses the evidence that the distribution was conditioned on."""
    mixture = random_mixture(0, n_rows=3, n_labels=3)
    given = mixture.condition({0: 1}).take([2, 0]).condition([[-1, 0, -1], [-1, 1, -1]])
    assert_array_equal(given.known, [[1, 0, -1], [1, 1, -1]])
    assert_array_equal(given.tempered(2.0).known, given.known)
    assert mixture.known is None
