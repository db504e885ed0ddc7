"""Growers of regression trees."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeRegressor

from setwise.kernels.tree_scores import TreeScores
from setwise.learning.trees import growers as tree_growers
from setwise.learning.trees.growers import LEARNING_RATE, CartGrower, HistogramGrower, own_grower
from setwise.learning.trees.tree_steps import LEAST_SQUARES
from tests.learning.trees.boosting_data import GROWERS, rows


def test_a_grown_tree_adds_what_it_says_of_every_row(make_grower):
    """Red if a grower adds to some rows only, or something other than the values of its leaves."""
    data = rows()
    some = np.arange(0, len(data), 2)
    gradient = np.where(data.X[some, 0] > 0.3, -1.0, 1.0)
    values = np.full(len(data), 7.0)
    tree = make_grower(data.X, data.weights).grow(some, gradient, np.ones(len(some)), 3, values)
    np.testing.assert_allclose(values, 7.0 + TreeScores.of(np.zeros(1), [tree], [0])(data.X)[:, 0])
    assert len(np.unique(values)) > 1


def test_a_node_is_split_at_the_middle_between_values():
    """Red if thresholds are codes of bins instead of values, or leaves are not Newton steps."""
    X = np.column_stack([np.zeros(60), np.repeat([0.0, 10.0, 30.0], 20)])
    grower, values = HistogramGrower(X, np.ones(60)), np.zeros(60)
    gradient = np.where(X[:, 1] > 10, -1.0, 1.0)
    tree = grower.grow(np.arange(60), gradient, np.ones(60), 0, values)
    assert tree.feature.tolist() == [1, -1, -1]
    assert tree.threshold[0] == 20.0
    np.testing.assert_allclose(tree.value[1:], [-0.1 * 40 / 41, 0.1 * 20 / 21])
    np.testing.assert_array_equal(values, np.where(X[:, 1] > 10, tree.value[2], tree.value[1]))


@pytest.mark.parametrize("name", ["histogram", "scikit-learn"])
def test_no_tree_where_no_split_helps(name):
    """Red if fewer rows than two leaves need are split: a tree of one leaf would not be one."""
    data, values = rows(), np.zeros(600)
    grower = GROWERS[name](data.X, data.weights)
    assert grower.grow(np.arange(9), np.linspace(-1, 1, 9), np.ones(9), 0, values) is None
    assert not values.any()


def test_a_sparse_matrix_too_large_for_bins_is_left_to_scikit_learn(monkeypatch):
    """Red if zeros that nobody stored fill the memory."""
    X, weights = sp.csr_array(rows().X), rows().weights
    assert isinstance(own_grower(X, weights), HistogramGrower)
    monkeypatch.setattr(tree_growers, "MAX_BINNED_BYTES", 600 * 6 - 1)
    assert isinstance(own_grower(X, weights), HistogramGrower), "the bins take less than X does"
    X.data[np.arange(X.nnz) % 12 > 0] = 0.0
    X.eliminate_zeros()
    assert isinstance(own_grower(X, weights), CartGrower)
    assert isinstance(own_grower(X.toarray(), weights), HistogramGrower)


@pytest.mark.parametrize("name", ["histogram", "scikit-learn"])
def test_least_squares_trees_are_those_of_scikit_learn(name):
    """Red if a leaf is not the weighted mean of the gradients, or some features are not considered."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, size=(200, 5)).astype(float)
    weights, residual = rng.uniform(0.5, 2.0, 200), np.sign(X[:, 3] - 9.5) + rng.normal(0.0, 0.3, 200)
    grower = {"histogram": HistogramGrower, "scikit-learn": CartGrower}[name]
    arguments = (X, np.ones(200)) if name == "histogram" else (sp.csr_array(X),)
    values = np.zeros(200)
    grower(*arguments, LEAST_SQUARES).grow(np.arange(200), -weights * residual, weights, 0, values)
    cart = DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=5).fit(X, residual, sample_weight=weights)
    np.testing.assert_allclose(values, LEARNING_RATE * cart.predict(X), rtol=1e-9)
