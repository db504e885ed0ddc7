"""What estimators say about themselves, and the lists that derive from it."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.utils import get_tags

import setwise
from docs.tools.choosing import PAGE, fill
from setwise.cli.commands.demo import shown
from setwise.cli.models import full_name, missing_label_models, model_names
from setwise.estimators.catalog import about, candidates, estimators, expected_cost, methods
from setwise.evaluation.methods import METHODS, PEERS

AROUND_OTHERS = {
    "AutoSetClassifier",
    "CalibratedSets",
    "ConformalSets",
    "SetsFromMarginals",
    "StackedSets",
    "TunedThresholds",
}


def test_every_estimator_describes_itself():
    """Red if a new estimator has no description, or two share a short name."""
    assert set(estimators()) - set(methods()) == AROUND_OTHERS
    shorts = [about(method).short for method in methods().values()]
    assert len(set(shorts)) == len(shorts)
    for method in methods().values():
        said = about(method)
        assert said.suits
        assert said.joint
        assert said.cost > 0


def test_the_catalog_is_what_the_package_exports():
    exported = {name for name in setwise.__all__ if isinstance(getattr(setwise, name), type)}
    ours = {n for n in exported if issubclass(getattr(setwise, n), setwise.SetClassifier)} - {"SetClassifier"}
    assert set(estimators()) == ours


def test_limits_of_exact_joints_are_true():
    """Red if a method with a limit is exact beyond it, or one without raises."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = (rng.random((60, 3)) < 0.5).astype(int)
    for method in methods().values():
        model = method(random_state=0)
        if about(method).exact_labels == 0:
            with pytest.raises(setwise.NotTractable):
                model.fit(X, Y).log_prob(X, Y)
        elif about(method).cost < 10:
            assert model.fit(X, Y).log_prob(X, Y).shape == (60,)


def test_candidates_go_from_cheap_to_expensive():
    """Red if the automatic choice starts with another than the unit of costs, or misses a trial."""
    costs = [expected_cost(candidate) for candidate in candidates()]
    assert costs == sorted(costs)
    assert isinstance(candidates()[0], setwise.BinaryRelevance)
    assert len(costs) == sum(len(about(method).trials) for method in methods().values())


@pytest.mark.parametrize(
    ("estimator", "cost"),
    [
        (setwise.ConditionalBernoulliMixture(), 140),
        (setwise.ConditionalBernoulliMixture(l2=2.0), 140),
        (setwise.ConditionalBernoulliMixture(3, tuning=False, random_state=0), 10),
        (setwise.ConditionalBernoulliMixture(learner="boosting"), 270),
        (setwise.NaiBX(["gaussian", "bernoulli"]), 1),
        (setwise.RAkEL(), 5),
        (setwise.CalibratedSets(setwise.RAkEL()), 1),
    ],
)
def test_costs_do_not_depend_on_how_an_estimator_prints(estimator, cost):
    """Red if another parameter makes an expensive method look cheap."""
    assert expected_cost(estimator) == cost


def test_the_command_line_knows_every_method_by_its_names():
    """Red if a method has no name there, or the missing-label models are not those that take missing labels."""
    for name, method in methods().items():
        assert full_name(about(method).short) == full_name(name.upper()) == name
    assert {"auto", *methods()} <= set(model_names())
    taking = {about(method).short for method in methods().values() if method.takes_missing_labels}
    assert set(missing_label_models()) == {"auto", *taking}
    assert set(METHODS) == {*PEERS, *methods()}


def test_the_demo_shows_the_cheapest_method_of_every_family():
    """Red if a family appears twice, or a method that takes minutes appears."""
    ours = [methods()[name] for name in shown() if name not in PEERS]
    families = [about(method).joint for method in ours]
    assert len(set(families)) == len(families)
    assert max(about(method).cost for method in ours) <= 200
    assert shown()[:2] == list(PEERS)


def test_the_table_of_the_guide_is_up_to_date():
    """Red if a description changes: python -m docs.tools.choosing"""
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page) == page


def test_examples_of_messages_take_missing_labels():
    """Red if the message about missing labels names an estimator that does not take them."""
    assert setwise.BinaryRelevance.takes_missing_labels
    assert setwise.ConditionalTree.takes_missing_labels


def test_missing_features_and_sparse_rows_are_in_the_tags():
    assert get_tags(setwise.NaiBX()).input_tags.allow_nan
    assert all(get_tags(method()).input_tags.sparse for method in methods().values())


def test_importing_the_package_imports_no_estimator():
    """Red if `setwise --help` would wait for scikit-learn."""
    code = "import setwise, sys; dir(setwise); print([n for n in ('numpy', 'sklearn') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
