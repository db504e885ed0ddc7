"""Costs label by label, for all labels or for some by name."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from setwise.decisions import Abstain, Constrained, Costs
from setwise.distributions import Chain
from setwise.inference.chains.conditionals import Linear
from tests.distributions.random_forests import random_mixture


def named(distribution):
    distribution.label_names = np.array([f"l{j}" for j in range(distribution.n_labels)], dtype=object)
    return distribution


def sampled_chain():
    """Twelve labels: expected costs are stated from draws, by ``Costs.loss``."""
    rng = np.random.default_rng(0)
    return Chain(Linear(rng.normal(-1, 1, size=(4, 12)), np.triu(rng.normal(size=(12, 12)), 1)))


@pytest.mark.parametrize(
    "distribution", [random_mixture(0, n_labels=4), sampled_chain()], ids=["exact", "sampled"]
)
@pytest.mark.parametrize(
    "wrap", [lambda c: c, lambda c: Constrained(c, max_labels=3), lambda c: Abstain(-9.0, c)]
)
def test_costs_of_some_labels_by_name(distribution, wrap):
    """Red if a name means another label, or labels that are not named do not have the default cost."""
    joint, L = named(distribution), distribution.n_labels
    missed = np.ones(L)
    missed[[2, 0]] = 10.0, 0.5
    whole = joint.decide(wrap(Costs(false_negative=missed)))
    for some in ({"l2": 10, "l0": 0.5}, {2: 10, "l0": 0.5}, {0: 0.5, 2: 10}):
        part = joint.decide(wrap(Costs(false_negative=some)))
        assert_array_equal(part.labels, whole.labels)
        assert_array_equal(part.expected_loss, whole.expected_loss)
    gain = joint.decide(wrap(Costs(true_positive={"l1": -3.0})))
    assert_array_equal(
        gain.labels, joint.decide(wrap(Costs(true_positive=-3.0 * (np.arange(L) == 1)))).labels
    )


def test_wrong_costs_are_errors():
    mixture = named(random_mixture(0, n_labels=4))
    with pytest.raises(ValueError, match=r"false_positive is .* one for each of the 4 labels"):
        mixture.decide(Costs(false_positive=[1.0, 2.0]))
    with pytest.raises(ValueError, match="no label is named 'fog'; the labels are 'l0', 'l1'"):
        mixture.decide(Costs(false_negative={"fog": 2.0}))
    with pytest.raises(ValueError, match=r"false_negative is .*expected a finite number"):
        mixture.decide(Costs(false_negative={"l0": np.nan}))


def test_a_series_gives_costs_by_name():
    """Red if the values of a Series are taken in their order and not by its index."""
    mixture = named(random_mixture(1, n_labels=3))
    series = pd.Series({"l2": 9.0, "l0": 1.0, "l1": 4.0})
    expected = mixture.decide(Costs(false_negative=[1.0, 4.0, 9.0]))
    assert_array_equal(mixture.decide(Costs(false_negative=series)).labels, expected.labels)
    assert_array_equal(mixture.decide(Costs(false_negative=series)).expected_loss, expected.expected_loss)
