"""Fixed points of dependency networks."""

import numpy as np

from setwise.inference.networks.fixed_point import fixed_point
from setwise.inference.networks.gibbs import LinearConditionals
from tests.inference.networks.ising import free, ising


def test_it_ends_where_every_label_agrees_with_its_classifier():
    """Red if a sweep stops early or a label is skipped."""
    conditionals, _ = ising(4, n_rows=30, n_labels=6, scale=1.0)
    rng = np.random.default_rng(0)
    end = fixed_point(conditionals, free(30, 6), rng.integers(0, 2, (30, 6), np.int8), np.arange(6))
    assert (end.period == 1).all(), "symmetric couplings have an energy that falls with every change"
    for label in range(6):
        assert ((conditionals.logits(label, end.labels) > 0) == end.labels[:, label]).all()


def test_cycles_are_found():
    """Red if a cycle runs to the last sweep: label 1 copies label 0, which takes the opposite of label 1."""
    chase = LinearConditionals(np.zeros((1, 2)), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    end = fixed_point(chase, free(1, 2), np.zeros((1, 2), np.int8), np.array([0, 1]))
    assert end.period.tolist() == [2]
    assert end.labels[0, 0] == end.labels[0, 1]


def test_it_stops_on_every_input():
    """Red if asymmetric couplings, with cycles of any length, leave a row without an answer."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        couplings = rng.normal(scale=3, size=(12, 12))
        np.fill_diagonal(couplings, 0)
        wild = LinearConditionals(rng.normal(size=(20, 12)), couplings)
        end = fixed_point(wild, free(20, 12), rng.integers(0, 2, (20, 12), np.int8), rng.permutation(12))
        assert np.isfinite(end.scores).all()
        assert np.isin(end.labels, (0, 1)).all()


def test_clamped_labels_stay():
    """Red if evidence is overwritten."""
    rng = np.random.default_rng(2)
    couplings = rng.normal(size=(5, 5)) * (1 - np.eye(5))
    evidence = rng.choice([-1, 0, 1], (40, 5)).astype(np.int8)
    network = LinearConditionals(rng.normal(size=(40, 5)), couplings)
    end = fixed_point(network, evidence, rng.integers(0, 2, (40, 5), np.int8), np.arange(5))
    assert (end.labels[evidence >= 0] == evidence[evidence >= 0]).all()
