"""Displays that compare methods: critical differences, learning curves, scores."""

import numpy as np
import pytest

from setwise import BinaryRelevance
from setwise.plotting import CriticalDifferenceDisplay, LearningCurveDisplay, MethodScoresDisplay


def test_bars_join_what_does_not_differ():
    """Red if the bars are not those of the test: as many thick lines as groups."""
    rng = np.random.default_rng(0)
    scores = rng.random((10, 6)) + np.linspace(0, 1.5, 6)
    display = CriticalDifferenceDisplay.from_scores(scores, list("abcdef"))
    thick = [line for line in display.ax_.lines if line.get_linewidth() == 4]
    assert len(thick) == len(display.test.groups()) > 0
    shown = " ".join(text.get_text() for text in display.ax_.texts)
    assert all(f"{rank:.2f}" in shown for rank in display.test.ranks)
    with pytest.raises(ValueError, match="2 names for 6 methods"):
        CriticalDifferenceDisplay(display.test, ["a", "b"])


def test_losses_rank_the_other_way():
    scores = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
    assert CriticalDifferenceDisplay.from_scores(scores, list("abc")).test.ranks.tolist() == [3, 2, 1]
    losses = CriticalDifferenceDisplay.from_scores(scores, list("abc"), greater_is_better=False)
    assert losses.test.ranks.tolist() == [1, 2, 3]


def test_learning_curves_of_several_methods():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    methods = {"weak": BinaryRelevance(l2=100.0), "strong": BinaryRelevance(l2=0.1)}
    display = LearningCurveDisplay.from_estimator(methods, X, (X > 0).astype(int), train_sizes=[0.5, 1.0])
    assert display.n_rows.tolist() == [30, 60]
    assert display.scores["strong"].shape == (2, 3)
    assert display.scores["strong"].mean() > display.scores["weak"].mean()
    with pytest.raises(ValueError, match="'a' has scores of 1 sizes; there are 2"):
        LearningCurveDisplay([1, 2], {"a": [[0.1]]})


def test_scores_without_errors_or_printed_values():
    display = MethodScoresDisplay(["a", "b", "c"], [0.1, np.nan, np.inf]).plot()
    assert display.ax_.get_legend() is None
    assert [text.get_text() for text in display.ax_.texts] == ["∞"]
    assert MethodScoresDisplay(["a"], [0.1], printed=[0.2]).plot().ax_.get_legend() is not None
    with pytest.raises(ValueError, match="2 names for 1 methods"):
        MethodScoresDisplay(["a", "b"], [0.1])
