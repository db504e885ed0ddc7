import numpy as np
import pytest

from setwise import ConditionalTree
from setwise.plotting import LabelCorrelationDisplay


@pytest.fixture(scope="module")
def fitted():
    """Labels 0 and 1 agree because of x, labels 2 and 3 although x says nothing of them."""
    rng = np.random.default_rng(0)
    X, free = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0.1, free, free ^ (rng.random(600) < 0.1)]).astype(int)
    return ConditionalTree(l2=0.1).fit(X, Y), X, Y


def test_features_explain_one_pair_and_not_the_other(fitted):
    model, X, Y = fitted
    display = LabelCorrelationDisplay.from_estimator(model, X, Y)
    assert display.overall == pytest.approx(np.corrcoef(Y, rowvar=False))
    assert display.overall[0, 1] > 0.8
    assert display.overall[2, 3] > 0.7
    assert display.given_x[2, 3] == pytest.approx(display.overall[2, 3], abs=0.05)
    assert abs(display.given_x[0, 2]) < 0.1


def test_given_one_row_it_is_the_correlation_of_that_distribution(fitted):
    """The oracle: correlation from the probabilities of all sixteen sets."""
    model, X, Y = fitted
    display = LabelCorrelationDisplay.from_estimator(model, X, Y, row=3)
    sets = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    p = np.exp(model.log_prob(np.repeat(X[3:4], 16, axis=0), sets))
    centred = sets - p @ sets
    covariance = (centred * p[:, None]).T @ centred
    scale = np.sqrt(np.diag(covariance))
    assert display.given_x == pytest.approx(covariance / np.outer(scale, scale), abs=1e-6)


def test_labels_that_never_vary_have_no_correlation(fitted):
    model, X, Y = fitted
    constant = Y.copy()
    constant[:, 0] = 1
    assert LabelCorrelationDisplay.from_estimator(model, X, constant).overall[0, 1] == 0.0
    with pytest.raises(ValueError, match="expected"):
        LabelCorrelationDisplay(np.eye(2), np.eye(3))
