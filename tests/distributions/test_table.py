import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import log_softmax

from setwise.distributions import Table
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import random_mixture


def random_table(seed, n_rows=3, n_labels=4):
    rng = np.random.default_rng(seed)
    sets = rng.permutation(label_sets(n_labels))[: rng.integers(1, 2**n_labels + 1)]
    scores = rng.normal(scale=2, size=(n_rows, len(sets)))
    scores[:, 1:][rng.random((n_rows, len(sets) - 1)) < 0.3] = -np.inf
    return Table(sets, log_softmax(scores, axis=1))


tables = st.builds(
    random_table, seed=st.integers(0, 2**32 - 1), n_rows=st.integers(1, 4), n_labels=st.integers(1, 6)
)


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=30, deadline=None)
@given(table=tables)
def test_equals_enumeration(check, table):
    """Red if any answer of the family differs from the sum or maximum over all label sets."""
    check(table, np.random.default_rng(0))


def test_a_table_of_all_sets_answers_like_the_mixture_it_was_made_from():
    mixture = random_mixture(0, n_labels=5)
    table = Table(label_sets(5), all_log_probs(mixture))
    assert_allclose(table.marginals(), mixture.marginals(), atol=1e-12)
    assert_allclose(table.pairwise_marginals(), mixture.pairwise_marginals(), atol=1e-12)
    assert_allclose(table.size_probs(), mixture.size_probs(), atol=1e-12)
    assert_allclose(table.top_k(9).log_prob, mixture.top_k(9).log_prob, rtol=1e-12)
    assert_allclose(table.entropy().value, mixture.entropy().value, rtol=1e-12)


def test_repr():
    assert repr(random_table(0)).startswith("Table(n_rows=3, n_sets=")


class TestErrors:
    def test_sets_twice(self):
        with pytest.raises(ValueError, match=r"sets\[0\] occurs more than once"):
            Table([[0, 1], [1, 1], [0, 1]], np.log([[0.2, 0.3, 0.5]]))

    @pytest.mark.parametrize("value", [2, -1])
    def test_values(self, value):
        with pytest.raises(ValueError, match=rf"\[1, 0\] is .*{value}"):
            Table([[0, 1], [value, 1]], np.log([[0.5, 0.5]]))

    def test_shapes(self):
        with pytest.raises(ValueError, match="sets has shape"):
            Table([0, 1], [[0.0]])
        with pytest.raises(ValueError, match=r"expected \(rows, 2\)"):
            Table([[0, 1], [1, 1]], np.zeros((3, 1)))

    @pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 0.0], [-np.inf, -np.inf]])
    def test_sums(self, bad):
        with pytest.raises(ValueError, match=r"log_probs\[0\] sum to"):
            Table([[0, 1], [1, 1]], [bad])
