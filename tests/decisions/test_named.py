"""A decision as a name, a rule or a function."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.decisions import FBeta
from tests.distributions.random_forests import random_mixture


def _everything(distribution):
    return np.ones((distribution.n_rows, distribution.n_labels))


def test_names_rules_and_functions():
    mixture = random_mixture(0, n_labels=4)
    assert_array_equal(mixture.decide("f1").labels, mixture.decide(FBeta()).labels)
    own = mixture.decide(_everything)
    assert own.labels.all()
    assert np.isnan(own.expected_loss).all()
    with pytest.raises(
        ValueError, match="decision is 'best'; expected one of 'subset', 'hamming', 'f1', 'jaccard'"
    ):
        mixture.decide("best")


@pytest.mark.parametrize("wrong", [FBeta, int])
def test_a_class_is_not_a_decision(wrong):
    """Red if the class is called with the distribution, which fails far from the mistake."""
    with pytest.raises(
        ValueError,
        match=rf"decision is the class {wrong.__name__}; expected an instance, such as {wrong.__name__}\(\)",
    ):
        random_mixture(0, n_labels=4).decide(wrong)


@pytest.mark.parametrize(
    "answer", [np.full((5, 4), 0.5), np.ones(4), np.full((5, 4), 7)], ids=["shares", "shape", "values"]
)
def test_own_decisions_give_label_sets(answer):
    """Red if the result of a function is truncated to integers or returned unchecked."""
    mixture = random_mixture(0, n_rows=5, n_labels=4)
    for door in (mixture.decide, mixture.predict):
        with pytest.raises(ValueError, match=r"the decision returned .* expected label sets \(5, 4\)"):
            door(lambda distribution: answer)
