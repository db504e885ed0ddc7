"""Mean fields: a fixed point that lowers the divergence, exact without couplings."""

import numpy as np
from scipy.special import expit, log_softmax

from setwise.inference.networks.mean_field import mean_field
from setwise.inference.sets.enumeration import label_sets


def field(seed, L=4, n=6):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(L, L))
    return rng.normal(size=(n, L)), 0.5 * (J + J.T)


def divergence(logits, unary, J):
    """KL(q || p) of each row, by enumeration."""
    sets = label_sets(unary.shape[1])
    pairs = 0.5 * np.einsum("sl,lm,sm->s", sets, J - np.diag(np.diag(J)), sets)
    log_p = log_softmax(unary @ sets.T + pairs, axis=1)
    log_q = logits @ sets.T - np.logaddexp(0, logits).sum(axis=1, keepdims=True)
    return (np.exp(log_q) * (log_q - log_p)).sum(axis=1)


def test_without_couplings_it_is_exact():
    unary, J = field(0)
    np.testing.assert_allclose(mean_field(unary, np.diag(np.diag(J))), unary)


def test_it_is_a_fixed_point_no_worse_than_its_start():
    for seed in range(5):
        unary, J = field(seed)
        logits = mean_field(unary, J)
        off = J - np.diag(np.diag(J))
        np.testing.assert_allclose(logits, unary + expit(logits) @ off, atol=1e-4)
        assert (divergence(logits, unary, J) <= divergence(unary, unary, J) + 1e-9).all()


def test_rows_do_not_depend_on_each_other():
    unary, J = field(3)
    np.testing.assert_array_equal(mean_field(unary, 2 * J)[1:2], mean_field(unary[1:2], 2 * J))
