import numpy as np
import pytest
from scipy.stats import binomtest

from setwise import ConditionalTree
from setwise.plotting import SetReliabilityDisplay
from setwise.plotting.reliability import wilson_interval


def test_intervals_are_scipys():
    low, high = wilson_interval(np.array([0.3]), np.array([40]))
    theirs = binomtest(12, 40).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high))


def test_the_probability_is_that_of_the_predicted_set():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(80, 2)), rng.integers(0, 2, (80, 3))
    tree = ConditionalTree(l2=1.0, min_labels=0).fit(X, Y)
    display = SetReliabilityDisplay.from_estimator(tree, X, Y, n_bins=1)
    predicted = tree.predict(X)
    assert display.calibration.confidence == pytest.approx([np.exp(tree.log_prob(X, predicted)).mean()])
    assert display.calibration.accuracy == pytest.approx([(predicted == Y).all(axis=1).mean()])
    assert display.name == "ConditionalTree"
