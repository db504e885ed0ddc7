"""Partly known labels: completed as enumeration says, summed out of the likelihood, and EM's bound never falls."""

import itertools

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from setwise.contract import FREE
from setwise.inference.forests.arrays import ROOT
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.linear.penalties import choose_l2
from setwise.learning.mixtures.completion import complete, known_below
from setwise.learning.mixtures.em import run_em
from setwise.learning.mixtures.experts import LogisticExperts
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.starts.label_start import fit_bernoulli_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.structure.tree import fit_tree

SETS = np.array(list(itertools.product((0, 1), repeat=4)))
PARENTS = np.array([2, 0, ROOT, 0])


def set_log_probs(logits, parents=PARENTS):
    """Log-probability (n, 16) of every set of four labels by the definition of the tree, logits (n, 4, 2)."""
    total = np.zeros((len(logits), len(SETS)))
    for label, parent in enumerate(parents):
        z = logits[:, label, :][:, SETS[:, parent] if parent != ROOT else np.zeros(len(SETS), int)]
        total += np.log(expit(np.where(SETS[:, label] == 1, z, -z)))
    return total


def agreeing(Y):
    """Which sets (n, 16) agree with the known labels."""
    return ((Y[:, None, :] == FREE) | (Y[:, None, :] == SETS)).all(axis=2)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    Y = (rng.random((300, 4)) < expit(X @ rng.normal(size=(3, 4)) * 2)).astype(np.int8)
    Y[:, 1] = np.where(rng.random(300) < 0.8, Y[:, 0], 1 - Y[:, 0])
    return X, np.where(rng.random(Y.shape) < 0.3, FREE, Y).astype(np.int8)


def test_completed_labels_are_those_of_enumeration(rows):
    """Red if a posterior forgets evidence below or above a label, or a parent's value is mixed up."""
    logits, Y = np.random.default_rng(1).normal(size=(300, 4, 2)) * 2, rows[1]
    on, targets = complete(logits, PARENTS, Y)
    joint = np.where(agreeing(Y), set_log_probs(logits), -np.inf)
    weight = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(on, weight @ SETS, atol=1e-12)
    for label, parent in ((0, 2), (1, 0), (3, 0)):
        for value in (0, 1):
            given = weight * (SETS[:, parent] == value)
            total = given.sum(axis=1)
            seen = known_below(PARENTS, Y)[:, label] & (total > 1e-9)
            expected = (given @ SETS[:, label])[seen] / total[seen]
            np.testing.assert_allclose(targets[seen, label, value], expected, atol=1e-9)
    assert (targets[~known_below(PARENTS, Y)] == FREE).all()


@pytest.mark.parametrize("gate", ["softmax", "constant"])
@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_bound_never_falls_with_labels_missing(rows, gate, edges, weighted):
    """Red if soft targets or shares of rows are not those of the current tree, or a label counts that may not."""
    X, Y = rows
    rng = np.random.default_rng(2)
    weights = rng.random(300) if weighted else np.ones(300)
    part = TrainingRows.of(X, Y, weights)
    parents = np.array([[-1, 0, 0, 2], PARENTS]) if edges else np.full((2, 4), ROOT)
    V, D = 1 + edges, part.design.n_columns
    coef = rng.normal(size=(2, D, 4, V)) * 0.5
    experts = LogisticExperts(part, parents, coef, np.full((2, 4, V), 0.5), negligible=0.0)
    gates = {
        "softmax": SoftmaxGate(part, np.zeros((D, 2)), 1.0),
        "constant": ConstantGate(part, np.log([0.5, 0.5])),
    }
    bounds = [row["bound"] for row in run_em(gates[gate], experts, weights, max_iter=40, tol=0.0).trace]
    assert len(bounds) > 10
    assert np.diff(bounds).min() >= -1e-8 * abs(bounds[-1])


def test_the_likelihood_sums_unknown_labels_out(rows):
    X, Y = rows
    part = TrainingRows.of(X, Y)
    coef = np.random.default_rng(3).normal(size=(1, part.design.n_columns, 4, 2))
    experts = LogisticExperts(part, PARENTS[None], coef, np.ones((1, 4, 2)))
    logits = part.design.scores(coef[0].reshape(-1, 8)).reshape(-1, 4, 2)
    expected = logsumexp(np.where(agreeing(Y), set_log_probs(logits), -np.inf), axis=1)
    np.testing.assert_allclose(experts.log_values()[:, 0], expected, atol=1e-10)


def test_em_reaches_a_stationary_point_of_the_observed_likelihood(rows):
    """Red if EM maximises anything but the penalised likelihood of what is known: its slope must vanish."""
    X, Y = rows
    part = TrainingRows.of(X, Y)
    experts = LogisticExperts(
        part, PARENTS[None], np.zeros((1, part.design.n_columns, 4, 2)), np.ones((1, 4, 2)), negligible=0.0
    )
    gate = ConstantGate(part, np.zeros(1))
    run_em(gate, experts, part.weights, max_iter=2000, tol=1e-12)

    def value(coef):
        logits = part.design.scores(coef.reshape(-1, 8)).reshape(-1, 4, 2)
        log_p = logsumexp(np.where(agreeing(Y), set_log_probs(logits), -np.inf), axis=1).sum()
        experts.coef = coef[None]
        return log_p - experts.penalty()

    best = experts.coef[0].copy()
    for at in np.ndindex(best.shape):
        step = np.zeros_like(best)
        step[at] = 1e-4
        slope = (value(best + step) - value(best - step)) / 2e-4
        assert abs(slope) < 0.02


def test_unknown_targets_are_rows_left_out(rows):
    """A regression with unknown targets is that of the other rows, in the fit, the totals and the held-out loss."""
    X, Y = rows
    design, weights = Design(X), np.random.default_rng(4).random((300, 1))
    problems = LogisticProblems.of(Y, weights=weights, l2=1.0)
    fit = fit_logistic(design, problems, tol=1e-12)
    fold = np.arange(300) % 3
    loss = choose_l2(design, problems, fold, 1.0).loss
    for label in range(4):
        known = np.flatnonzero(Y[:, label] != FREE)
        alone = LogisticProblems.of(Y[known, label : label + 1], weights=weights[known], l2=1.0)
        np.testing.assert_allclose(problems.totals()[1][label], alone.totals()[1][0])
        expected = fit_logistic(design.take(known), alone, tol=1e-12)
        np.testing.assert_allclose(fit.coef[:, label], expected.coef[:, 0], atol=1e-6)
        part = choose_l2(design.take(known), alone, fold[known], 1.0).loss[0]
        np.testing.assert_allclose(loss[label], part, rtol=1e-3)


def test_the_gain_of_an_edge_is_that_of_the_rows_with_both_known(rows):
    """Red if losses of different rows are compared: an edge would gain by rows that it does not see."""
    X, Y = rows
    design, fold = Design(X), np.arange(300) % 3
    gains = fit_tree(design, Y, None, fold, l2=1.0).gains
    both = np.flatnonzero((Y[:, :2] != FREE).all(axis=1))
    pair = fit_tree(design.take(both), Y[both, :2], None, fold[both], l2=1.0).gains
    np.testing.assert_allclose(gains[:2, :2], pair, rtol=1e-2, atol=0.05)
    assert gains[0, 1] > 10


def test_bernoulli_mixture_raises_the_likelihood_of_what_is_known():
    """Two patterns, a third of the cells unknown: the patterns come back, and complete rows are as they were."""
    rng = np.random.default_rng(0)
    side = rng.random(2000) < 0.5
    Y = (np.where(side[:, None], [1, 1, 0, 0], [0, 0, 1, 1]) ^ (rng.random((2000, 4)) < 0.1)).astype(np.int8)
    Y = np.where(rng.random(Y.shape) < 0.33, FREE, Y).astype(np.int8)
    mixture = fit_bernoulli_mixture(TrainingRows.of(rng.normal(size=(2000, 1)), Y), 2, seed=0)
    first = mixture.logits[:, 0].argmax()
    np.testing.assert_allclose(expit(mixture.logits[first]), [0.9, 0.9, 0.1, 0.1], atol=0.05)
    joint = mixture.log_weights + np.where(
        Y[:, None, :] == FREE, 0.0, np.log(expit(np.where(Y[:, None, :] == 1, 1, -1) * mixture.logits))
    ).sum(axis=2)
    np.testing.assert_allclose(logsumexp(joint, axis=1).sum(), mixture.log_likelihood, rtol=1e-9)
