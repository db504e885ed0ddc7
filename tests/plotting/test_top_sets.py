import numpy as np

from setwise import ConditionalTree
from setwise.plotting import TopSetsDisplay


def test_the_sets_of_a_row():
    """All eight sets of three labels: nothing is left for the others, and their order is the model's."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(80, 2)), rng.integers(0, 2, (80, 3))
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    display = TopSetsDisplay.from_estimator(tree, X, row=5, k=8)
    best = tree.distribution(X[5:6]).top_k(8)
    assert np.array_equal(display.sets, best.labels[0])
    assert abs(display.rest_) < 1e-9


def test_absent_sets_are_left_out_and_the_true_one_is_marked():
    display = TopSetsDisplay(
        [[1, 0], [0, 1], [-1, -1]], [np.log(0.7), np.log(0.2), -np.inf], truth=[0, 1]
    ).plot()
    assert len(display.sets) == 2
    colours = [bar.get_facecolor() for bar in display.ax_.patches]
    assert colours[0] != colours[1]
    assert "orange: the true one" in display.ax_.get_title(loc="left")
    unfound = TopSetsDisplay([[1, 0]], [np.log(0.7)], ["a", "b"], truth=[1, 1]).plot()
    assert unfound.ax_.get_title(loc="left").endswith("not among them the true one:\na, b")
