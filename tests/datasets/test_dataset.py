import numpy as np
import pytest
from scipy import sparse

from setwise.datasets import Dataset


@pytest.fixture
def toy() -> Dataset:
    Y = [[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    return Dataset(np.arange(8.0).reshape(4, 2), Y, split=[True, False, True, False], name="toy")


def test_statistics_worked_by_hand(toy):
    # label counts 3, 1, 2, 0: imbalance (3/3 + 3/1 + 3/2) / 3
    statistics = toy.statistics()
    assert statistics.cardinality == 6 / 4
    assert statistics.density == 6 / 16
    assert statistics.distinct_sets == 3
    assert statistics.imbalance == pytest.approx((1 + 3 + 1.5) / 3)
    assert (statistics.rows_without_labels, statistics.labels_without_rows) == (1, 1)


def test_statistics_of_sparse_labels_equal_those_of_dense(toy):
    unsorted = sparse.csr_array(toy.Y[:, ::-1])[:, ::-1]
    assert Dataset(toy.X, unsorted).statistics() == toy.statistics()


def test_missing_labels_are_counted_and_printed():
    data = Dataset(np.zeros((2, 1)), [[1, -1], [0, 1]])
    assert data.statistics().missing == 1
    assert "1 label values missing" in str(data)


def test_train_and_test_partition_the_rows(toy):
    assert toy.train().X[:, 0].tolist() == [0, 4]
    assert toy.test().X[:, 0].tolist() == [2, 6]
    assert toy.train().split is None


def test_sparse_matrices_stay_sparse(toy):
    data = Dataset(sparse.csr_array(toy.X), sparse.csr_array(toy.Y), split=toy.split)
    assert sparse.issparse(data.train().X)
    assert data.train().Y.toarray().tolist() == toy.train().Y.tolist()


def test_without_a_split_the_error_says_what_to_do():
    with pytest.raises(ValueError, match="stratified_train_test_split"):
        Dataset([[1.0]], [[1]]).train()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(X=[[1.0]], Y=[[1], [0]]), "X has 1 rows but Y has 2"),
        (dict(X=[[1.0]], Y=[[2]]), r"Y\[0, 0\] is .*2.*; a label is 0, 1 or -1"),
        (dict(X=[[1.0]], Y=[[np.nan]]), r"Y\[0, 0\]"),
        (dict(X=[[1.0]], Y=sparse.csr_array([[0, 3]])), r"Y\[0, 1\]"),
        (dict(X=[1.0], Y=[[1]]), "expected a matrix"),
        (dict(X=[["red"]], Y=[[1]]), "expected numbers"),
        (dict(X=[[1.0]], Y=[[1]], label_names=["a", "b"]), "2 label names for 1 labels"),
        (dict(X=[[1.0]], Y=[[1]], split=[0]), "expected 1 booleans"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Dataset(**arguments)


def test_a_data_set_without_rows_has_statistics():
    statistics = Dataset(np.zeros((0, 3)), np.zeros((0, 2))).statistics()
    assert (statistics.rows, statistics.cardinality, statistics.imbalance) == (0, 0.0, 0.0)


def test_features_are_asked_for_by_names_that_are_theirs_alone():
    """Red if a name that two features have silently gives one of them."""
    data = Dataset([[1.0, 2.0, 3.0]], [[1]], ["a", "b", "a"], name="toy")
    assert data.with_features(["a", "b", "a"]) is data
    assert data.with_features(["b"]).X.tolist() == [[2.0]]
    with pytest.raises(ValueError, match="toy: 2 features are called 'a'"):
        data.with_features(["a", "b"])
    with pytest.raises(ValueError, match="missing features: 'c'"):
        data.with_features(["c"])
