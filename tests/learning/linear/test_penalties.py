"""Choosing penalties: by held-out loss, the same for the same rows."""

import numpy as np
import pytest

from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.penalties import choose_l2, held_out_loss


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30))
    strong = X @ rng.normal(size=(30, 1)) + rng.logistic(size=(300, 1)) > 0
    return X, np.hstack([strong, rng.random((300, 2)) < 0.4]).astype(float)


def test_labels_that_x_explains_get_the_weaker_penalty(data):
    X, Y = data
    choice = choose_l2(Design(X), LogisticProblems.of(Y), row_folds(X))
    assert choice.l2[0] < choice.l2[1:].min()


def test_chosen_penalties_are_near_the_best_of_a_grid(data):
    X, Y = data
    design, problems, fold = Design(X), LogisticProblems.of(Y), row_folds(X)
    choice = choose_l2(design, problems, fold)

    def held_out(l2):
        total = 0.0
        for f in range(3):
            train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            fit = fit_logistic(design.take(train), problems.take_rows(train).with_l2(l2))
            total += held_out_loss(design.take(test), problems.take_rows(test), fit.coef).sum()
        return total

    assert held_out(choice.l2) <= min(held_out(l2) for l2 in np.geomspace(0.1, 1e4, 11)) * 1.005
