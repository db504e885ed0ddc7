"""Names decide: a DataFrame of labels in another order gives the same answer through every entry point."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.inspection import PartialDependenceDisplay
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import (
    BinaryRelevance,
    CalibratedSets,
    ClassifierChain,
    ConditionalTree,
    ConformalSets,
    NaiBX,
    find_label_errors,
    metrics,
)
from setwise.decisions import Constrained, Costs
from setwise.metrics import SCORERS, scorer
from setwise.plotting import (
    LabelCorrelationDisplay,
    LabelErrorsDisplay,
    LabelScoresDisplay,
    SetReliabilityDisplay,
)
from setwise.reports import report_evaluation, report_model
from tests.estimators.random_labels import correlated

NAMES = ["sea", "air", "sky", "dog"]
SHUFFLED = ["sky", "dog", "sea", "air"]
X, VALUES = correlated(0, n_rows=160, n_labels=4)
VALUES[:, 1] &= np.random.default_rng(0).random(160) < 0.5  # labels differ in frequency, so places matter
Y = pd.DataFrame(VALUES, columns=NAMES)
MODEL = ConditionalTree(l2=1.0).fit(X, Y)
CONFORMAL = ConformalSets(BinaryRelevance(l2=1.0)).fit(X, Y)
NAIVE = NaiBX().partial_fit(X[:80], Y[:80], classes=NAMES)
PIPELINE = make_pipeline(StandardScaler(), BinaryRelevance(l2=1.0)).fit(X, Y)
SEARCH = GridSearchCV(BinaryRelevance(l2=1.0), {"min_labels": [0, 1]}, cv=2).fit(X, Y)
JOINT = MODEL.distribution(X)


def partly_known(labels):
    """Every third cell is unknown."""
    hidden = pd.DataFrame(np.arange(640).reshape(160, 4) % 3 == 0, columns=NAMES)[list(labels.columns)]
    return labels.mask(hidden)


def continued(labels):
    model = NaiBX().partial_fit(X[:80], Y[:80], classes=NAMES)
    return model.partial_fit(X[80:], labels[80:]).predict_proba(X)


ENTRY_POINTS = {
    "log_prob": lambda Y: MODEL.log_prob(X, Y),
    "log_prob of partial rows": lambda Y: MODEL.log_prob(X, partly_known(Y)),
    "score": lambda Y: MODEL.score(X, Y),
    "outlier_score": lambda Y: MODEL.outlier_score(X, Y, against="flips"),
    "contains": lambda Y: CONFORMAL.contains(X, Y),
    "partial_fit": continued,
    "find_label_errors": lambda Y: find_label_errors(BinaryRelevance(l2=1.0), X, Y, cv=2).log_prob,
    "joint.log_prob": JOINT.log_prob,
    "joint.log_prob of partial rows": lambda Y: JOINT.log_prob(partly_known(Y)),
    "joint.flip_log_probs": JOINT.flip_log_probs,
    "joint.log_probs_of": JOINT.log_probs_of,
    "joint.condition": lambda Y: JOINT.condition(partly_known(Y)).marginals(),
    "joint.mode": lambda Y: JOINT.mode(partly_known(Y)).labels,
    "joint.top_k": lambda Y: JOINT.top_k(2, partly_known(Y)).labels,
    "joint.annealed_mode": lambda Y: JOINT.annealed_mode(partly_known(Y)).labels,
    "Constrained(among=)": lambda Y: MODEL.predict(X, decision=Constrained("f1", among=Y[:30])),
    "report_evaluation": lambda Y: str(report_evaluation(MODEL, X, Y).sections[0]),
    "report_model": lambda Y: str(report_model(MODEL, X, Y).to_html()),
    "LabelCorrelationDisplay": lambda Y: (
        LabelCorrelationDisplay.from_estimator(MODEL, X, Y, plot=False).overall
    ),
    "LabelErrorsDisplay": lambda Y: LabelErrorsDisplay.from_estimator(MODEL, X, Y, plot=False).score,
    "LabelScoresDisplay": lambda Y: LabelScoresDisplay.from_estimator(MODEL, X, Y, plot=False).f1,
    "SetReliabilityDisplay": lambda Y: (
        SetReliabilityDisplay.from_estimator(MODEL, X, Y, plot=False).calibration.accuracy
    ),
    "pipeline.score": lambda Y: PIPELINE.score(X, Y),
    "search.score": lambda Y: SEARCH.score(X, Y),
}
for _name in SCORERS:
    ENTRY_POINTS[f"scorer {_name}"] = lambda Y, name=_name: scorer(name)(MODEL, X, Y)
    ENTRY_POINTS[f"scorer {_name} of a pipeline"] = lambda Y, name=_name: scorer(name)(PIPELINE, X, Y)
PAIRS = [
    metrics.exact_match,
    metrics.hamming_score,
    metrics.instance_scores,
    metrics.instance_precision,
    metrics.instance_recall,
    metrics.instance_f1,
    metrics.instance_jaccard,
    metrics.micro_f1,
    metrics.macro_f1,
    metrics.macro_f1_of_means,
]
PREDICTED = pd.DataFrame(MODEL.predict(X), columns=NAMES)
for _metric in PAIRS:
    ENTRY_POINTS[f"{_metric.__name__} of two frames"] = partial(_metric, PREDICTED)
    ENTRY_POINTS[f"{_metric.__name__} of two frames, swapped"] = lambda Y, metric=_metric: metric(
        Y, PREDICTED
    )

every_entry_point = pytest.mark.parametrize("name", ENTRY_POINTS)


@every_entry_point
def test_a_permuted_frame_gives_the_same_answer(name):
    """Red if labels are read by position although they have names."""
    here, there = (ENTRY_POINTS[name](labels) for labels in (Y, Y[SHUFFLED]))
    if isinstance(here, str):
        assert here == there
    else:
        assert_allclose(np.asarray(there, dtype=np.float64), np.asarray(here, dtype=np.float64), rtol=1e-9)


@every_entry_point
def test_other_names_are_errors_that_list_them(name):
    """Red if labels with other names are read by position, or ignored."""
    if name in ("find_label_errors", "partial_fit"):
        pytest.skip("it learns the names from this frame, or lets rows leave labels out")
    other = Y.rename(columns={"dog": "cat"})
    ask = ENTRY_POINTS[name]
    if "partial rows" in name or name in (
        "joint.condition",
        "joint.mode",
        "joint.top_k",
        "joint.annealed_mode",
    ):
        other = partly_known(Y).rename(columns={"dog": "cat"})
        ask = {
            "log_prob of partial rows": lambda Y: MODEL.log_prob(X, Y),
            "joint.log_prob of partial rows": JOINT.log_prob,
            "joint.top_k": lambda Y: JOINT.top_k(2, Y),
        }.get(name, getattr(JOINT, name.partition(".")[2], None))
    with pytest.raises(ValueError, match=r"missing '(dog|cat)'; unexpected '(dog|cat)'"):
        ask(other)


def test_polars_frames_have_names_too():
    frame = pl.DataFrame(VALUES, schema=NAMES)
    assert_array_equal(MODEL.log_prob(X, frame[SHUFFLED]), MODEL.log_prob(X, VALUES))
    assert_array_equal(JOINT.log_prob(frame[SHUFFLED]), JOINT.log_prob(VALUES))


def test_labels_without_names_go_by_their_places():
    plain = ConditionalTree(l2=1.0).fit(X, VALUES)
    assert_array_equal(plain.log_prob(X, Y), plain.log_prob(X, VALUES))
    assert_array_equal(MODEL.log_prob(X, VALUES), MODEL.log_prob(X, Y))
    assert MODEL.score(X, pd.DataFrame(VALUES)) == MODEL.score(X, Y)


@pytest.mark.parametrize("cls", [BinaryRelevance, ClassifierChain, CalibratedSets, NaiBX])
def test_classes_are_the_names_of_labels(cls):
    model = (cls(BinaryRelevance(l2=1.0)) if cls is CalibratedSets else cls()).fit(X, Y)
    assert list(model.classes_) == NAMES
    assert_array_equal(
        cls(*([BinaryRelevance(l2=1.0)] if cls is CalibratedSets else [])).fit(X, VALUES).classes_, range(4)
    )
    assert not hasattr(cls(*([BinaryRelevance()] if cls is CalibratedSets else [])), "classes_")


@pytest.mark.parametrize("name", NAMES)
def test_partial_dependence_of_a_label_by_name(name):
    """Red if scikit-learn finds another label, or none: it looks for the name as if classes were sorted."""
    display = PartialDependenceDisplay.from_estimator(MODEL, X, [0], target=name, grid_resolution=5)
    assert display.target_idx == NAMES.index(name)
    with pytest.raises(ValueError, match=r"target not in est\.classes_"):
        PartialDependenceDisplay.from_estimator(MODEL, X, [0], target="cow", grid_resolution=5)


def test_costs_and_constraints_take_names():
    rule = Constrained(Costs(false_negative={"dog": 50.0}), implies=[("dog", "sky")], excludes=["sea"])
    answer = pd.DataFrame(MODEL.predict(X, decision=rule), columns=NAMES)
    assert answer["dog"].mean() > 0.9
    assert (answer["sky"] >= answer["dog"]).all()
    assert not answer["sea"].any()


@pytest.mark.parametrize("kind", [set, list, tuple, frozenset])
def test_sets_of_tags_are_labels(kind):
    """Red if tags of a row are not the same as a frame with their names."""
    tags = [kind({"sea", "sky"} if row % 2 else {"dog"}) for row in range(len(X))]
    frame = pd.DataFrame({name: [int(name in row) for row in tags] for name in ("dog", "sea", "sky")})
    fitted, expected = (BinaryRelevance(l2=1.0).fit(X, y) for y in (tags, frame))
    assert fitted.label_names_.tolist() == ["dog", "sea", "sky"]
    assert np.array_equal(fitted.predict_proba(X), expected.predict_proba(X))
