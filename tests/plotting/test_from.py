"""Every ``from_...`` method draws at once, as scikit-learn's displays do."""

import inspect

import numpy as np
import pytest
from matplotlib import pyplot

from setwise import BinaryRelevance, ConditionalBernoulliMixture, ConditionalTree, MixtureOfTrees, plotting
from setwise.reports import report_evaluation, report_model


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    return X, np.column_stack([X[:, 0] > 0, X[:, 0] > 0, X[:, 1] > 0]).astype(int)


@pytest.fixture(scope="module")
def calls(rows):
    """The arguments of every ``from_...`` method, by class and method."""
    X, Y = rows
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    mixture = ConditionalBernoulliMixture(
        2, l2=1.0, gate_l2=1.0, tuning=False, max_iter=2, random_state=0
    ).fit(X, Y)
    grown = MixtureOfTrees(l2=1.0, random_state=0).fit(X, Y)
    scores = np.random.default_rng(0).random((5, 3))
    return {
        ("ComponentCurveDisplay", "from_estimator"): (grown,),
        ("ComponentsDisplay", "from_estimator"): (mixture, X),
        ("CriticalDifferenceDisplay", "from_scores"): (scores, list("abc")),
        ("EMTraceDisplay", "from_estimator"): (mixture,),
        ("EMTraceDisplay", "from_trace"): (mixture.trace_,),
        ("LabelCorrelationDisplay", "from_estimator"): (tree, X, Y),
        ("LabelErrorsDisplay", "from_estimator"): (tree, X, Y),
        ("LabelScoresDisplay", "from_estimator"): (tree, X, Y),
        ("LabelScoresDisplay", "from_predictions"): (Y, tree.predict(X)),
        ("LearningCurveDisplay", "from_estimator"): (BinaryRelevance(l2=1.0), X, Y),
        ("SetReliabilityDisplay", "from_estimator"): (tree, X, Y),
        ("SetReliabilityDisplay", "from_predictions"): (X[:, 0] ** 2 / 20, Y[:, 0]),
        ("TopSetsDisplay", "from_distribution"): (tree.distribution(X),),
        ("TopSetsDisplay", "from_estimator"): (tree, X),
        ("TreeDisplay", "from_estimator"): (tree, X),
    }


KINDS = [
    (name, method)
    for name in plotting.__all__
    for method, _ in inspect.getmembers(getattr(plotting, name), inspect.ismethod)
    if method.startswith("from_")
]


@pytest.mark.parametrize(("name", "method"), KINDS)
def test_it_is_drawn_at_once_and_where_it_is_asked_to(name, method, calls):
    """Red if a method returns a display without axes, ignores ``ax``, or draws in spite of ``plot=False``."""
    make = getattr(getattr(plotting, name), method)
    undrawn = make(*calls[name, method], plot=False)
    assert not hasattr(undrawn, "ax_")
    assert not pyplot.get_fignums()
    display = make(*calls[name, method])
    assert display.ax_.figure is display.figure_
    assert pyplot.get_fignums() == [display.figure_.number]
    figure, ax = pyplot.subplots()
    assert make(*calls[name, method], ax=ax).figure_ is figure
    assert len(pyplot.get_fignums()) == 2


def test_every_method_is_tried(calls):
    """Red if a new ``from_...`` method is not among the calls above."""
    assert set(calls) == set(KINDS)


def test_reports_open_no_figures(rows):
    """Red if a report draws on pyplot's figures, which would show up in the user's notebook."""
    X, Y = rows
    tree = ConditionalTree(l2=1.0).fit(X, Y)
    report_model(tree, X, Y).to_html()
    report_evaluation(tree, X, Y).to_html()
    assert not pyplot.get_fignums()


def test_rows_of_a_frame_are_called_by_its_index(rows):
    pd = pytest.importorskip("pandas")
    X, Y = rows
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"day {i}" for i in range(len(X))])
    display = plotting.LabelErrorsDisplay.from_estimator(ConditionalTree(l2=1.0).fit(frame, Y), frame, Y, k=1)
    [shown] = display.ax_.get_yticklabels()
    assert shown.get_text().startswith(f"day {display.rows_[0]}: ")
