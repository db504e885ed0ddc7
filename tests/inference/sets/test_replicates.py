"""Estimated means are as precise as they say."""

import numpy as np

from setwise.inference.chains.conditionals import Linear
from setwise.inference.chains.sums import log_evidence, mean_conditionals
from setwise.inference.sets.replicates import GROUP_DRAWS, latin_points
from setwise.limits import STANDARD_ERROR


def test_each_number_of_a_group_falls_once_into_every_stratum():
    strata = np.sort((latin_points(3, 5) * GROUP_DRAWS).astype(int), axis=0)
    assert (strata == np.arange(GROUP_DRAWS)[:, None]).all()


def test_marginals_of_a_chain_have_the_stated_error():
    """Red if the estimate is biased, or errors exceed the stated one: 150 rows beside the exact sums."""
    rng = np.random.default_rng(1)
    coupling = np.triu(rng.normal(scale=3, size=(9, 9)), 1)
    chain = Linear(rng.normal(scale=1, size=(150, 9)), coupling)
    free = np.full((150, 9), -1, np.int8)
    found = mean_conditionals(chain, free)
    exact = np.empty((150, 9))
    for label in range(9):
        evidence = free.copy()
        evidence[:, label] = 1
        exact[:, label] = np.exp(log_evidence(chain, evidence))
    assert found.standard_error.max() <= STANDARD_ERROR
    errors = (found.means - exact)[:, 1:]
    assert np.sqrt((errors**2).mean()) < STANDARD_ERROR
    assert abs(errors.mean()) < 1e-3
