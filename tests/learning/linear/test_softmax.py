"""The softmax regression against scikit-learn's, with hard and soft targets."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from setwise.kernels import implementation
from setwise.learning.linear import descent
from setwise.learning.linear.design import Design
from setwise.learning.linear.softmax import choose_softmax_l2, fit_softmax, fit_softmaxes, softmax_loss


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    scores = X @ rng.normal(size=(5, 4)) + rng.gumbel(size=(400, 4))
    return X, scores.argmax(axis=1)


def test_hard_targets_reach_scikit_learns_optimum(data):
    X, y = data
    design = Design(X, standardize=False)
    fit = fit_softmax(design, np.eye(4)[y], l2=2.0, tol=1e-12)
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=10000).fit(X, y)
    log_p = theirs.predict_log_proba(X)
    best = -log_p[np.arange(400), y].sum() + (theirs.coef_**2).sum()
    assert fit.converged
    assert fit.objective == pytest.approx(best, rel=1e-7)


def test_soft_targets_equal_weighted_copies(data):
    X, _ = data
    soft = np.random.default_rng(1).random((400, 3))
    rows, classes = np.divmod(np.arange(1200), 3)
    copies = np.zeros((1200, 3))
    copies[np.arange(1200), classes] = soft[rows, classes]
    ours = fit_softmax(Design(X, standardize=False), soft, l2=1.0, tol=1e-12)
    theirs = fit_softmax(Design(X[rows], standardize=False), copies, l2=1.0, tol=1e-12)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)


@pytest.mark.parametrize("workspace", [0, 2**28], ids=["one at a time", "together"])
def test_regressions_together_equal_each_alone(data, workspace, monkeypatch):
    """Red if one's step, memory or end reaches into another's; they have different classes and lengths."""
    monkeypatch.setattr("setwise.learning.linear.descent.WORKSPACE_BYTES", workspace)
    X, y = data
    design = Design(X)
    classes = [y, y % 2, np.zeros(400, int), np.minimum(y, 2), y]
    targets = [np.eye(1 + c.max())[c] for c in classes]
    targets[-1] = np.random.default_rng(3).random((400, 4))
    together = fit_softmaxes(design, targets, [None] * 5, l2=0.5, tol=1e-12)
    for fit, target in zip(together, targets, strict=True):
        alone = fit_softmax(design, target, l2=0.5, tol=1e-12)
        assert fit.converged
        assert fit.objective == pytest.approx(alone.objective, rel=1e-10, abs=1e-9)
        np.testing.assert_allclose(fit.coef, alone.coef, atol=1e-4)


def test_a_few_steps_never_raise_the_objective(data):
    """What a generalised M-step relies on."""
    X, y = data
    design, targets, coef = Design(X), np.eye(4)[y], None
    last = np.inf
    for _ in range(10):
        fit = fit_softmax(design, targets, l2=1.0, start=coef, max_iter=2)
        assert fit.objective <= last * (1 + 1e-12)
        last, coef = fit.objective, fit.coef


@pytest.mark.parametrize("l2", [1e-2, 1e-3, 1e-4])
def test_rounding_is_not_taken_for_curvature(l2, monkeypatch):
    """Red without the guard: far beyond any use of the tolerance, directions reach 1e14 and more."""
    sizes = []

    def watched(*arguments, direction=implementation.lbfgs_direction):
        found, dots = direction(*arguments)
        sizes.append(np.abs(found).max())
        return found, dots

    monkeypatch.setattr(implementation, "lbfgs_direction", watched)
    for seed in range(8):
        X = np.repeat(np.random.default_rng(seed).random((10, 20)) < 0.2, 30, axis=0)
        fit = fit_softmax(Design(X.astype(float)), np.eye(2)[X[:, 0].astype(int)], l2=l2, tol=0.0)
        assert fit.converged
    assert max(sizes) < 100.0


def test_a_start_in_single_precision_ends_at_the_same_optimum(data, monkeypatch):
    """Red if what single precision reached is taken for the optimum, or does not shorten the rest."""
    X, y = data
    design, targets = Design(X), [np.eye(4)[y], np.eye(2)[y % 2]]
    monkeypatch.setattr(descent, "ROUGH_CELLS", np.inf)
    double = fit_softmaxes(design, targets, [None, None], l2=0.1, tol=1e-12)
    monkeypatch.setattr(descent, "ROUGH_CELLS", 0)
    mixed = fit_softmaxes(design, targets, [None, None], l2=0.1, tol=1e-12)
    for ours, theirs in zip(mixed, double, strict=True):
        assert ours.coef.dtype == np.float64
        assert ours.n_iter < theirs.n_iter
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-11)


def test_the_chosen_penalty_is_near_the_best_of_a_grid(data):
    X, y = data
    design, targets, fold = Design(X), np.eye(4)[y], np.arange(400) % 3
    choice = choose_softmax_l2(design, targets, fold)

    def held_out(l2):
        total = 0.0
        for f in range(3):
            fit = fit_softmax(design.take(fold != f), targets[fold != f], l2=l2)
            total += softmax_loss(design.take(fold == f), targets[fold == f], fit.coef)
        return total

    grid = [held_out(l2) for l2 in np.geomspace(0.01, 1000, 11)]
    assert held_out(float(choice.l2[0])) <= min(grid) * 1.005


def test_classes_of_a_single_row_do_not_choose_the_penalty():
    """Red if held-out rows of a class that no training row has are judged: they want the strongest penalty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    common = (X + 0.5 * rng.normal(size=(300, 3))).argmax(axis=1)
    alone = np.where(np.arange(300) % 3 == 0, 3 + np.arange(300), common)
    l2 = []
    for which in (common, alone):
        targets = np.eye(which.max() + 1)[which]
        l2.append(
            choose_softmax_l2(Design(X), targets[:, targets.any(axis=0)], np.arange(300) // 3 % 3).l2[0]
        )
    assert l2[1] < 10 * l2[0]
