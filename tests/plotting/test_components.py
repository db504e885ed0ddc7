import numpy as np
import pytest

from setwise import BinaryRelevance, ConditionalBernoulliMixture
from setwise.plotting import ComponentCurveDisplay, ComponentsDisplay, EMTraceDisplay


@pytest.fixture(scope="module")
def mixture():
    rng = np.random.default_rng(0)
    X, first = rng.normal(size=(150, 2)), rng.integers(0, 2, 150)
    Y = np.column_stack([first, 1 - first, X[:, 0] > 0])
    return ConditionalBernoulliMixture(3, l2=1.0, gate_l2=1.0, tuning=False, random_state=0).fit(X, Y), X


def test_the_row_asked_for_is_shown(mixture):
    model, X = mixture
    display = ComponentsDisplay.from_estimator(model, X, row=-1)
    inside = model.components(X)
    # One row and many are multiplied by different BLAS routines: equal but for rounding.
    np.testing.assert_allclose(display.gate, inside.gate[-1], rtol=1e-12)
    np.testing.assert_allclose(display.marginals, inside.marginals[-1], rtol=1e-12)
    assert (np.diff(display.gate[display.components_]) <= 0).all()
    with pytest.raises(IndexError, match="row is 150; X has 150 rows"):
        ComponentsDisplay.from_estimator(model, X, row=150)


def test_what_is_left_out_is_said():
    display = ComponentsDisplay(
        np.full(10, 0.1), np.full((10, 50), 0.5), max_components=4, max_labels=7
    ).plot()
    title = display.ax_.get_title(loc="left")
    assert "4 of 10 components, 40% of the weight" in title
    assert "the 7 most probable of 50 labels" in title


def test_methods_without_components_are_refused(mixture):
    _, X = mixture
    with pytest.raises(TypeError, match="BinaryRelevance has no components"):
        ComponentsDisplay.from_estimator(BinaryRelevance(l2=1.0).fit(X, X > 0), X)
    with pytest.raises(ValueError, match="expected"):
        ComponentsDisplay([0.5, 0.5], [[0.1]])


def test_the_trace_is_the_models(mixture):
    model, X = mixture
    display = EMTraceDisplay.from_estimator(model)
    assert display.bound.tolist() == [row["bound"] for row in model.trace_]
    with pytest.raises(TypeError, match="not fitted by EM"):
        EMTraceDisplay.from_estimator(BinaryRelevance(l2=1.0).fit(X, X > 0))


def test_dead_components_are_marked_and_a_long_start_is_left_below():
    display = EMTraceDisplay([-900.0, -100.0, -99.0, -98.0], [5, 5, 4, 4]).plot()
    assert display.lost.tolist() == [2]
    assert display.ax_.get_ylim()[0] > -900


def test_the_curve_of_a_mixture_that_chose(mixture):
    model, _ = mixture
    with pytest.raises(TypeError, match="did not try several numbers of components"):
        ComponentCurveDisplay.from_estimator(model)
    model.tuning_ = [{"n_components": k, "held_out": -float(k)} for k in (1, 3, 6)]
    display = ComponentCurveDisplay.from_estimator(model)
    assert display.components.tolist() == [1, 3, 6]
    assert display.chosen == model.n_components_
    model.mixture_sizes_ = np.array([1, 3, 3])  # a mean of mixtures chose the number of one of them
    assert ComponentCurveDisplay.from_estimator(model).chosen == 3
    with pytest.raises(ValueError, match="at least one"):
        ComponentCurveDisplay([], [])
