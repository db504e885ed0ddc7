"""Values of parameters that cannot be meant are refused by ``fit``, with the parameter's name."""

import numpy as np
import pytest

from setwise import MixtureOfTrees, RAkEL
from setwise.estimators.base.parameters import PARAMETERS
from tests.estimators.registry import MAKERS

BAD = ["foo", -1, 2.7, np.nan, np.inf, [1, 2], np.ones(2)]
"""Each is wrong for most parameters."""
OWN = {
    "backoff": 1.5,
    "coupling": "foo",
    "cv": 1,
    "ddof": 2,
    "decision": 3,
    "features": "foo",
    "groups": [],
    "inference": 3,
    "init": "foo",
    "kind": "foo",
    "method": "foo",
    "min_labels": 2.5,
    "order": "foo",
    "size_model": "foo",
    "structure": "foo",
    "training": "foo",
    "vote": "foo",
}
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
def test_a_wrong_value_is_named(make, name, rows):
    """Red where a parameter is in neither table, or a fit swallows a value that has no meaning."""
    values = PARAMETERS.get(name)
    wrong = [OWN[name]] if values is None else [value for value in BAD if not values.allow(value)]
    assert len(wrong) >= (1 if values is None else 2)
    for value in wrong:
        with pytest.raises(ValueError, match=rf"\b{name}\b.*expected|{name} .* not known"):
            make(**{name: value}).fit(*rows)


def test_numbers_of_numpy_are_numbers(rows):
    """Red where a grid of NumPy values cannot be searched."""
    MixtureOfTrees(np.int64(1), l2=np.float32(1.0), candidate_parents=np.int32(1)).fit(*rows)


def test_one_group_is_not_a_list_of_groups(rows):
    with pytest.raises(ValueError, match="groups is 3; expected lists of labels"):
        RAkEL(groups=3).fit(*rows)


def test_a_checkpoint_needs_a_seed(tmp_path, rows):
    """Red where a resumed fit would go on with other draws."""
    with pytest.raises(ValueError, match="random_state is None; with a checkpoint"):
        MixtureOfTrees(2, random_state=None, checkpoint=tmp_path).fit(*rows)
    MixtureOfTrees(2, random_state=np.random.RandomState(0)).fit(*rows)
