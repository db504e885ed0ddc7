"""The compiled forest kernels equal their NumPy twins, for any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise import kernels
from setwise.kernels import reference
from tests.distributions.random_forests import mixtures, random_mixture

pytestmark = pytest.mark.skipif(not kernels.COMPILED, reason="the compiled kernels were not built")
native = kernels.implementation


def evidence_for(mixture, rng):
    shape = (mixture.n_rows, mixture.n_labels)
    return rng.choice(np.array([-1, 0, 1], dtype=np.int8), shape)


def calls(mixture, seed):
    """Name and arguments of every kernel that answers with numbers."""
    rng = np.random.default_rng(seed)
    evidence, gate = evidence_for(mixture, rng), np.exp(mixture.log_gate)
    complete = np.maximum(evidence, 0)
    n, K, L, _ = mixture.forests.logits.shape
    component = rng.integers(0, K, (n, 7))
    yield "forest_log_evidence", (*mixture.forests, evidence)
    yield "forest_log_evidence", (*mixture.forests, complete)
    yield "forest_condition", (*mixture.forests, evidence)
    yield "forest_max_sum", (*mixture.forests, evidence)
    yield "forest_marginals", mixture.forests
    yield "forest_pairwise", (gate, *mixture.forests)
    yield "forest_entropy", mixture.forests
    yield "forest_sizes", (gate, *mixture.forests)
    yield "forest_size_moments", (gate, *mixture.forests, rng.random(11))
    yield "forest_best_sizes", mixture.forests
    yield "forest_sample", (*mixture.forests, component, rng.random((n, 7, L)))


@settings(max_examples=60, deadline=None)
@given(mixture=mixtures, seed=st.integers(0, 1000))
def test_equals_numpy(mixture, seed):
    for name, arguments in calls(mixture, seed):
        ours, theirs = getattr(native, name)(*arguments), getattr(reference, name)(*arguments)
        for a, b in zip(ours, theirs) if isinstance(ours, tuple) else [(ours, theirs)]:
            assert a.dtype == b.dtype
            assert_allclose(a, b, rtol=1e-11, atol=1e-12, err_msg=name)


@settings(max_examples=40, deadline=None)
@given(
    mixture=mixtures,
    k=st.sampled_from([1, 2, 5]),
    min_labels=st.integers(0, 1),
    budget=st.sampled_from([1, 12, 10**5]),
)
def test_search_equals_numpy(mixture, k, min_labels, budget):
    """Also where the budget ends it: the same sets, certificate and gap."""
    arguments = (mixture.log_gate, *mixture.forests, k, min_labels, budget)
    ours, theirs = native.mixture_top_k(*arguments), reference.mixture_top_k(*arguments)
    assert_allclose(ours[1], theirs[1], rtol=1e-10, atol=1e-12)
    assert_array_equal(ours[2], theirs[2])
    assert_allclose(ours[3], theirs[3], rtol=1e-9, atol=1e-9)
    for labels, expected, log_prob in zip(ours[0], theirs[0], ours[1]):
        found = log_prob[log_prob > -np.inf]
        if (np.diff(found) < -1e-9).all():
            assert_array_equal(labels, expected)


@settings(max_examples=30, deadline=None)
@given(mixture=mixtures, k=st.sampled_from([1, 3]), seed=st.integers(0, 100), tilted=st.booleans())
def test_search_of_a_size_equals_numpy(mixture, k, seed, tilted):
    """Also: whatever the tilt, the same sets."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, mixture.n_labels + 1, mixture.n_rows)
    tilt = rng.normal(scale=2.0 * tilted, size=mixture.log_gate.shape)
    arguments = (mixture.log_gate, *mixture.forests, k, sizes)
    ours = native.mixture_top_k_of_size(*arguments, tilt, 10**5)
    theirs = reference.mixture_top_k_of_size(*arguments, tilt, 10**5)
    plain = native.mixture_top_k_of_size(*arguments, np.zeros_like(tilt), 10**5)
    for other in (theirs, plain):
        assert_allclose(ours[1], other[1], rtol=1e-9, atol=1e-9)
        assert ours[2].all()
        assert other[2].all()
    found = ours[1] > -np.inf
    assert_array_equal(ours[0].sum(axis=2)[found], np.repeat(sizes[:, None], k, axis=1)[found])


@pytest.mark.parametrize("kind", ["independent", "forest", "deterministic"])
@pytest.mark.parametrize("min_labels", [0, 2])
def test_annealing_equals_numpy(kind, min_labels):
    mixture = random_mixture(5, n_rows=6, n_components=3, n_labels=6, kind=kind)
    rng = np.random.default_rng(1)
    evidence = evidence_for(mixture, rng)
    evidence[0] = -1
    start = np.where(evidence >= 0, evidence, rng.integers(0, 2, evidence.shape)).astype(np.int8)
    arguments = (
        mixture.log_gate,
        *mixture.forests,
        evidence,
        start,
        rng.random((6, 60, 2)),
        np.geomspace(1, 0.01, 60),
        min_labels,
    )
    assert_array_equal(native.mixture_anneal(*arguments), reference.mixture_anneal(*arguments))


def test_any_number_of_threads():
    """Red if a row's answer depends on the block or the thread that computed it."""
    mixture = random_mixture(3, n_rows=300, n_components=4, n_labels=9)

    def answers(threads):
        native.set_threads(threads)
        search = native.mixture_top_k(mixture.log_gate, *mixture.forests, 3, 1, 10**5)
        return [*search, *(getattr(native, name)(*arguments) for name, arguments in calls(mixture, 0))]

    try:
        first, second = answers(1), answers(5)
    finally:
        native.set_threads(2)
    for a, b in zip(first, second):
        for x, y in zip(a, b) if isinstance(a, tuple) else [(a, b)]:
            assert_array_equal(x, y)


def test_float32_tables():
    mixture = random_mixture(4, n_rows=20, n_labels=8, dtype=np.float32)
    for name, arguments in calls(mixture, 0):
        ours, theirs = getattr(native, name)(*arguments), getattr(reference, name)(*arguments)
        for a, b in zip(ours, theirs) if isinstance(ours, tuple) else [(ours, theirs)]:
            assert a.dtype == b.dtype
            assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=name)
