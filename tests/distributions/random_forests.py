"""Random forest mixtures for the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.special import log_softmax

from setwise.distributions import ForestMixture


def random_parents(rng, n_components, n_labels, edges=0.7):
    parents = np.full((n_components, n_labels), -1)
    for k in range(n_components):
        order = rng.permutation(n_labels)
        for t in range(1, n_labels):
            if rng.random() < edges:
                parents[k, order[t]] = order[rng.integers(t)]
    return parents


def random_mixture(seed, n_rows=3, n_components=3, n_labels=5, kind="forest", dtype=np.float64):
    """``kind``: "independent" (V = 1), "forest", "deterministic" (infinite logits, weights of zero)."""
    rng = np.random.default_rng(seed)
    shape = (n_rows, n_components, n_labels, 1 if kind == "independent" else 2)
    logits = rng.normal(scale=rng.choice([0.5, 2.0, 6.0]), size=shape)
    gate = rng.normal(size=(n_rows, n_components))
    if kind == "deterministic":
        logits = np.where(rng.random(shape) < 0.4, np.sign(logits) * np.inf, logits)
        gate[rng.random(gate.shape) < 0.2] = -np.inf
        gate[:, 0] = 0.0
    edges = 0.0 if kind == "independent" else 0.7
    return ForestMixture(
        log_softmax(gate, axis=1), logits.astype(dtype), random_parents(rng, n_components, n_labels, edges)
    )


mixtures = st.builds(
    random_mixture,
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 4),
    n_components=st.integers(1, 4),
    n_labels=st.integers(1, 8),
    kind=st.sampled_from(["independent", "forest", "deterministic"]),
)
