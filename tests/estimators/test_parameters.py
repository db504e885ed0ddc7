"""Invalid values of parameters are refused by ``fit``, with the parameter's name."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, MixtureOfTrees, NaiBX, RAkEL
from setwise.estimators.base.checks.parameters import allowed_values
from tests.estimators.registry import MAKERS

BAD = ["foo", -1, 2.7, np.nan, np.inf, [1, 2], np.ones(2)]
"""Each is wrong for most parameters."""
OWN = {"cv": 1, "decision": 3, "features": "foo", "groups": [], "min_labels": 2.5, "joint": "foo"}
OWN |= {"classifier": "foo", "estimators": "foo", "member": "foo"}
"""Parameters that their estimators check, with a wrong value."""
ANY = {"candidates", "checkpoint", "estimator", "metric"}
"""Parameters that take objects of others, who check them."""
CASES = [
    pytest.param(make, name, id=f"{make.func.__name__}-{name}")
    for make in MAKERS
    for name in make().get_params(deep=False)
    if name not in ANY
]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return X, (X[:, [0, 1, 0]] + rng.normal(size=(30, 3)) > 0).astype(int)


@pytest.mark.parametrize(("make", "name"), CASES)
def test_an_invalid_value_is_named(make, name, rows):
    """Red if a parameter has neither names nor a line in the table, or a fit ignores a meaningless value."""
    values = allowed_values(make.func).get(name)
    wrong = [OWN[name]] if values is None else [value for value in BAD if not values.allow(value)]
    assert wrong
    for value in wrong:
        with pytest.raises(ValueError, match=rf"\b{name}\b.*expected|{name} .* not known"):
            make(**{name: value}).fit(*rows)


def test_numbers_of_numpy_are_numbers(rows):
    """Red if a grid of NumPy values cannot be searched."""
    MixtureOfTrees(np.int64(1), l2=np.float32(1.0), candidate_parents=np.int32(1), random_state=0).fit(*rows)


def test_one_group_is_not_a_list_of_groups(rows):
    with pytest.raises(ValueError, match="groups is 3; expected lists of labels"):
        RAkEL(groups=3).fit(*rows)


@pytest.mark.parametrize("learner", [Ridge(), make_pipeline(StandardScaler(), Ridge()), LogisticRegression])
def test_a_learner_must_be_a_classifier(learner, rows):
    """Red if a regressor, or a class instead of an instance, is refused late or not at all."""
    with pytest.raises(ValueError, match=r"learner is .*; expected 'logistic' or a scikit-learn classifier"):
        BinaryRelevance(learner).fit(*rows)
    with pytest.raises(
        ValueError, match=r"size_model is .*; expected .* a number or a scikit-learn classifier"
    ):
        NaiBX(size_model=learner).fit(*rows)
    BinaryRelevance(make_pipeline(StandardScaler(), LogisticRegression())).fit(*rows)


def test_a_learner_without_tags_may_score_classes(rows):
    """Red if only scikit-learn's own base class is accepted."""

    class Plain:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y):
            return self

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    np.testing.assert_allclose(BinaryRelevance(Plain()).fit(*rows).predict_proba(rows[0]), 0.5)


def test_unresolved_annotations_of_subclasses_are_ignored(rows):
    """Red if a subclass that annotates for type checkers only cannot be fitted."""

    class Odd(BinaryRelevance):
        def __init__(self, l2: "OnlyForTypeCheckers" = "auto") -> None:  # noqa: F821
            super().__init__(l2=l2)

    assert Odd().fit(*rows).predict(rows[0]).shape == rows[1].shape


def test_a_checkpoint_needs_a_seed(tmp_path, rows):
    """Red if a resumed fit would continue with other draws."""
    with pytest.raises(ValueError, match="random_state is None; with a checkpoint"):
        MixtureOfTrees(2, random_state=None, checkpoint=tmp_path).fit(*rows)
    MixtureOfTrees(2, random_state=np.random.RandomState(0)).fit(*rows)
