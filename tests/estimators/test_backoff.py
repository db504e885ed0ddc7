"""The shared back-off: every label set has a finite probability, unless the plain method is asked for."""

import numpy as np
import pytest

from setwise import LabelPowerset, PairwiseCRF, RAkEL
from setwise.inference.sets.enumeration import all_log_probs

MODELS = {
    "LabelPowerset": LabelPowerset,
    "PairwiseCRF": PairwiseCRF,
    "RAkEL": lambda **more: RAkEL(random_state=0, **more),
    "RAkEL, disjoint": lambda **more: RAkEL(kind="disjoint", group_size=2, random_state=0, **more),
}
by_name = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())


@pytest.fixture(scope="module")
def rows():
    """The third label copies the first, so that half of the sets never occur."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    first, second = X.T + rng.normal(size=(2, 120)) > 0
    return X, np.column_stack([first, second, first, first & second]).astype(int)


@by_name
def test_every_set_has_a_finite_probability(make, rows):
    """Red if an unseen set is impossible: the joint log-loss of new rows would be infinite."""
    X, Y = rows
    model = make(l2=1.0).fit(X, Y)
    log_probs = all_log_probs(model.distribution(X[:10]))
    assert np.isfinite(log_probs).all()
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1.0)
    assert 0 < model.backoff_ < 0.1
    assert model.distribution(X[:10]).mode().certified.all()


@by_name
def test_without_backoff_it_is_the_plain_method(make, rows):
    """Red if the share changes more than it says: the plain joint has all but ``backoff_`` of the probability."""
    X, Y = rows
    plain, backed = (make(l2=1.0, **more).fit(X, Y) for more in ({"backoff": 0}, {"backoff": 0.25}))
    assert plain.backoff_ == 0.0
    p, q = (np.exp(all_log_probs(model.distribution(X[:10]))) for model in (plain, backed))
    rest = (q - 0.75 * p) / 0.25
    assert (rest > -1e-9).all()
    np.testing.assert_allclose(rest.sum(axis=1), 1.0)
