"""Growing mixtures of trees: when growth ends, and which penalties the trees have then."""

import numpy as np
import pytest

from setwise import MixtureOfTreeExperts, MixtureOfTrees
from setwise.learning.growth import PATIENCE


def two_regimes(rows=300, seed=0):
    """Labels that follow x in half of the rows and oppose it in the others: no single tree fits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    sign = rng.choice([-1, 1], rows)
    Y = (sign[:, None] * X + 0.3 * rng.normal(size=(rows, 3)) > 0).astype(int)
    return X, Y


def test_growth_ends_after_patience_and_keeps_the_best():
    """Red where growth stops at the first fall, never stops, or keeps the last mixture."""
    X, Y = two_regimes()
    model = MixtureOfTrees().fit(X, Y)
    held_out = [row["held_out"] for row in model.growth_]
    best = int(np.argmax(held_out))
    assert best > 0
    assert len(held_out) == best + 1 + PATIENCE
    assert model.n_components_ <= best + 1


def test_penalties_fall_only_while_held_out_rows_gain():
    """Red where a penalty rises along growth."""
    X, Y = two_regimes()
    freedom = [row["freedom"] for row in MixtureOfTrees().fit(X, Y).growth_]
    assert freedom[0] == 1.0
    assert np.all(np.diff(freedom) <= 0)


@pytest.mark.parametrize("model", [MixtureOfTrees(3, l2=2.0), MixtureOfTreeExperts(3)], ids=["given", "gate"])
def test_given_penalties_and_those_under_a_gate_stay(model):
    """Red where a penalty that the user gave is changed."""
    X, Y = two_regimes()
    assert {row["freedom"] for row in model.fit(X, Y).growth_} == {1.0}
