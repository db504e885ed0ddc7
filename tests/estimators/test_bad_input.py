"""Bad input on every estimator: a clear error that names the place, or a finite result; never NaN."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import get_tags

from tests.estimators.registry import SAMPLED
from tests.estimators.test_face import data, every_estimator  # noqa: F401


def assert_sound(model, X):
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert ((p > 0) & (p < 1)).all()
    joint, sets = model.distribution(X), model.predict(X)
    log_prob = joint.pseudo_log_prob if type(model).__name__ in SAMPLED else joint.log_prob
    assert not np.isnan(log_prob(sets.reshape(len(sets), -1))).any()


@every_estimator
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X, Y: (np.where(np.arange(6) == 4, np.inf, X), Y), r"infinity: row 0, column 4"),
        (lambda X, Y: (pd.DataFrame(X, columns=list("abcdef")).assign(c=np.inf), Y), r"column 'c'"),
        (lambda X, Y: (X, Y + 1), r"row \d+, label '\d'"),
        (lambda X, Y: (X, pd.DataFrame(Y * 2, columns=["x", "y", "z"])), r"label '[xyz]'"),
        (lambda X, Y: (X, pd.DataFrame(Y, columns=["x", "y", "x"])), r"columns are named 'x'"),
        (lambda X, Y: (X[:-1], Y), r"239 rows but y has 240"),
        (lambda X, Y: (X, Y[:, :0]), r"label matrix"),
        (lambda X, Y: (X[:0], Y[:0]), r"0 sample"),
        (lambda X, Y: (X, Y[:, :, None]), r"label matrix"),
        (lambda X, Y: (X, None), r"requires y"),
        (lambda X, Y: (X, Y.sum(axis=1)), r"label matrix"),
        (lambda X, Y: (X, [[0, 2], [1]] * 120), r"inhomogeneous|label matrix"),
    ],
)
def test_errors_name_the_place(cls, data, spoil, message):  # noqa: F811
    with pytest.raises(ValueError, match=message):
        cls().fit(*spoil(*data))


@every_estimator
def test_nan_is_a_missing_value_or_an_error_that_names_it(cls, data):  # noqa: F811
    X, Y = data
    holes = np.where(np.arange(6) == 2, np.nan, X)
    if get_tags(cls()).input_tags.allow_nan:
        assert_sound(cls().fit(holes, Y), holes)
        return
    with pytest.raises(ValueError, match="NaN: row 0, column 2"):
        cls().fit(holes, Y)


@every_estimator
def test_weights_are_checked(cls, data):  # noqa: F811
    X, Y = data
    for weights, message in (
        (np.zeros(240), "at least one non-zero"),
        (-np.ones(240), "egative"),
        (np.ones(3), "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            cls().fit(X, Y, sample_weight=weights)


@every_estimator
def test_rows_of_weight_zero_do_not_count(cls, data):  # noqa: F811
    X, Y = data
    weights = (np.arange(240) % 3 > 0).astype(float)
    spoiled = Y.copy()
    spoiled[weights == 0] = 1 - spoiled[weights == 0]
    np.testing.assert_allclose(
        cls().fit(X, spoiled, sample_weight=weights).predict_proba(X),
        cls().fit(X[weights > 0], Y[weights > 0]).predict_proba(X),
        atol=1e-6,
    )


@every_estimator
@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(lambda X, Y: (X[:1], Y[:1]), id="one row"),
        pytest.param(lambda X, Y: (X[:3], Y[:3]), id="three rows"),
        pytest.param(lambda X, Y: (X, Y[:, :1]), id="one label"),
        pytest.param(lambda X, Y: (X, np.zeros_like(Y)), id="never on"),
        pytest.param(lambda X, Y: (X, np.ones_like(Y)), id="always on"),
        pytest.param(
            lambda X, Y: (X, np.column_stack([Y, 0 * Y[:, 0], 1 + 0 * Y[:, 0]])), id="constant labels"
        ),
        pytest.param(lambda X, Y: (X[:8], np.tile(Y[:8], (1, 7))), id="more labels than rows"),
        pytest.param(lambda X, Y: (X, Y[:, [0, 0, 0]]), id="equal labels"),
        pytest.param(lambda X, Y: (X, np.column_stack([Y[:, 0], 1 - Y[:, 0]])), id="exclusive labels"),
        pytest.param(lambda X, Y: (np.zeros_like(X), Y), id="constant features"),
        pytest.param(lambda X, Y: (X * 1e300, Y), id="huge features"),
        pytest.param(lambda X, Y: (X * 1e-300, Y), id="tiny features"),
        pytest.param(
            lambda X, Y: (np.repeat(X[:5], 20, axis=0), np.repeat(Y[:5], 20, axis=0)), id="copied rows"
        ),
        pytest.param(lambda X, Y: (X[:, :1], Y), id="one feature"),
        pytest.param(lambda X, Y: (X[:, [0] * 6], Y), id="equal features"),
    ],
)
def test_odd_data_give_finite_answers(cls, data, odd):  # noqa: F811
    X, Y = odd(*data)
    model = cls().fit(X, Y)
    assert_sound(model, X)
    assert_sound(model, X * -3.0)


@every_estimator
def test_wild_rows_at_prediction_are_answered(cls, data):  # noqa: F811
    X, Y = data
    assert_sound(cls().fit(X, Y), np.full((1, 6), 1e300) * [1, -1, 1, -1, 1, -1])


@every_estimator
def test_prediction_checks_the_features(cls, data):  # noqa: F811
    X, Y = data
    model = cls().fit(X, Y)
    with pytest.raises(ValueError, match="5 features"):
        model.predict(X[:, :5])
    with pytest.raises(ValueError, match="expected"):
        model.log_prob(X, Y[:, :2])
    with pytest.raises(ValueError, match="row 0, label"):
        model.log_prob(X, Y + 7)
