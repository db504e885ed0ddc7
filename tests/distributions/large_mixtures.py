"""Random mixtures of forests with too many labels to enumerate."""

import numpy as np
from scipy.special import log_softmax

from setwise.distributions import ForestMixture
from tests.distributions.random_forests import random_parents


def large_mixture(seed, n_labels, mean, kind="independent", n_components=6):
    rng = np.random.default_rng(seed)
    V = 1 if kind == "independent" else 2
    shape = (4, n_components, n_labels, V)
    parents = random_parents(rng, n_components, n_labels, 0.0 if V == 1 else 0.7)
    gate = log_softmax(rng.normal(size=shape[:2]), axis=1)
    return ForestMixture(gate, rng.normal(mean, 1.5, size=shape), parents)
