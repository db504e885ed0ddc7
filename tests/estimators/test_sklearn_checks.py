"""scikit-learn's own checks on every exported estimator; what cannot hold carries its reason."""

import inspect

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

import setwise
from tests.estimators.registry import ESTIMATORS, MAKERS

WEIGHTS = "penalties are chosen on paths solved to 1e-5, so weights equal repetition only to that accuracy"
NEIGHBOURS = "neighbours are rows: a row of weight two is one neighbour, not two"
VOTES = {"IBLR", "MLkNN"}
MODE = "predict answers the most probable set, which need not be the set of the likelier labels"


def _unequal_weights(cls):
    if cls is setwise.NaiBX:
        return {}
    reason = NEIGHBOURS if cls.__name__ in VOTES else WEIGHTS
    checks = (check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data)
    return {check.__name__: reason for check in checks}


EXPECTED_FAILURES = {
    cls: _unequal_weights(cls)
    | ({} if cls is setwise.BinaryRelevance else {"check_classifier_multioutput": MODE})
    for cls in ESTIMATORS
}
EXPECTED_FAILURES[setwise.TunedThresholds]["check_classifiers_train"] = (
    "predict answers by tuned thresholds, not by the likelier class"
)

TIGHT = [
    make
    for make in MAKERS
    if {"l2", "tol"} <= inspect.signature(make.func).parameters.keys() and make.func.__name__ not in VOTES
]


@parametrize_with_checks(
    [make() for make in MAKERS], expected_failed_checks=lambda e: EXPECTED_FAILURES[type(e)]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", TIGHT, ids=lambda make: make.func.__name__)
@pytest.mark.parametrize(
    "check", [check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data]
)
def test_weights_equal_repetition_under_fixed_penalties(cls, check):
    """Solved tightly and with nothing to choose, they must; probabilities are as near as the root of ``tol``."""
    check(cls.func.__name__, cls(l2=1.0, tol=1e-18))
