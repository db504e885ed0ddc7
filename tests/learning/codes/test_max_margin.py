"""Maximum-margin codes: the worst vector against a grid, and the optimum of the convex problem."""

import itertools

import numpy as np
from scipy.optimize import approx_fprime

from setwise.inference.sets.enumeration import label_sets
from setwise.learning.codes.decoding import code_field
from setwise.learning.codes.max_margin import fit_codes, most_violated, nearest_semidefinite, objective


def example(seed=0, n=40, L=3):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, L)).astype(float)
    return Y, np.clip(Y + rng.normal(scale=0.6, size=Y.shape), -0.5, 1.5), np.full(n, 1.0 / n), rng


def test_the_worst_vector_is_the_best_of_a_grid():
    Y, predicted, _, rng = example(1, n=6)
    A = rng.normal(size=(3, 3))
    Q = A @ A.T + 0.1 * np.eye(3)
    worst = most_violated(Q, Y, predicted)

    def violation(y, i):
        return np.abs(y - Y[i]).sum() - (y - predicted[i]) @ Q @ (y - predicted[i])

    for i in range(6):
        grid = max(violation(np.array(y), i) for y in itertools.product(np.linspace(0, 1, 11), repeat=3))
        assert violation(worst[i], i) >= grid - 1e-9


def test_the_gradient_is_right_and_the_code_optimal():
    """Red if some other metric has a smaller objective: the problem is convex."""
    Y, predicted, share, rng = example()
    A = rng.normal(size=(3, 3))
    Q = A @ A.T + 0.5 * np.eye(3)
    flat = approx_fprime(Q.ravel(), lambda q: objective(q.reshape(3, 3), Y, predicted, share, 5.0)[0], 1e-6)
    np.testing.assert_allclose(objective(Q, Y, predicted, share, 5.0)[1].ravel(), flat, atol=1e-4)
    codes = fit_codes(Y, predicted, np.ones(len(Y)), 5.0)
    np.testing.assert_allclose(codes.vectors @ codes.vectors.T, codes.metric, atol=1e-4)
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(20):
            B = rng.normal(size=(3, 3)) * scale
            other = nearest_semidefinite(codes.metric + B + B.T)
            assert objective(other, Y, predicted, share, 5.0)[0] >= codes.objective - 1e-4


def test_the_field_is_the_density_of_code_words_and_labels():
    rng = np.random.default_rng(3)
    V, sd, m, z = rng.normal(size=(4, 2)), rng.random(2) + 0.5, rng.random((3, 4)), rng.normal(size=(3, 4))
    field = code_field(V, sd, m, z, 0.7)
    sets = label_sets(4)
    ours = field.unary @ sets.T + 0.5 * np.einsum("sl,lm,sm->s", sets, field.coupling, sets)
    words = (sets @ V)[None] - (m @ V)[:, None]
    direct = -0.5 * ((words / sd) ** 2).sum(axis=2) + 0.7 * z @ sets.T
    difference = ours - direct
    np.testing.assert_allclose(difference - difference[:, :1], 0.0, atol=1e-9)
