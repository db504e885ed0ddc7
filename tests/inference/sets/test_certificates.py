"""Certificates of answers."""

import numpy as np
from numpy.testing import assert_allclose

from setwise.inference.sets.certificates import certify, upper_bound


def test_the_bound_comes_back_from_an_answer():
    """Red if gap and bound do not belong together, or an endless gap bounds less than certainty."""
    log_p = np.array([[-1.0, -2.0], [-1.0, -3.0], [-1.0, -np.inf]])
    bound = np.array([-2.5, -1.5, -0.5])
    answer = certify(np.zeros((3, 2, 4), np.int8), log_p, bound)
    assert answer.certified.tolist() == [True, False, False]
    assert_allclose(answer.gap, [0.0, 1.5, np.inf])
    assert_allclose(upper_bound(answer), [-2.0, -1.5, 0.0])
