"""The most probable of some draws."""

import numpy as np
from numpy.testing import assert_allclose

from setwise.inference.sets.best_draw import best_draw

DRAWS = np.array([[[0, 0], [1, 0], [1, 1]], [[0, 0], [0, 0], [0, 0]]], np.int8)
LOG_P = np.log([[0.6, 0.3, 0.1], [0.2, 0.2, 0.2]])


def test_a_set_with_most_of_the_probability_is_certified():
    """Red if a set of more than half of the probability has a gap, or a smaller one is called certain."""
    best = best_draw(DRAWS, LOG_P)
    assert best.labels.tolist() == [[0, 0], [0, 0]]
    assert best.certified.tolist() == [True, False]
    assert_allclose(best.gap, [0.0, np.log(0.8 / 0.2)])


def test_draws_with_too_few_labels_do_not_count():
    """Red if the answer has fewer labels than asked for, or a row without any draw left has one."""
    best = best_draw(DRAWS, LOG_P, min_labels=1)
    assert best.labels.tolist() == [[1, 0], [-1, -1]]
    assert_allclose(best.log_prob, [np.log(0.3), -np.inf])
