"""The compiled kernel of cascades equals its NumPy twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from setwise import kernels
from setwise.kernels import reference

pytestmark = pytest.mark.skipif(not kernels.COMPILED, reason="the compiled kernels were not built")


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 7))
def test_means_equal_numpy(seed, n_labels):
    """Also with labels that are never drawn, and sizes that are impossible."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random((3, n_labels)) < 0.2, -np.inf, rng.normal(size=(3, n_labels)))
    tables = rng.normal(size=(n_labels + 1, n_labels)), rng.normal(size=(n_labels, n_labels))
    size_probs = rng.dirichlet(np.ones(n_labels + 1), 3) * (rng.random((3, n_labels + 1)) < 0.8)
    numbers = rng.random((5, n_labels + 1)), rng.random((3, n_labels + 1))
    arguments = (size_probs, labels, *tables, *numbers)
    ours = kernels.implementation.cascade_means(*arguments)
    assert_allclose(ours, reference.cascade_means(*arguments), rtol=1e-10, atol=1e-12)
