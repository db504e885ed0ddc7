"""Counts of words: rows whose length says nothing about the labels, or everything."""

import numpy as np


def texts(rows=300, seed=0, *, long=True):
    """Counts of thirty words; labels follow from the most frequent words, or from the length of the text."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 3, rows)
    rates = np.full((3, 30), 0.005)
    for t in range(3):
        rates[t, 10 * t : 10 * t + 10] = 0.05
    length = rng.lognormal(3.0, 1.2, rows)
    X = rng.poisson(length[:, None] * rates[topic]).astype(float)
    labels = (
        topic[:, None] == np.arange(3) if long else length[:, None] > np.quantile(length, [0.3, 0.5, 0.8])
    )
    return X, labels.astype(np.int8)
