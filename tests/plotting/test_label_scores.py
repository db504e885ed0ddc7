import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score

from setwise import BinaryRelevance
from setwise.plotting import LabelErrorsDisplay, LabelScoresDisplay


def test_scores_are_scikit_learns_and_ordered():
    rng = np.random.default_rng(0)
    Y, P = rng.integers(0, 2, (2, 30, 5))
    display = LabelScoresDisplay.from_predictions(sp.csr_array(Y), P)
    assert display.f1 == pytest.approx(f1_score(Y, P, average=None))
    assert display.support.tolist() == Y.sum(axis=0).tolist()
    assert (np.diff(display.f1[display.order_]) <= 0).all()


def test_one_label_is_one_line():
    """scikit-learn would score both values of a single column."""
    display = LabelScoresDisplay.from_predictions([[1], [0], [1]], [[1], [1], [0]])
    assert display.f1 == pytest.approx([0.5])


def test_from_an_estimator():
    X = np.linspace(-1, 1, 40)[:, None]
    Y = np.hstack([X > 0, X < 0.5]).astype(int)
    model = BinaryRelevance(l2=0.01).fit(X, Y)
    assert LabelScoresDisplay.from_estimator(model, X, Y).f1 == pytest.approx([1.0, 1.0], abs=0.05)
    Y[0, 0] = 1
    display = LabelErrorsDisplay.from_estimator(model, X, Y, k=3)
    assert display.rows_[0] == 0
    assert display.suggested[0].tolist() == [0, 1]


def test_suspicious_rows_need_not_be_finite_or_positive():
    LabelErrorsDisplay([np.inf, -1.0, -3.0], np.zeros((3, 2)), np.ones((3, 2)), k=3).plot()
    with pytest.raises(ValueError, match="expected"):
        LabelErrorsDisplay([1.0], [[0, 1]], [[0]])
