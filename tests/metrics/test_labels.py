import numpy as np
import pytest
from sklearn import metrics as sk

from setwise import metrics


def test_micro_and_macro_are_scikit_learns():
    rng = np.random.default_rng(0)
    Y, P = rng.integers(0, 2, (2, 30, 5))
    assert metrics.micro_f1(Y, P) == sk.f1_score(Y, P, average="micro")
    assert metrics.macro_f1(Y, P) == sk.f1_score(Y, P, average="macro")


def test_the_papers_macro_f1_worked_by_hand():
    # label 0: precision 1, recall 1/2; label 1: precision 1/2, recall 1; their F1 are 2/3, the means 3/4
    Y, P = [[1, 0], [1, 0], [0, 1]], [[1, 1], [0, 0], [0, 1]]
    assert metrics.macro_f1(Y, P) == pytest.approx(2 / 3)
    assert metrics.macro_f1_of_means(Y, P) == pytest.approx(3 / 4)


def test_labels_never_on_and_never_predicted_count_as_zero_without_warnings():
    Y = np.array([[1, 0], [0, 0]])
    assert metrics.macro_f1(Y, Y) == 0.5
    assert metrics.micro_f1(np.zeros_like(Y), np.zeros_like(Y)) == 0.0


def test_the_papers_macro_f1_counts_undefined_as_one():
    """Red if 0/0 is counted as 0: the yeast column of the papers' tables would then be missed by 0.1.

    Label 0 is there but never predicted: precision 0/0, recall 0. Label 1 is predicted but never there:
    precision 0, recall 0/0. Label 2 is right: 1 and 1. Both means are 2/3.
    """
    Y, P = np.array([[1, 0, 1], [1, 0, 0]]), np.array([[0, 1, 1], [0, 0, 0]])
    assert metrics.macro_f1_of_means(Y, P) == pytest.approx(2 / 3)
    assert metrics.macro_f1(Y, P) == pytest.approx(1 / 3)
