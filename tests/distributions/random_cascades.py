"""Random cascades of naive Bayes steps."""

import numpy as np
from scipy.special import log_softmax

from setwise.distributions import Cascade
from setwise.inference.cascades.cascade import NaiveBayesSteps


def random_cascade(seed, n_rows=3, n_labels=4, scale=1.5, **settings):
    rng = np.random.default_rng(seed)
    steps = NaiveBayesSteps(
        rng.normal(scale=scale, size=(n_rows, n_labels)),
        rng.normal(scale=scale, size=(n_labels + 1, n_labels)),
        rng.normal(scale=scale, size=(n_labels, n_labels)),
    )
    return Cascade(log_softmax(rng.normal(size=(n_rows, n_labels + 1)), axis=1), steps, **settings)
