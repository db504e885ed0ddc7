"""L1-regularized pseudo-likelihood: its optimality conditions, and the structure of a known field."""

import numpy as np
from scipy.special import expit

from setwise.inference.sets.enumeration import label_sets
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.design import Design
from setwise.learning.structure.sparse_pairs import sparse_field, sparse_pairs


def known_field(n=1500):
    """Four labels, of which 0 - 1 and 2 - 3 are coupled."""
    rng = np.random.default_rng(0)
    X, sets = rng.normal(size=(n, 2)), label_sets(4)
    unary = X @ np.array([[1.0, 0.0, -1.0, 0.5], [0.0, 1.0, 0.5, -1.0]]) - 1.0
    log_p = unary @ sets.T + 2.5 * sets[:, 0] * sets[:, 1] + 2.5 * sets[:, 2] * sets[:, 3]
    draws = (log_p + rng.gumbel(size=log_p.shape)).argmax(axis=1)
    return X, sets[draws]


def test_the_structure_of_a_known_field_is_found():
    X, Y = known_field()
    pairs = sparse_pairs(Design(X), Y, np.ones(len(Y)), 0.05, 1.0, None)
    assert pairs.tolist() == [[0, 1], [2, 3]]
    chosen = sparse_pairs(Design(X), Y, np.ones(len(Y)), "auto", 1.0, row_folds(X))
    assert {(0, 1), (2, 3)} <= set(map(tuple, chosen.tolist()))


def test_it_is_optimal():
    """Red if the gradient or the shrinkage is wrong: subgradients must vanish."""
    X, Y = known_field(300)
    design, l1, l2 = Design(X), 0.03, 1.0
    coef, J = sparse_field(design, Y, np.ones(300), l1, l2)
    signs = 2.0 * Y - 1
    residual = expit(design.scores(coef) + signs @ J) - Y
    gradient = design.gradient(residual)
    gradient[: design.intercept] += l2 * coef[: design.intercept]
    np.testing.assert_allclose(gradient, 0.0, atol=0.05)
    of_pairs = signs.T @ residual + residual.T @ signs
    for i, j in zip(*np.triu_indices(4, 1)):
        if J[i, j]:
            assert abs(of_pairs[i, j] + 300 * l1 * np.sign(J[i, j])) < 0.1
        else:
            assert abs(of_pairs[i, j]) <= 300 * l1 + 0.1
    np.testing.assert_allclose(J, J.T)
