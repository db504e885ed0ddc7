"""Boosted scores and the growers of their trees."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.contract import FREE
from setwise.kernels.tree_scores import TreeScores
from setwise.learning.mixtures.label_start import fit_bernoulli_mixture
from setwise.learning.mixtures.rows import Rows
from setwise.learning.trees import growers as tree_growers
from setwise.learning.trees.boosting import BoostedExperts, boosted_parts
from setwise.learning.trees.growers import CartGrower, HistogramGrower, lightgbm_grower, own_grower


def rows(dtype=np.float64, n=600):
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(size=(n, 3)),
            rng.integers(0, 4, n),
            1.0 + np.spacing(1.0) * rng.integers(0, 3, n),
            np.ones(n),
        ]
    ).astype(dtype)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] * X[:, 2] > 0, X[:, 4] > 1]).astype(np.int8)
    Y[rng.random(Y.shape) < 0.1] = FREE
    return Rows.of(X, Y)


GROWERS = {
    "histogram": HistogramGrower,
    "histogram of sparse X": lambda X, weights: HistogramGrower(sp.csr_array(X), weights),
    "scikit-learn": lambda X, weights: CartGrower(sp.csr_array(X)),
    "lightgbm": lightgbm_grower,
}


@pytest.fixture(params=GROWERS)
def make_grower(request):
    if request.param == "lightgbm":
        pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    return GROWERS[request.param]


def grown(make_grower, data, n_steps=3):
    start = fit_bernoulli_mixture(data, 2, seed=0, n_init=1)
    parts = boosted_parts(data, start, 1e-5, make_grower)
    responsibilities = np.random.default_rng(1).dirichlet([0.5, 0.5], len(data))
    for _ in range(n_steps):
        for part in parts:
            part.update(responsibilities)
    return parts


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_by_bins_are_those_by_thresholds(dtype):
    """Red if a training row falls on one side of a split by its bin and on the other by its value."""
    data = rows(dtype)
    for part in grown(HistogramGrower, data):
        assert len(part.boosted.trees) > 10
        np.testing.assert_array_equal(part.boosted.values, part.scores()(data.X).T)


def test_the_values_come_back_with_the_state(make_grower):
    """Red if a state forgets a tree, or adds trees up in another order: a resumed fit would differ."""
    data = rows()
    start = fit_bernoulli_mixture(data, 2, seed=0, n_init=1)
    for part, fresh in zip(grown(make_grower, data), boosted_parts(data, start, 1e-5, make_grower)):
        fresh.restore(part.state())
        np.testing.assert_array_equal(fresh.boosted.values, part.boosted.values)
        np.testing.assert_array_equal(fresh.log_values(), part.log_values())


def test_scores_of_other_rows_follow_the_trees():
    """Red if a tree is counted twice or left out, or if sums of dropped or forgotten trees stay."""
    data = rows()
    held_out = data.take(np.arange(50))
    responsibilities = np.random.default_rng(2).dirichlet([0.5, 0.5], len(data))
    for part in grown(HistogramGrower, data):

        def check(part=part):
            np.testing.assert_array_equal(part.boosted.of_rows(held_out), part.scores()(held_out.X).T)

        check()
        state = part.state()
        part.update(responsibilities)
        check()
        part.restore(state)
        check()
        part.drop(np.array([False, True]))
        check()


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


def test_weighted_rows_are_grown_on_as_repeated_ones():
    """Red if a leaf or the choice of labels counts rows, or weights by their mean, instead of their weight."""
    data = rows().take(np.arange(40))
    data.Y[:, 2] = np.arange(40) == 2
    weighted = Rows.of(data.X, data.Y, np.full(40, 5.0))
    repeated = Rows.of(np.repeat(data.X, 5, axis=0), np.repeat(data.Y, 5, axis=0))
    logits = np.zeros((1, 3))
    values = []
    for some in (weighted, repeated):
        experts = BoostedExperts(some, logits, HistogramGrower(some.X, some.weights), 1e-5)
        experts.update(some.weights[:, None])
        assert set(experts.boosted.owner) == {0, 1, 2}
        values.append(experts.scores()(data.X))
    np.testing.assert_allclose(*values, rtol=1e-9)


def test_weights_that_are_shares_grow_trees():
    """Red if rows whose weights sum to one, as shares do, are taken for less than a row and nothing is learnt."""
    data = rows()
    shares = Rows.of(data.X, data.Y, np.full(len(data), 1.0 / len(data)))
    start = SimpleNamespace(log_weights=np.zeros(1), logits=np.zeros((1, 3)))
    _, experts = boosted_parts(shares, start, 1e-5, own_grower)
    experts.update(shares.weights[:, None])
    assert np.ptp(experts.scores()(data.X), axis=0).min() > 0.0


def test_log_values_sum_the_known_labels():
    """Red if an unknown label counts, a label meets the logit of another, or a large logit overflows."""
    data = rows()
    logits = np.array([[0.3, -800.0, 2.0], [-1.0, 0.5, 800.0]])
    experts = BoostedExperts(data, logits, HistogramGrower(data.X, data.weights), 1e-5)
    experts.update(np.random.default_rng(1).dirichlet([1.0, 1.0], len(data)))
    z = experts.scores()(data.X).reshape(-1, 2, 3)
    Y = data.Y[:, None, :]
    log_p = -np.logaddexp(0.0, np.where(Y == 1, -z, z))
    truth = np.where(Y == FREE, 0.0, log_p).sum(axis=2)
    np.testing.assert_allclose(experts.log_values(), truth, rtol=1e-12)
    np.testing.assert_allclose(experts.log_values(data), truth, rtol=1e-12)
