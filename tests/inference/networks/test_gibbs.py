import numpy as np
import pytest
from numpy.testing import assert_allclose

from setwise.inference.networks.gibbs import gibbs, pseudo_log_prob, r_hat, scan_orders
from setwise.inference.sets.enumeration import label_sets
from tests.inference.networks.ising import free, ising


class Wrapped:
    """The same conditionals without saying that they are linear."""

    def __init__(self, inner):
        self.inner, self.n_rows, self.n_labels = inner, inner.n_rows, inner.n_labels

    def logits(self, label, state):
        return self.inner.logits(label, state)

    def take(self, rows):
        return Wrapped(self.inner.take(rows))


@pytest.mark.parametrize("n_labels", [1, 3, 5, 8])
def test_samples_converge_to_the_joint_of_consistent_conditionals(n_labels):
    """Six standard errors of independent chains, so autocorrelation plays no role."""
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
