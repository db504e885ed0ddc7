"""Data whose labels depend on the features and on each other."""

import numpy as np


def correlated(seed, n_rows, n_labels, n_features=5):
    """X (n, d) and Y (n, L): a chain of noisy linear rules, so that no label is constant."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    Y = np.zeros((n_rows, n_labels), dtype=int)
    weights = rng.normal(size=(n_features, n_labels))
    for j in range(n_labels):
        pull = 2.0 * (Y[:, j - 1] - 0.5) if j else 0.0
        Y[:, j] = X @ weights[:, j] + pull + rng.logistic(size=n_rows) > 0
    return X, Y
