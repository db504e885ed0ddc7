import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from setwise.kernels import COMPILED, implementation, reference
from setwise.random_bits import keys, uniforms


def network(n_rows=7, n_labels=9, chains=3, seed=0):
    rng = np.random.default_rng(seed)
    couplings = rng.normal(scale=0.7, size=(n_labels, n_labels))
    np.fill_diagonal(couplings, 0.0)
    evidence = rng.choice([-1, -1, -1, 0, 1], (n_rows, n_labels)).astype(np.int8)
    order = np.stack([rng.permutation(n_labels) for _ in range(chains)]).astype(np.int32)
    streams = rng.integers(2**63, size=n_rows, dtype=np.uint64)
    return rng.normal(size=(n_rows, n_labels)), couplings, evidence, streams, order


@pytest.mark.skipif(not COMPILED, reason="the compiled kernels are not in use")
@pytest.mark.parametrize("n_labels", [1, 2, 9, 33])
def test_both_walk_the_same_chains(n_labels):
    """Red if a uniform, the order of visits or an update differs between C++ and NumPy."""
    arguments = network(n_labels=n_labels)
    native = implementation.gibbs_linear(*arguments, 5, 40)
    numpy = reference.gibbs_linear(*arguments, 5, 40)
    assert_array_equal(native[0], numpy[0])
    assert_allclose(native[1], numpy[1], rtol=1e-9, atol=1e-12)
    assert_allclose(native[2], numpy[2], rtol=1e-9, atol=1e-15)


def test_any_number_of_threads_gives_the_same_samples():
    arguments = network(n_rows=50)
    try:
        implementation.set_threads(1)
        one = implementation.gibbs_linear(*arguments, 3, 20)
        implementation.set_threads(7)
        many = implementation.gibbs_linear(*arguments, 3, 20)
    finally:
        implementation.set_threads(2)
    for a, b in zip(one, many):
        assert_array_equal(a, b)


def test_rows_do_not_depend_on_their_company():
    offsets, couplings, evidence, streams, order = network(n_rows=20)
    whole = implementation.gibbs_linear(offsets, couplings, evidence, streams, order, 3, 20)
    part = implementation.gibbs_linear(offsets[5:9], couplings, evidence[5:9], streams[5:9], order, 3, 20)
    assert_array_equal(whole[0][5:9], part[0])


def test_extreme_logits_stay_finite():
    offsets = np.array([[1e6, -1e6, 1e300]])
    free = np.full((1, 3), -1, np.int8)
    stream, order = np.array([3], np.uint64), np.arange(3, dtype=np.int32)[None]
    samples, scores, probs = implementation.gibbs_linear(offsets, np.zeros((3, 3)), free, stream, order, 1, 5)
    assert (samples == [1, 0, 1]).all()
    assert_allclose(scores, 0.0)
    assert_allclose(probs, [[[1, 0, 1]]])


def test_uniforms_are_uniform_and_streams_differ():
    """Red if the hash is biased or two streams, sweeps or labels share numbers."""
    u = uniforms(keys(np.arange(200, dtype=np.uint64), 1), 100)
    assert ((u > 0) & (u < 1)).all()
    assert len(np.unique(u)) == u.size
    assert kstest(u.ravel(), "uniform").pvalue > 1e-4
    correlation = np.corrcoef(u.T) - np.eye(100)
    assert np.abs(correlation).max() < 6 / np.sqrt(200)


@pytest.mark.skipif(not COMPILED, reason="the compiled kernels are not in use")
@pytest.mark.parametrize(("n_keep", "min_labels"), [(1, 0), (7, 0), (7, 2), (100, 1), (3, 5)])
def test_both_keep_the_same_states(n_keep, min_labels):
    """Red if ties, the smallest size or rows without a state are treated differently in C++ and NumPy."""
    rng = np.random.default_rng(0)
    samples = rng.integers(0, 2, (20, 40, 4)).astype(np.int8)
    scores = -rng.integers(0, 6, (20, 40)).astype(np.float64)
    native = implementation.kept_shares(samples, scores, n_keep, min_labels)
    assert_allclose(native, reference.kept_shares(samples, scores, n_keep, min_labels), atol=1e-15)


def test_products_of_many_conditionals_do_not_overflow():
    """Red if the factors of more labels than a double can hold are multiplied before their logarithm is taken."""
    L = 1500
    free, order = np.full((1, L), -1, np.int8), np.arange(L, dtype=np.int32)[None]
    stream = np.array([3], np.uint64)
    _, scores, _ = implementation.gibbs_linear(np.zeros((1, L)), np.zeros((L, L)), free, stream, order, 0, 2)
    assert_allclose(scores, -L * np.log(2.0))
