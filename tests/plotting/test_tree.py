import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, ConditionalTree, MixtureOfTrees
from setwise.plotting import TreeDisplay
from setwise.plotting.base.colours import BLUE, VERMILLION


@pytest.fixture(scope="module")
def rows():
    """Labels 0 and 1 agree in nine rows of ten, label 2 excludes 0; the features say nothing."""
    rng = np.random.default_rng(0)
    X, first = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    flips = rng.random((400, 2)) < 0.1
    return X, np.column_stack([first, first ^ flips[:, 0], (1 - first) ^ flips[:, 1]])


def test_the_strength_of_an_edge_is_the_log_odds_the_parent_adds(rows):
    """Closed form: P(child | parent on) = 0.9 and off = 0.1 differ by 2 log 9 = 4.4 in log-odds."""
    X, Y = rows
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    display = TreeDisplay.from_estimator(tree, X)
    linked = display.parents != -1
    assert linked.sum() == 2
    assert np.abs(display.strength[linked]) == pytest.approx([2 * np.log(9)] * 2, rel=0.25)
    positive = {
        frozenset((j, int(display.parents[j]))) for j in np.flatnonzero(linked & (display.strength > 0))
    }
    assert frozenset((0, 2)) not in positive


def test_without_rows_the_strength_is_the_held_out_gain(rows):
    X, Y = rows
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    display = TreeDisplay.from_estimator(make_pipeline(StandardScaler(), tree).fit(X, Y))
    child = int(np.flatnonzero(display.parents != -1)[0])
    assert display.strength[child] == pytest.approx(tree.gains_[tree.parents_[child], child], rel=0.05)


def test_components_of_a_mixture(rows):
    X, Y = rows
    mixture = MixtureOfTrees(2, l2=1.0, random_state=0).fit(X, Y)
    display = TreeDisplay.from_estimator(mixture, X, component=1)
    assert np.array_equal(display.parents, mixture.parents_[1])
    assert display.title == "Component 2 of 2"
    assert TreeDisplay.from_estimator(mixture).strength is None
    with pytest.raises(ValueError, match="component is 2; the model has 2"):
        TreeDisplay.from_estimator(mixture, X, component=2)


def test_what_has_no_tree_is_refused(rows):
    with pytest.raises(TypeError, match="BinaryRelevance has no tree"):
        TreeDisplay.from_estimator(BinaryRelevance(l2=1.0).fit(*rows))
    with pytest.raises(ValueError, match="cycle"):
        TreeDisplay([-1, 2, 1])
    with pytest.raises(ValueError, match="strength has shape"):
        TreeDisplay([-1, 0], [1.0])


def test_the_outline_keeps_children_below_their_parents():
    """Every label once, each after its parent and one level deeper."""
    rng = np.random.default_rng(1)
    parents = np.array([-1, *(int(rng.integers(-1, j)) for j in range(1, 60))])
    display = TreeDisplay(parents, rng.normal(size=60))
    place = np.argsort(display.order_)
    linked = parents != -1
    assert sorted(display.order_) == list(range(60))
    assert (place[linked] > place[parents[linked]]).all()
    assert (display.depth_[linked] == display.depth_[parents[linked]] + 1).all()


def test_edges_of_unknown_strength_neither_attract_nor_repel():
    """Red if an edge without a strength is drawn in the colour of one that attracts."""
    ax = TreeDisplay([-1, 0, 1]).plot().ax_
    assert BLUE not in {line.get_color() for line in ax.lines}
    ax = TreeDisplay([-1, 0, 1], [0.0, 1.0, -1.0]).plot().ax_
    assert {BLUE, VERMILLION} <= {line.get_color() for line in ax.lines}
