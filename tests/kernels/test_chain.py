"""The compiled chain kernels equal their NumPy twins, for any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise import kernels
from setwise.kernels import reference

pytestmark = pytest.mark.skipif(not kernels.COMPILED, reason="the compiled kernels were not built")
native = kernels.implementation


def random_chain(seed, n_labels, n_rows=4, observed=0.3):
    rng = np.random.default_rng(seed)
    offsets = rng.normal(scale=2, size=(n_rows, n_labels))
    coupling = np.triu(rng.normal(scale=2, size=(n_labels, n_labels)), 1)
    free = rng.random((n_rows, n_labels)) >= observed
    evidence = np.where(free, -1, rng.integers(0, 2, free.shape)).astype(np.int8)
    return rng, offsets, coupling, evidence


chains = st.builds(random_chain, seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 7))


def agree(name, arguments):
    for ours, theirs in zip(getattr(native, name)(*arguments), getattr(reference, name)(*arguments)):
        assert ours.dtype == theirs.dtype
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12, err_msg=name)


@settings(max_examples=50, deadline=None)
@given(chain=chains)
def test_draws_equal_numpy(chain):
    rng, offsets, coupling, evidence = chain
    uniforms = rng.random((*offsets.shape[:1], 5, offsets.shape[1]))
    agree("chain_sample", (offsets, coupling, evidence, uniforms))
    sets = rng.integers(0, 2, uniforms.shape).astype(np.int8)
    agree("chain_log_prob", (offsets, coupling, sets))
    points = rng.random((6, offsets.shape[1]))
    agree("chain_means", (offsets, coupling, evidence, points, rng.random(offsets.shape)))


@settings(max_examples=80, deadline=None)
@given(
    chain=chains,
    k=st.sampled_from([1, 3]),
    width=st.sampled_from([1, 2, 15, 200]),
    epsilon=st.sampled_from([0.0, 0.1, 0.5]),
    classes=st.integers(0, 2),
)
def test_beams_equal_numpy(chain, k, width, epsilon, classes):
    rng, offsets, coupling, evidence = chain
    log_epsilon = np.log(epsilon) if epsilon else -np.inf
    later = -rng.random((len(offsets), offsets.shape[1] + 1))
    later[:, -1] = 0.0
    agree("chain_beam", (offsets, coupling, evidence, later, k, width, log_epsilon, classes))


@settings(max_examples=80, deadline=None)
@given(
    chain=chains,
    k=st.sampled_from([1, 3, 40]),
    min_labels=st.integers(0, 2),
    budget=st.sampled_from([1, 6, 10**5]),
)
def test_searches_equal_numpy(chain, k, min_labels, budget):
    """Also where the budget ends them: the same sets, bound and number of steps."""
    _, offsets, coupling, evidence = chain
    agree("chain_search", (offsets, coupling, evidence, k, min_labels, budget))


def test_threads_change_nothing():
    _, offsets, coupling, evidence = random_chain(0, 12, n_rows=200, observed=0.1)
    before = native.chain_search(offsets, coupling, evidence, 3, 1, 500)
    try:
        kernels.set_threads(1)
        for one, many in zip(native.chain_search(offsets, coupling, evidence, 3, 1, 500), before):
            assert_array_equal(one, many)
    finally:
        kernels.set_threads(kernels.default_threads())
