"""Rows as JSON has them, for every form of model."""

import numpy as np
import pytest

import setwise
from setwise.cli import main
from setwise.errors import InputError
from setwise.web.api import describe, marginals, predict, read_model
from setwise.web.api.numbers import as_numbers
from setwise.web.api.rows import RowReader

ARFF = """@relation beach
@attribute size numeric
@attribute kind {low,high}
@attribute sea {0,1}
@attribute sand {0,1}
@data
"""


@pytest.fixture(scope="module")
def arff_model(tmp_path_factory):
    """A model that the command fitted to an ARFF file with a nominal attribute."""
    folder = tmp_path_factory.mktemp("arff")
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(60):
        size, high = rng.normal(), rng.integers(2)
        sea = int(size + high > 0.5)
        lines.append(f"{size},{'high' if high else 'low'},{sea},{int(size > 0)}")
    (folder / "beach.arff").write_text(ARFF + "\n".join(lines))
    labels = ["--labels", "sea", "sand"]
    arguments = [
        "fit",
        str(folder / "beach.arff"),
        *labels,
        "--model",
        "br",
        "-o",
        str(folder / "beach.setwise"),
    ]
    assert main(arguments) == 0
    return read_model(folder / "beach.setwise")


def test_declared_categories_are_read_by_name(arff_model):
    """Red if a nominal attribute gets another code than in training."""
    X = arff_model.features([{"kind": "high", "size": 0.5}, {"kind": "low", "size": -1}])
    assert X.tolist() == [[0.5, 1.0], [-1.0, 0.0]]
    assert {c["name"]: c["kind"] for c in describe(arff_model)["input"]["columns"]}["kind"] == "category"
    (answer,) = predict(arff_model, [{"kind": "high", "size": 3.0}])
    assert answer["labels"] == ["sea", "sand"]


def test_numbers_by_place_and_by_name_are_the_same():
    reader = RowReader(["a", "b", "c"])
    assert reader.read([[1, 2.5, None]]).tolist()[0][:2] == [1.0, 2.5]
    assert np.isnan(reader.read([{"c": None, "b": 2.5, "a": 1}])[0, 2])


@pytest.mark.parametrize("cell", [float("nan"), float("inf"), 10**400, "1", [1], {"a": 1}])
def test_a_cell_that_is_not_a_finite_number_is_named(cell):
    with pytest.raises(InputError) as caught:
        as_numbers([[1.0, 2.0], [1.0, cell]], ["a", "b"])
    assert (caught.value.row, caught.value.column) == (1, "b")


def test_true_and_false_are_numbers():
    assert as_numbers([[True, 0]], []).tolist() == [[1.0, 0.0]]


def test_one_label_of_two_classes_is_a_set(tmp_path):
    """Red if a model of a one-dimensional y has other probabilities than its second class."""
    X = [[float(i)] for i in range(10)]
    model = setwise.BinaryRelevance(l2=1.0).fit(X, ["no"] * 5 + ["yes"] * 5)
    setwise.save(model, tmp_path / "one.setwise")
    served = read_model(tmp_path / "one.setwise")
    (answer,) = marginals(served, [[9.0]])
    assert list(answer["probabilities"].values()) == model.predict_proba([[9.0]])[0, 1:].tolist()
