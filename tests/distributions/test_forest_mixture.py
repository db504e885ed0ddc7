import numpy as np
import pytest
from hypothesis import given, settings

from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import mixtures


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=40, deadline=None)
@given(mixture=mixtures)
def test_equals_enumeration(check, mixture):
    """Red when any answer of the family differs from the sum or maximum over all label sets."""
    check(mixture, np.random.default_rng(0))
