"""One display of every kind from plain arrays, for any number of labels and any names."""

import numpy as np

from setwise.evaluation.statistics import friedman
from setwise.metrics import set_calibration
from setwise.plotting import (
    ComponentCurveDisplay,
    ComponentsDisplay,
    CriticalDifferenceDisplay,
    EMTraceDisplay,
    LabelCorrelationDisplay,
    LabelErrorsDisplay,
    LabelScoresDisplay,
    LearningCurveDisplay,
    MethodScoresDisplay,
    SetReliabilityDisplay,
    TopSetsDisplay,
    TreeDisplay,
)

HOSTILE = [
    "<script>alert('x')</script>",
    "price in $ and $x^2$",
    "_hidden",
    'a & b "c"',
    "\x00\x1b[31m\ud800\ufffe",
    "two\nlines",
    "{braces}",
    "海",
    "",
    "x" * 300,
]


def names(n_labels):
    return [HOSTILE[j] if j < len(HOSTILE) else f"label {j}" for j in range(n_labels)]


def gallery(n_labels):
    rng = np.random.default_rng(0)
    label_names = names(n_labels)
    Y, P = rng.integers(0, 2, (2, 40, n_labels))
    gate = rng.dirichlet(np.ones(9))
    parents = np.array([-1, *(rng.integers(0, j) if rng.random() < 0.8 else -1 for j in range(1, n_labels))])
    correlation = np.corrcoef(rng.normal(size=(n_labels, 50)))
    methods = names(8)
    return {
        "tree": TreeDisplay(parents, rng.normal(size=n_labels), label_names, strength_name="$", title="$t$"),
        "components": ComponentsDisplay(gate, rng.random((9, n_labels)), label_names, truth=Y[0]),
        "top_sets": TopSetsDisplay(Y[:5], np.log([0.3, 0.2, 0.1, 0.1, 0.05]), label_names, truth=Y[1]),
        "correlation": LabelCorrelationDisplay(correlation, correlation, label_names, title="$t$"),
        "em_trace": EMTraceDisplay([-900.0, -100.0, -99.0, -98.9, -98.8], [5, 5, 4, 4, 4]),
        "component_curve": ComponentCurveDisplay([1, 2, 2, 4], [-9.0, -8.0, -8.5, -8.2]),
        "reliability": SetReliabilityDisplay(set_calibration(rng.random(50), rng.random(50) < 0.5)),
        "critical_difference": CriticalDifferenceDisplay(friedman(rng.random((5, 8))), methods, 5),
        "learning_curve": LearningCurveDisplay([10, 20], {name: rng.random((2, 3)) for name in methods}),
        "label_scores": LabelScoresDisplay.from_predictions(Y, P, label_names, plot=False),
        "label_errors": LabelErrorsDisplay(rng.random(40), Y, P, label_names),
        "method_scores": MethodScoresDisplay(
            methods, rng.random(8), rng.random(8), rng.random(8), title="$t$"
        ),
    }


KINDS = list(gallery(3))
