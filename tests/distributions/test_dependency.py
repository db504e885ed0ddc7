import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from setwise import FREE, ImpossibleEvidence, NotTractable
from setwise.distributions import DependencyNetwork
from setwise.distributions.dependency import Sampling
from setwise.distributions.gibbs import Gibbs
from setwise.inference.networks.fixed_point import fixed_point
from setwise.inference.networks.gibbs import LinearConditionals, scan_orders
from setwise.inference.sets.enumeration import label_sets
from tests.inference.networks.ising import ising

MANY = Sampling(n_burn_in=50, n_samples=40_000, n_gibbs_chains=400)


@pytest.fixture(scope="module")
def known():
    conditionals, P = ising(7, n_rows=3, n_labels=5)
    return DependencyNetwork(conditionals, sampling=MANY), P


def test_answers_converge_to_the_joint(known):
    """Red if any count over samples leaves what 40,000 samples allow (autocorrelated, hence the factor)."""
    network, P = known
    sets, noise = label_sets(5), 6 * np.sqrt(0.25 / 40_000 * 4)
    assert_allclose(network.marginals(), P @ sets, atol=noise)
    assert_allclose(network.pairwise_marginals(), np.einsum("nm,mi,mj->nij", P, sets, sets), atol=noise)
    sizes = np.stack([P[:, sets.sum(axis=1) == s].sum(axis=1) for s in range(6)], axis=1)
    assert_allclose(network.size_probs(), sizes, atol=noise)
    top = network.top_k(3)
    codes = top.labels @ (1 << np.arange(5)[::-1])
    assert_allclose(np.exp(top.log_prob), np.take_along_axis(P, codes, axis=1), atol=noise)
    assert_allclose(-np.sort(-P, axis=1)[:, :3], np.take_along_axis(P, codes, axis=1), atol=2 * noise)


def test_conditioning_is_clamping(known):
    network, P = known
    evidence = np.array([[1, FREE, 0, FREE, FREE]] * 3)
    given = network.condition(evidence)
    sets = label_sets(5)
    part = P * ((sets[:, 0] == 1) & (sets[:, 2] == 0))
    assert_allclose(given.marginals(), part @ sets / part.sum(axis=1, keepdims=True), atol=0.03)
    draws = given.sample(30, np.random.default_rng(0))
    assert (draws[..., 0] == 1).all()
    assert (draws[..., 2] == 0).all()
    assert (network.mode(evidence).labels[:, [0, 2]] == [1, 0]).all()


def test_what_contradicts_a_clamped_label_is_impossible(known):
    """Red if such a row gets a set, or the other rows fail with it."""
    network, _ = known
    given = network.condition(np.array([[1, FREE, FREE, FREE, FREE]] * 3))
    evidence = np.array([[0, FREE, FREE, FREE, FREE], [1, FREE, 0, FREE, FREE], [FREE] * 5])
    with pytest.raises(ImpossibleEvidence, match="row 0, label 0 is already clamped to 1"):
        given.condition(evidence)
    mode, top = given.mode(evidence), given.top_k(2, evidence)
    for labels, log_prob in ((mode.labels, mode.log_prob), (top.labels[:, 0], top.log_prob[:, 0])):
        assert (labels[0] == FREE).all()
        assert (labels[1:, 0] == 1).all()
        assert_array_equal(np.isneginf(log_prob), [True, False, False])
    for certified in (mode.certified, top.certified):
        assert_array_equal(certified, [True, False, False])


def test_draws_are_independent_and_repeatable(known):
    network, P = known
    draws = network.sample(2000, np.random.default_rng(1))
    truth = P @ label_sets(5)
    assert_allclose(draws.mean(axis=1), truth, atol=6 * np.sqrt(0.25 / 2000))
    assert (draws[:, :5] == network.sample(2000, np.random.default_rng(1))[:, :5]).all()


def test_the_three_answers(known):
    """By hand from the samples: Algorithm 1, the marginals, and the highest product."""
    conditionals, _ = ising(8, n_rows=20, n_labels=4)
    sampling = Sampling(n_samples=60, n_keep=15, n_gibbs_chains=2)
    network = DependencyNetwork(conditionals, sampling=sampling)
    answers = {answer: network.decide(Gibbs(answer)) for answer in ("kept", "marginals", "best")}
    states, scores = (part.reshape(20, 60, -1) for part in network.samples[:2])
    for i in range(20):
        ranked = np.argsort(-scores[i, :, 0], kind="stable")
        kept = states[i][ranked[:15]].mean(axis=0) > 0.5
        assert (answers["kept"].labels[i] == kept).all()
        assert (answers["best"].labels[i] == states[i][ranked[0]]).all()
    assert (answers["marginals"].labels == (network.marginals() > 0.5)).all()
    assert not answers["kept"].certified.any()


@pytest.mark.parametrize("search", ["kept", "marginals", "best"])
def test_small_sets_are_filled_with_the_likeliest_labels(search):
    shy = LinearConditionals(np.array([[-4.0, -3.0, -5.0]]), np.zeros((3, 3)))
    network, rule = DependencyNetwork(shy), Gibbs(search)
    assert network.predict(rule).sum() == 0
    some = network.restricted(min_labels=1)
    assert some.predict(rule).tolist() == [[0, 1, 0]]
    assert some.condition([[-1, 0, -1]]).predict(rule).tolist() == [[1, 0, 0]]


def test_rows_keep_their_random_numbers(known):
    network, _ = known
    assert network.take([]).n_rows == 0
    part = network.take([2, 0])
    assert_allclose(part.marginals(), network.marginals()[[2, 0]], rtol=1e-12)
    assert_allclose(network.take(slice(1, 2)).marginals(), network.marginals()[1:2], rtol=1e-12)


def test_trapped_chains_are_reported():
    """Two labels that determine each other: no chain ever leaves its start."""
    twins = LinearConditionals(np.zeros((5, 2)), np.array([[0.0, 40.0], [40.0, 0.0]]))
    mixing = DependencyNetwork(twins, sampling=Sampling(n_gibbs_chains=8)).mixing()
    assert mixing.share_not_mixed == 1.0
    assert (mixing.r_hat == np.inf).all()
    loose = LinearConditionals(np.zeros((5, 2)), np.zeros((2, 2)))
    assert DependencyNetwork(loose).mixing().share_not_mixed == 0.0


def test_discrete_networks_answer_from_fixed_points():
    conditionals, _ = ising(9, n_rows=10, n_labels=4, scale=1.0)
    start = np.zeros((10, 4), np.int8)
    network = DependencyNetwork(conditionals, start=start, sampling=Sampling(n_gibbs_chains=6))
    ends = network.fixed_points
    assert len(ends) == 6
    order = scan_orders(6, 4, 0)[0]
    free = np.full((10, 4), FREE, np.int8)
    assert (network.predict(Gibbs("kept")) == fixed_point(conditionals, free, start, order).labels).all()
    scores = np.stack([e.scores for e in ends], axis=1)
    best = np.stack([e.labels for e in ends], axis=1)[np.arange(10), scores.argmax(axis=1)]
    assert (network.predict(Gibbs("best")) == best).all()
    assert network.sample(3, np.random.default_rng(0)).shape == (10, 3, 4)
    assert ((network.marginals() >= 0) & (network.marginals() <= 1)).all()
    clamped = network.condition(np.where(np.arange(4) == 1, 1, FREE) * np.ones((10, 1), int))
    assert (clamped.predict(Gibbs())[:, 1] == 1).all()
    assert network.mixing().mixed.shape == (10,)


def test_what_has_no_answer_says_what_has(known):
    network, _ = known
    for question in (lambda: network.log_prob(np.zeros((3, 5))), network.entropy):
        with pytest.raises(NotTractable, match="top_k"):
            question()
    with pytest.raises(ValueError, match="row 1 is partial"):
        network.pseudo_log_prob([[0] * 5, [-1] * 5, [0] * 5])
    with pytest.raises(ValueError, match="'kept', 'marginals', 'best'"):
        Gibbs("all")
    for name, value in (("n_burn_in", -1), ("n_samples", 0), ("n_keep", 2.5), ("n_gibbs_chains", 0)):
        with pytest.raises(ValueError, match=name):
            DependencyNetwork(network.conditionals, sampling=Sampling()._replace(**{name: value}))
    assert repr(network).startswith("DependencyNetwork(n_rows=3")


def test_evidence_that_leaves_too_few_labels_has_no_set():
    """Red if an answer has fewer labels than required."""
    network = DependencyNetwork(LinearConditionals(np.array([[1.0, 0, -1]]), np.zeros((3, 3))))
    evidence = np.array([[0, 0, FREE]], dtype=np.int8)
    for answer in (
        network.find_mode(evidence, least=2),
        network.find_top_k(1, evidence, least=2),
    ):
        assert (answer.labels == FREE).all()
        assert np.isneginf(answer.log_prob).all()
        assert answer.certified.all()


@pytest.mark.parametrize("coupling", [0.0, 2.5])
def test_samples_that_follow_one_another_are_worth_fewer(coupling):
    """Red if the standard error of a loss is that of independent draws: three labels that hold one another."""
    conditionals = LinearConditionals(np.zeros((1, 3)), coupling * (1 - np.eye(3)) / 2)
    means, worth = [], []
    for seed in range(40):
        network = DependencyNetwork(conditionals, sampling=Sampling(seed=seed))
        means.append(network.draws()[0, :, 0].mean())
        worth.append(network.independent_draws()[0])
    assert 0.6 < np.std(means) / (0.5 / np.sqrt(np.mean(worth))) < 1.6
