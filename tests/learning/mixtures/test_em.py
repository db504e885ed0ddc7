"""EM as theory has it: the bound never falls, known parameters come back, one component is its expert."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, softmax

from setwise.inference.forests.arrays import ROOT
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems
from setwise.learning.mixtures.bernoulli import MixtureSettings, start_mixture
from setwise.learning.mixtures.em import run_em
from setwise.learning.mixtures.experts import SMOOTHING, LogisticExperts, forest_problems
from setwise.learning.mixtures.gates import ConstantGate, SoftmaxGate
from setwise.learning.mixtures.starts.label_start import fit_bernoulli_mixture
from setwise.learning.mixtures.training_rows import TrainingRows


@pytest.fixture(scope="module")
def known():
    """TrainingRows of a mixture of two independent-label experts with a gate on the first feature."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    gate = np.array([[4.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    slopes = rng.normal(size=(2, 3, 4)) * 1.5
    intercepts = np.array([[2.0, 2.0, -2.0, -2.0], [-2.0, -2.0, 2.0, 2.0]])
    component = (rng.random(6000) > softmax(X @ gate, axis=1)[:, 0]).astype(int)
    P = expit(np.einsum("nd,ndl->nl", X, slopes[component]) + intercepts[component])
    return X, (rng.random(P.shape) < P).astype(np.int8), gate, slopes


def start(rows, K, parents, gate, rng, negligible=0.0):
    V, L, D = 1 if (parents == ROOT).all() else 2, rows.Y.shape[1], rows.design.n_columns
    coef = rng.normal(size=(K, D, L, V)) * 0.1
    experts = LogisticExperts(rows, parents, coef, np.full((K, L, V), 2.0), negligible=negligible)
    if gate == "softmax":
        return SoftmaxGate(rows, np.zeros((D, K)), 1.0), experts
    return ConstantGate(rows, np.full(K, -np.log(K))), experts


@pytest.mark.parametrize("gate", ["softmax", "constant"])
@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_bound_never_falls(known, gate, edges, sparse, weighted):
    """Red if an M-step lowers its own objective, or a penalty is missing from the bound."""
    X, Y = known[0][:400], known[1][:400]
    rng = np.random.default_rng(1)
    if sparse:
        X = sp.csr_array(X * (np.abs(X) > 0.5))
    weights = rng.random(400) if weighted else np.ones(400)
    parents = np.array([[-1, 0, 0, 2], [1, -1, 3, 1], [-1] * 4]) if edges else np.full((3, 4), ROOT)
    gate, experts = start(TrainingRows.of(X, Y, weights), 3, parents, gate, rng)
    bounds = [row["bound"] for row in run_em(gate, experts, weights, max_iter=25, tol=0.0).trace]
    assert len(bounds) > 10
    assert np.diff(bounds).min() >= -1e-8 * abs(bounds[-1])


def test_skipped_rows_cost_next_to_nothing(known):
    X, Y = known[0][:500], known[1][:500]
    ends = []
    for negligible in (0.0, 1e-5):
        rng = np.random.default_rng(2)
        gate, experts = start(TrainingRows.of(X, Y), 3, np.full((3, 4), ROOT), "softmax", rng, negligible)
        ends.append(run_em(gate, experts, np.ones(500), max_iter=40, tol=1e-7).bound)
    assert ends[1] == pytest.approx(ends[0], rel=1e-3)


def test_known_parameters_come_back(known):
    """Red if gate or experts are fitted to the wrong targets; components come in any order."""
    X, Y, gate_truth, slopes = known
    settings = MixtureSettings(n_components=2, l2=0.1, gate_l2=0.1, max_iter=60)
    mixture = start_mixture(TrainingRows.of(X, Y, standardize=False), settings)
    mixture.run(settings.max_iter)
    found = mixture.experts.scores().coef.reshape(3, 2, 4).transpose(1, 0, 2)
    order = [0, 1] if np.abs(found - slopes).sum() < np.abs(found[::-1] - slopes).sum() else [1, 0]
    np.testing.assert_allclose(found[order], slopes, atol=0.35)
    gate_coef = mixture.gate.scores().coef[:, order]
    np.testing.assert_allclose(gate_coef[:, 0] - gate_coef[:, 1], gate_truth[:, 0], atol=0.6)


def test_one_component_is_its_expert(known):
    X, Y = known[0][:300], known[1][:300]
    mixture = start_mixture(TrainingRows.of(X, Y), MixtureSettings(1, 3.0, 1.0, max_iter=200))
    mixture.run(200)
    alone = fit_logistic(Design(X), LogisticProblems.of(Y, l2=3.0, smoothing=SMOOTHING), tol=1e-12)
    np.testing.assert_allclose(mixture.experts.coef[0, :, :, 0], alone.coef, atol=1e-3)


def test_problems_of_a_forest_see_the_rows_of_their_parents_value():
    Y = np.array([[0, 1], [1, 0], [1, 1]], np.int8)
    problems = forest_problems(Y, np.array([1.0, 2.0, 3.0]), np.array([-1, 0]), np.ones((2, 2)))
    seen = problems.weights[:, problems.weight]
    np.testing.assert_array_equal(seen, [[1, 0, 1, 0], [2, 0, 0, 2], [3, 0, 0, 3]])
    assert problems.target.tolist() == [0, 0, 1, 1]


def test_dead_components_are_dropped(known):
    X, Y = known[0][:200], known[1][:200]
    gate, experts = start(
        TrainingRows.of(X, Y), 3, np.full((3, 4), ROOT), "constant", np.random.default_rng(3)
    )
    gate.log_weights = np.array([0.0, -200.0, -200.0])
    result = run_em(gate, experts, np.ones(200), max_iter=5)
    assert result.trace[-1]["components"] == len(experts.coef) == 1
    assert np.isfinite(result.bound)


def test_bernoulli_mixture_ignores_row_order_of_equal_sets(known):
    Y = known[1][:500]
    rows = TrainingRows.of(known[0][:500], Y)
    mixture = fit_bernoulli_mixture(rows, 5, seed=0)
    same = np.flatnonzero((Y[0] == Y).all(axis=1))
    assert np.ptp(mixture.responsibilities[same], axis=0).max() == 0
    np.testing.assert_allclose(mixture.responsibilities.sum(axis=1), 1.0)
    more = fit_bernoulli_mixture(rows, 5, seed=0, n_init=20)
    assert more.log_likelihood >= mixture.log_likelihood - 1e-9


def test_rows_of_small_weight_teach_too(known):
    """Red if what is negligible or dead is not relative to the weights: experts stay as they were, or all die."""
    X, Y, _, _ = known
    rows = TrainingRows.of(X[:500], Y[:500], np.full(500, 1e-6))
    coef = np.random.default_rng(1).normal(size=(2, rows.design.n_columns, 4, 1)) * 0.1
    l2 = np.full((2, 4, 1), 2e-6)
    experts = LogisticExperts(rows, np.full((2, 4), ROOT), coef, l2, negligible=1e-5)
    gate = SoftmaxGate(rows, np.zeros((rows.design.n_columns, 2)), 1e-6)
    run_em(gate, experts, rows.weights, max_iter=20)
    assert experts.coef.shape[0] == 2
    assert (np.abs(experts.coef[:, : rows.design.intercept]).max(axis=(1, 2, 3)) > 1.0).all()
