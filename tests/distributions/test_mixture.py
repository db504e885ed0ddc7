"""Mixtures of unlike families against the enumeration of all label sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from setwise.distributions import Mixture
from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import random_mixture
from tests.distributions.test_chain import random_chain
from tests.distributions.test_table import random_table


def random_unlike(seed, n_labels, n_rows=3):
    gate = log_softmax(np.random.default_rng(seed).normal(size=(n_rows, 3)), axis=1)
    parts = [
        random_table(seed, n_rows, n_labels),
        random_mixture(seed, n_rows=n_rows, n_labels=n_labels),
        random_chain(seed, n_labels, n_rows),
    ]
    return Mixture(gate, parts)


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(1, 4))
def test_equals_enumeration(check, seed, n_labels):
    """Red if any answer differs from the sum or maximum over all sets, or the merge proves a wrong set."""
    check(random_unlike(seed, n_labels), np.random.default_rng(0))


def test_a_search_that_stops_says_so(monkeypatch):
    monkeypatch.setattr("setwise.distributions.mixture.MAX_DEPTH", 1)
    mixture = random_unlike(0, 6, 40)
    short = mixture.mode()
    monkeypatch.undo()
    best = mixture.mode().log_prob
    assert not short.certified.all()
    assert (short.log_prob + short.gap >= best - 1e-9).all()


def test_a_sampled_entropy_is_within_its_error(monkeypatch):
    """Red if the mean over draws leaves six standard errors around the enumeration, or a bound excludes it."""
    mixture = random_unlike(0, 6, 20)
    truth = mixture.entropy().value
    monkeypatch.setattr("setwise.distributions.mixture.ENUMERATED_LABELS", 0)
    estimate = mixture.entropy()
    assert estimate.method == "sampled"
    assert (np.abs(estimate.value - truth) <= 6 * estimate.standard_error + 1e-9).all()
    assert (estimate.lower <= truth + 1e-9).all()
    assert (truth <= estimate.upper + 1e-9).all()


def test_the_gate_must_fit():
    with pytest.raises(ValueError, match="expected a weight for each of the 1 components"):
        Mixture(np.zeros((3, 2)), [random_table(0)])
