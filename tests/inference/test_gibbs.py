import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.inference.networks.fixed_point import fixed_point
from setwise.inference.networks.gibbs import LinearConditionals, gibbs, pseudo_log_prob, r_hat, scan_orders
from setwise.inference.sets.enumeration import label_sets


def ising(seed, n_rows=2, n_labels=5, scale=0.4):
    """Consistent conditionals: those of P(y) proportional to exp(b's + s'Js / 2), s = 2y - 1; and that P."""
    rng = np.random.default_rng(seed)
    J = rng.normal(scale=scale, size=(n_labels, n_labels))
    J = np.triu(J, 1) + np.triu(J, 1).T
    b = rng.normal(scale=0.5, size=(n_rows, n_labels))
    s = 2.0 * label_sets(n_labels) - 1
    energy = b @ s.T + 0.5 * np.einsum("mi,ij,mj->m", s, J, s)
    P = np.exp(energy - energy.max(axis=1, keepdims=True))
    return LinearConditionals(2 * b, 2 * J), P / P.sum(axis=1, keepdims=True)


class Wrapped:
    """The same conditionals without saying that they are linear."""

    def __init__(self, inner):
        self.inner, self.n_rows, self.n_labels = inner, inner.n_rows, inner.n_labels

    def logits(self, label, state):
        return self.inner.logits(label, state)

    def take(self, rows):
        return Wrapped(self.inner.take(rows))


def free(n, L):
    return np.full((n, L), -1, np.int8)


@pytest.mark.parametrize("n_labels", [1, 3, 5, 8])
def test_samples_converge_to_the_joint_of_consistent_conditionals(n_labels):
    """Six standard errors of chains that are independent of each other, so autocorrelation is no excuse."""
    conditionals, P = ising(n_labels, n_labels=n_labels)
    chains, each = 400, 25
    order, streams = scan_orders(chains, n_labels, 0), np.arange(2, dtype=np.uint64)
    labels, _, probs = gibbs(conditionals, free(2, n_labels), streams, order, 50, each)
    sets = label_sets(n_labels)
    truth = P @ sets
    by_chain = labels.mean(axis=2)
    for estimate in (by_chain, probs):
        error = estimate.std(axis=1, ddof=1) / np.sqrt(chains)
        assert (np.abs(estimate.mean(axis=1) - truth) < 6 * error + 1e-12).all()
    assert (probs.var(axis=1) <= by_chain.var(axis=1)).all()
    codes = labels @ (1 << np.arange(n_labels)[::-1])
    for i in range(2):
        shares = np.stack([np.bincount(chain, minlength=2**n_labels) for chain in codes[i]]) / each
        error = np.sqrt(shares.var(axis=0, ddof=1) / chains) + 1 / (chains * each)
        assert (np.abs(shares.mean(axis=0) - P[i]) < 6 * error).all()


def test_any_conditionals_walk_like_linear_ones():
    conditionals, _ = ising(1, n_rows=3)
    arguments = free(3, 5), np.arange(3, dtype=np.uint64), scan_orders(2, 5, 0), 10, 30
    linear, general = gibbs(conditionals, *arguments), gibbs(Wrapped(conditionals), *arguments)
    assert (linear.labels == general.labels).all()
    assert_allclose(linear.scores, general.scores, rtol=1e-10)


def test_clamped_labels_never_move_and_the_rest_follows_them():
    conditionals, P = ising(2, n_rows=1, n_labels=4)
    evidence = np.array([[1, -1, -1, 0]], np.int8)
    labels = gibbs(conditionals, evidence, np.zeros(1, np.uint64), scan_orders(400, 4, 0), 30, 25).labels
    assert (labels[..., 0] == 1).all()
    assert (labels[..., 3] == 0).all()
    sets = label_sets(4)
    given = P[0] * (sets[:, 0] == 1) * (sets[:, 3] == 0)
    truth = given @ sets / given.sum()
    error = labels.mean(axis=2).std(axis=1, ddof=1)[0] / 20
    assert (np.abs(labels.mean(axis=(1, 2))[0] - truth) <= 6 * error).all()


def test_scores_are_products_of_conditionals():
    conditionals, _ = ising(3, n_rows=2)
    labels, scores, _ = gibbs(
        conditionals, free(2, 5), np.arange(2, dtype=np.uint64), scan_orders(2, 5, 0), 0, 3
    )
    for c in range(2):
        for t in range(3):
            assert_allclose(scores[:, c, t], pseudo_log_prob(conditionals, labels[:, c, t]), rtol=1e-10)
    p = 1 / (1 + np.exp(-np.stack([conditionals.logits(j, labels[:, 0, 0]) for j in range(5)], axis=1)))
    by_hand = np.log(np.where(labels[:, 0, 0] == 1, p, 1 - p)).sum(axis=1)
    assert_allclose(scores[:, 0, 0], by_hand, rtol=1e-10)


def test_r_hat_sees_chains_that_disagree():
    rng = np.random.default_rng(0)
    agree = (rng.random((1, 4, 500, 1)) < 0.3).astype(np.int8)
    assert r_hat(agree)[0, 0] < 1.02
    apart = np.concatenate([agree, (rng.random((1, 4, 500, 1)) < 0.9).astype(np.int8)], axis=1)
    assert r_hat(apart)[0, 0] > 1.2
    assert r_hat(np.ones((1, 3, 10, 1), np.int8))[0, 0] == 1
    stuck = np.ones((1, 2, 10, 1), np.int8)
    stuck[0, 0] = 0
    assert r_hat(stuck)[0, 0] == np.inf


class TestFixedPoint:
    def test_it_ends_where_no_label_wants_to_change(self):
        conditionals, _ = ising(4, n_rows=30, n_labels=6, scale=1.0)
        rng = np.random.default_rng(0)
        end = fixed_point(conditionals, free(30, 6), rng.integers(0, 2, (30, 6), np.int8), np.arange(6))
        assert (end.period == 1).all(), "symmetric couplings have an energy that falls with every change"
        for label in range(6):
            assert ((conditionals.logits(label, end.labels) > 0) == end.labels[:, label]).all()

    def test_cycles_are_found(self):
        """Label 1 copies label 0, which does the opposite of label 1: the sweeps alternate for ever."""
        chase = LinearConditionals(np.zeros((1, 2)), np.array([[0.0, 1.0], [-1.0, 0.0]]))
        end = fixed_point(chase, free(1, 2), np.zeros((1, 2), np.int8), np.array([0, 1]))
        assert end.period.tolist() == [2]
        assert end.labels[0, 0] == end.labels[0, 1]

    def test_it_stops_on_every_input(self):
        """Asymmetric random couplings, where cycles of any length occur."""
        rng = np.random.default_rng(1)
        for _ in range(20):
            couplings = rng.normal(scale=3, size=(12, 12))
            np.fill_diagonal(couplings, 0)
            wild = LinearConditionals(rng.normal(size=(20, 12)), couplings)
            end = fixed_point(wild, free(20, 12), rng.integers(0, 2, (20, 12), np.int8), rng.permutation(12))
            assert np.isfinite(end.scores).all()
            assert np.isin(end.labels, (0, 1)).all()

    def test_clamped_labels_stay(self):
        rng = np.random.default_rng(2)
        couplings = rng.normal(size=(5, 5)) * (1 - np.eye(5))
        evidence = rng.choice([-1, 0, 1], (40, 5)).astype(np.int8)
        network = LinearConditionals(rng.normal(size=(40, 5)), couplings)
        end = fixed_point(network, evidence, rng.integers(0, 2, (40, 5), np.int8), np.arange(5))
        assert (end.labels[evidence >= 0] == evidence[evidence >= 0]).all()
