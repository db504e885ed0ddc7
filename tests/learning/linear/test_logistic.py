"""The batched solver against scikit-learn's optimum, and against itself in other clothes."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import setwise.learning.linear.design as design_module
from setwise.learning.linear import descent
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)) @ rng.normal(size=(8, 8))
    P = 1 / (1 + np.exp(-X @ rng.normal(size=(8, 5)) * 0.5 - [0, 1, -2, -4, 0]))
    return X, (rng.random((300, 5)) < P).astype(float)


def objective(X, y, w, l2, coef, intercept):
    z = X @ coef + intercept
    return w @ (np.logaddexp(0, z) - y * z) + 0.5 * l2 * coef @ coef


def test_each_solution_is_at_scikit_learns_optimum(data):
    """Red if a problem stops early: 1e-6 of the objective, over five penalties and row weights at once."""
    X, Y = data
    rng = np.random.default_rng(1)
    weights = rng.random((300, 2)) * (rng.random((300, 2)) < 0.7)
    l2 = np.array([0.01, 0.1, 1.0, 10.0, 100.0])
    weight = np.array([0, 1, 0, 1, 0])
    design = Design(X, standardize=False)
    fit = fit_logistic(design, LogisticProblems.of(Y, weights=weights, weight=weight, l2=l2))
    linear = design.to_features(fit.coef)
    assert fit.converged.all()
    for b in range(5):
        w = weights[:, weight[b]]
        theirs = LogisticRegression(C=1 / l2[b], tol=1e-10, max_iter=10000).fit(X, Y[:, b], w)
        best = objective(X, Y[:, b], w, l2[b], theirs.coef_[0], theirs.intercept_[0])
        ours = objective(X, Y[:, b], w, l2[b], linear.coef[:, b], linear.intercept[b])
        assert ours <= best * (1 + 1e-6)
        assert fit.objective[b] == pytest.approx(ours, rel=1e-9)


def test_weights_equal_repetition(data):
    X, Y = data
    counts = np.random.default_rng(2).integers(0, 4, 300)
    repeated = np.repeat(np.arange(300), counts)
    weighted = fit_logistic(
        Design(X, standardize=False), LogisticProblems.of(Y, weights=counts[:, None]), tol=1e-13
    )
    plain = fit_logistic(Design(X[repeated], standardize=False), LogisticProblems.of(Y[repeated]), tol=1e-13)
    np.testing.assert_allclose(weighted.objective, plain.objective, rtol=1e-10)


def test_soft_targets_equal_weighted_copies(data):
    """A target of 0.3 is a row counted 0.3 times as positive and 0.7 times as negative."""
    X, _ = data
    soft = np.random.default_rng(3).random((300, 1))
    both = LogisticProblems.of(
        np.vstack([np.ones((300, 1)), np.zeros((300, 1))]), weights=np.vstack([soft, 1 - soft])
    )
    ours = fit_logistic(Design(X, standardize=False), LogisticProblems.of(soft), tol=1e-13)
    copies = fit_logistic(Design(np.vstack([X, X]), standardize=False), both, tol=1e-13)
    np.testing.assert_allclose(ours.objective, copies.objective, rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
def test_csr_equals_dense(data, sparse, monkeypatch):
    """Red if the optimum depends on how the features are stored in memory, centred or not."""
    X, Y = data
    X = X * (np.abs(X) > 1.0)
    dense = Design(X)
    expected = dense.to_features(fit_logistic(dense, LogisticProblems.of(Y), tol=1e-13).coef)(X)
    monkeypatch.setattr(design_module, "sparse_is_faster", lambda *_: sparse)
    sparse = Design(sp.csr_array(X))
    found = sparse.to_features(fit_logistic(sparse, LogisticProblems.of(Y), tol=1e-13).coef)(sp.csr_array(X))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_float32_is_close_to_float64(data):
    X, Y = data
    scores = []
    for dtype in (np.float64, np.float32):
        design = Design(X.astype(dtype))
        assert design.dtype == dtype
        scores.append(design.to_features(fit_logistic(design, LogisticProblems.of(Y)).coef)(X))
    np.testing.assert_allclose(scores[1], scores[0], atol=0.02)


def test_masked_columns_stay_zero_and_others_reach_their_own_optimum(data):
    X, Y = data
    design = Design(X, Y)
    columns = np.zeros((design.n_columns, 5), bool)
    columns[: design.intercept + 1] = True
    columns[design.intercept + 1 + np.arange(4), 1 + np.arange(4)] = True
    fit = fit_logistic(design, LogisticProblems.of(Y, columns=columns), tol=1e-12)
    assert not fit.coef[~columns].any()
    alone = fit_logistic(Design(X), LogisticProblems.of(Y[:, :1]), tol=1e-12)
    assert fit.objective[0] == pytest.approx(alone.objective[0], rel=1e-9)
    assert (fit.objective[1:] < fit_logistic(Design(X), LogisticProblems.of(Y[:, 1:])).objective).all()


def test_constant_targets_give_the_smoothed_share(data):
    X, Y = data
    Y = Y.copy()
    Y[:, 0], Y[:, 1] = 0, 1
    weights = np.ones((300, 2))
    weights[:, 1] = 0.0
    problems = LogisticProblems.of(Y, np.array([0, 1, 2]), weights, np.array([0, 0, 1]))
    design = Design(X)
    fit = fit_logistic(design, problems)
    intercepts = fit.coef[design.intercept]
    np.testing.assert_allclose(intercepts, [np.log(0.5 / 300.5), np.log(300.5 / 0.5), 0.0])
    assert not np.delete(fit.coef, design.intercept, axis=0).any()


def test_warm_start_at_the_optimum_stops_at_once(data):
    X, Y = data
    design = Design(X)
    first = fit_logistic(design, LogisticProblems.of(Y), tol=1e-12)
    again = fit_logistic(design, LogisticProblems.of(Y), first.coef)
    assert again.n_iter.max() <= 2
    assert [row["iteration"] for row in first.trace] == list(range(1, first.n_iter.max() + 1))


def test_blocks_of_problems_change_nothing(data, monkeypatch):
    """Red if problems of different blocks are mixed up."""
    X, Y = data
    design, problems = Design(X), LogisticProblems.of(np.hstack([Y] * 8), l2=np.arange(1.0, 41.0))
    whole = fit_logistic(design, problems, tol=1e-12)
    monkeypatch.setattr("setwise.learning.linear.descent.WORKSPACE_BYTES", 1)
    np.testing.assert_allclose(
        fit_logistic(design, problems, tol=1e-12).objective, whole.objective, rtol=1e-9
    )


@pytest.mark.parametrize("l2", [1e-2, 1e-4])
def test_single_precision_ends_where_rounding_hides_all_decrease(l2):
    """Red if rounding is taken for curvature: directions then grow without bound, to NaN or to the last iteration."""
    rng = np.random.default_rng(0)
    X = (rng.random((200, 40)) < 0.05).astype(np.float32)
    problems = LogisticProblems.of(X[:, :10].astype(float), l2=l2)
    single = fit_logistic(Design(X), problems)
    double = fit_logistic(Design(X.astype(np.float64)), problems)
    assert single.converged.all()
    assert single.n_iter.max() < 300
    np.testing.assert_allclose(single.objective, double.objective, rtol=0.01, atol=1e-5)


def test_a_start_in_single_precision_ends_at_the_same_optimum(data, monkeypatch):
    """Red if what single precision reached is taken for the optimum, or does not shorten the rest."""
    design, problems = Design(data[0]), LogisticProblems.of(data[1], l2=0.1)
    monkeypatch.setattr(descent, "ROUGH_CELLS", np.inf)
    double = fit_logistic(design, problems, tol=1e-12)
    monkeypatch.setattr(descent, "ROUGH_CELLS", 0)
    mixed = fit_logistic(design, problems, tol=1e-12)
    assert mixed.coef.dtype == np.float64
    assert mixed.n_iter.max() < double.n_iter.max()
    np.testing.assert_allclose(mixed.objective, double.objective, rtol=1e-11)
