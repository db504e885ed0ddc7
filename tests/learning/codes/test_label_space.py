"""Label spaces: what PLST and CPLST minimize, and their special cases."""

import numpy as np
from sklearn.linear_model import Ridge

import setwise
from setwise.learning.codes.label_space import directions, projection_errors


def example(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(n, 5)) > 0.3).astype(float)
    return X, Y - Y.mean(axis=0)


def fitted(X, Y):
    return Ridge(1.0).fit(X, Y).predict(X)


def test_plst_keeps_most_variance_and_cplst_the_least_regression_error():
    """Red if the eigenvectors are those of another matrix: no random directions may do better."""
    X, Y = example()
    F, w, rng = fitted(X, Y), np.ones(len(Y)), np.random.default_rng(1)
    principal = directions(Y, F, w, conditional=False)[:, :2]
    conditional = directions(Y, F, w, conditional=True)[:, :2]
    for _ in range(50):
        other = np.linalg.qr(rng.normal(size=(5, 2)))[0]
        assert ((Y @ principal) ** 2).sum() >= ((Y @ other) ** 2).sum()
        assert np.trace(conditional.T @ Y.T @ F @ conditional) >= np.trace(other.T @ Y.T @ F @ other) - 1e-9


def test_errors_are_those_of_projected_scores():
    X, Y = example()
    F, w = fitted(X, Y), np.linspace(1, 2, len(Y))
    V = directions(Y, F, w, conditional=True)
    direct = [w @ ((Y - F @ V[:, :m] @ V[:, :m].T) ** 2).sum(axis=1) for m in range(1, 6)]
    np.testing.assert_allclose(projection_errors(Y, F, V, w), direct)


def test_all_directions_are_one_ridge_regression_per_label():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3))
    Y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(100, 4)) > 0).astype(int)
    model = setwise.LabelSpaceTransform(4, l2=1.0, standardize=False, min_labels=0).fit(X, Y)
    other = Ridge(1.0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), (other.predict(X) > 0.5).astype(int))
