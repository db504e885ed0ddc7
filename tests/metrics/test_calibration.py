import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from setwise.metrics import set_calibration


def test_worked_by_hand():
    result = set_calibration([0.1, 0.3, 0.9, 0.7], [False, True, True, True], n_bins=2)
    assert result.confidence == pytest.approx([0.2, 0.8])
    assert result.accuracy == pytest.approx([0.5, 1.0])
    assert result.n_rows.tolist() == [2, 2]
    assert result.error == pytest.approx((0.3 + 0.2) / 2)
    assert result.brier == pytest.approx((0.1**2 + 0.7**2 + 0.1**2 + 0.3**2) / 4)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_curve_is_scikit_learns(strategy):
    rng = np.random.default_rng(1)
    probability = rng.beta(2, 3, 500)
    correct = rng.random(500) < probability**1.5
    result = set_calibration(probability, correct, n_bins=8, strategy=strategy)
    accuracy, confidence = calibration_curve(correct, probability, n_bins=8, strategy=strategy)
    np.testing.assert_allclose(result.accuracy, accuracy)
    np.testing.assert_allclose(result.confidence, confidence)


def test_a_calibrated_model_has_a_small_error():
    """Red if the error does not shrink with the sampling noise of calibrated answers."""
    rng = np.random.default_rng(2)
    probability = rng.random(200_000)
    assert set_calibration(probability, rng.random(200_000) < probability).error < 0.01


def test_all_right_or_all_wrong():
    assert set_calibration([1.0, 1.0], [True, True]).error == 0.0
    assert set_calibration([1.0, 1.0], [False, False]).brier == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.5], [True]), r"probability\[0\] is 1.5"),
        (([np.nan], [True]), r"probability\[0\] is nan"),
        (([0.5], [True, False]), "shape"),
        (([], []), "shape"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        set_calibration(*arguments)


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="n_bins"):
        set_calibration([0.5], [True], n_bins=0)
    with pytest.raises(ValueError, match="strategy"):
        set_calibration([0.5], [True], strategy="even")
