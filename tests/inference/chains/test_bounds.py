"""No completion of a prefix is more probable than its bound."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_expit

from setwise.inference.chains.best_first import BestFirst
from setwise.inference.chains.bounds import largest_factors
from setwise.inference.chains.conditionals import Linear, log_prob


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 6), known=st.floats(0, 0.6))
def test_no_set_exceeds_its_prefix_times_the_factor(seed, n_labels, known):
    """Red if the bound of any position is below what some set that agrees with the evidence reaches."""
    rng = np.random.default_rng(seed)
    coupling = np.triu(rng.normal(scale=2, size=(n_labels, n_labels)), 1)
    chain = Linear(rng.normal(scale=2, size=(1, n_labels)), coupling)
    evidence = np.where(rng.random((1, n_labels)) < known, rng.integers(0, 2, (1, n_labels)), -1).astype(
        np.int8
    )
    factors = largest_factors(chain, evidence)[0]
    for y in itertools.product((0, 1), repeat=n_labels):
        if ((evidence[0] >= 0) & (evidence[0] != y)).any():
            continue
        z = chain.offsets[0] + np.array(y) @ coupling
        each = log_expit(np.where(np.array(y) == 1, z, -z))
        assert (each[::-1].cumsum()[::-1] <= factors[:-1] + 1e-12).all()


def test_many_labels_are_answered_by_a_beam_with_a_gap():
    """Red if the default search of 700 labels tries to be exact, or claims a certificate it has not."""
    rng = np.random.default_rng(0)
    coupling = np.triu(rng.normal(scale=0.5, size=(700, 700)), 1)
    chain = Linear(rng.normal(-1.0, 1.0, size=(2, 700)), coupling)
    found = BestFirst()(chain, np.full((2, 700), -1, np.int8))
    assert not found.certified.any()
    assert (found.gap > 0).all()
    assert np.allclose(found.log_prob, log_prob(chain, found.labels))
