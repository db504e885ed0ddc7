"""Mixtures of chains: one chain is the chain, the bound of EM never falls, and known mixtures are found."""

import numpy as np
import pytest

import setwise
from setwise.learning.linear.design import Design
from setwise.learning.mixtures.growing.chain_growth import ChainSettings, grow_chains
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor


def data(seed=0, n=240):
    rng = np.random.default_rng(seed)
    X, first = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    second = np.where(rng.random(n) < 0.5, first, 1 - first)
    third = first ^ second ^ (X[:, 0] > 0)
    return X, np.column_stack([first, second, third]).astype(np.int8)


def grown(gate_l2=None, n_components=3):
    X, Y = data()
    settings = ChainSettings(n_components, gate_l2, 1.0, 40, 0)
    return grow_chains(TrainingRows.of(X, Y), Design(X, Y), settings, Monitor())


@pytest.mark.parametrize("gate_l2", [None, 5.0])
def test_the_bound_never_falls(gate_l2):
    """Red if the weights, the masks or the penalty of an M-step differ from those of the bound."""
    bounds = [row["bound"] for row in grown(gate_l2).result.trace]
    assert len(bounds) > 2
    assert (np.diff(bounds) > -1e-6 * abs(bounds[0])).all()


def test_one_chain_is_a_classifier_chain():
    X, Y = data()
    one = setwise.MixtureOfChains(1, l2=1.0, random_state=0, max_iter=200).fit(X, Y)
    chain = setwise.ClassifierChain(order=one.orders_[0], l2=1.0).fit(X, Y)
    np.testing.assert_allclose(one.log_prob(X, Y), chain.log_prob(X, Y), atol=0.02)


def test_the_joint_is_the_weighted_sum_of_its_chains():
    X, Y = data()
    model = setwise.MixtureOfChains(3, gate="softmax", gate_l2=1.0, l2=1.0, random_state=0).fit(X, Y)
    joint = model.distribution(X[:9])
    parts = [np.exp(joint.log_gate[:, k] + c.log_prob(Y[:9])) for k, c in enumerate(joint.components)]
    np.testing.assert_allclose(np.exp(model.log_prob(X[:9], Y[:9])), np.sum(parts, axis=0))
    assert [row["components"] for row in model.growth_] == [1, 2, 3]


def test_two_kinds_of_rows_need_two_chains():
    """Labels that agree in half of the rows and differ in the others, as the features tell only the gate."""
    rng = np.random.default_rng(1)
    X, first = rng.normal(size=(600, 1)), rng.integers(0, 2, 600)
    Y = np.column_stack([first, first ^ (X[:, 0] > 0)])
    one, two = (
        setwise.MixtureOfChains(K, gate="softmax", gate_l2=0.1, l2=1.0, random_state=0).fit(X, Y)
        for K in (1, 2)
    )
    assert -two.log_prob(X, Y).mean() < 0.85 * -one.log_prob(X, Y).mean()
