import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logsumexp

from setwise.contract import ImpossibleEvidence
from setwise.distributions import ForestMixture, SeenSets, Table
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.checks import yield_checks
from tests.distributions.random_forests import mixtures, random_mixture


@pytest.mark.parametrize("check", list(yield_checks()), ids=lambda check: check.__name__)
@settings(max_examples=40, deadline=None)
@given(mixture=mixtures)
def test_equals_enumeration(check, mixture):
    """Red if any answer of the family differs from the sum or maximum over all label sets."""
    check(mixture, np.random.default_rng(0))


def test_log_prob_is_the_formula():
    """Against the definition written out, without any code of the family."""
    mixture = random_mixture(1, n_rows=2, n_components=2, n_labels=4)
    logits, parents, _ = mixture.forests
    for y in label_sets(4):
        for i in range(2):
            total = 0.0
            for k in range(2):
                p = np.exp(mixture.log_gate[i, k])
                for label in range(4):
                    value = y[parents[k, label]] if parents[k, label] >= 0 else 0
                    on = expit(logits[i, k, label, value])
                    p *= on if y[label] else 1 - on
                total += p
            assert_allclose(np.exp(mixture.log_prob([y] * 2)[i]), total, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(mixture=mixtures, seed=st.integers(0, 99))
def test_permuting_labels_permutes_answers(mixture, seed):
    order = np.random.default_rng(seed).permutation(mixture.n_labels)
    place = np.argsort(order)
    logits, parents, _ = mixture.forests
    moved = np.where(parents >= 0, place[parents], -1)[:, order]
    other = ForestMixture(mixture.log_gate, logits[:, :, order], moved)
    assert_allclose(other.marginals(), mixture.marginals()[:, order], atol=1e-12)
    assert_allclose(other.size_probs(), mixture.size_probs(), atol=1e-12)
    ours, theirs = other.top_k(2), mixture.top_k(2)
    assert_allclose(ours.log_prob, theirs.log_prob, rtol=1e-12, atol=1e-12)
    clear = theirs.log_prob[:, 0] > theirs.log_prob[:, 1] + 1e-9
    assert_array_equal(ours.labels[clear, 0], theirs.labels[clear, 0][:, order])


def test_float32_is_close_and_kept():
    double = random_mixture(2, n_rows=20, n_components=3, n_labels=6)
    single = ForestMixture(double.log_gate, double.forests.logits.astype(np.float32), double.forests.parents)
    assert single.forests.logits.dtype == np.float32
    assert single.condition(np.full((20, 6), -1)).forests.logits.dtype == np.float32
    assert_allclose(all_log_probs(single), all_log_probs(double), rtol=1e-4, atol=1e-4)
    assert_allclose(single.marginals(), double.marginals(), atol=1e-6)
    assert_allclose(single.mode().log_prob, double.mode().log_prob, rtol=1e-5, atol=1e-5)


def test_one_component_is_its_forest():
    mixture = random_mixture(3, n_components=1, n_labels=6)
    forest = ForestMixture.forest(mixture.forests.logits[:, 0], mixture.forests.parents[0])
    assert_allclose(all_log_probs(mixture), all_log_probs(forest), rtol=1e-14)
    assert_array_equal(mixture.mode().labels, mixture.top_k(1).labels[:, 0])


def test_no_edges_are_independent_labels():
    logits = np.random.default_rng(0).normal(size=(4, 5))
    independent = ForestMixture.independent(logits)
    Y = np.random.default_rng(1).integers(0, 2, (4, 5))
    p = expit(logits)
    assert_allclose(independent.log_prob(Y), np.log(np.where(Y, p, 1 - p)).sum(axis=1), rtol=1e-12)
    assert_array_equal(independent.mode().labels, logits > 0)


def test_equal_components_are_one_component_whatever_the_gate():
    one = random_mixture(4, n_rows=5, n_components=1, n_labels=6)
    gate = np.log(np.random.default_rng(0).dirichlet(np.ones(3), size=5))
    logits = np.repeat(one.forests.logits, 3, axis=1)
    many = ForestMixture(gate, logits, np.repeat(one.forests.parents, 3, axis=0))
    assert_allclose(all_log_probs(many), all_log_probs(one), rtol=1e-12)
    assert_array_equal(many.mode().labels, one.mode().labels)


class TestManyLabels:
    """Beyond enumeration: closed forms, and no underflow."""

    L = 400

    def test_mode_of_independent_labels_beside_a_hopeless_component(self):
        logits = np.random.default_rng(0).normal(size=(3, 2, self.L, 1))
        gate = np.tile([0.0, -np.inf], (3, 1))
        mode = ForestMixture(gate, logits, np.full((2, self.L), -1)).mode()
        assert_array_equal(mode.labels, logits[:, 0, :, 0] > 0)
        truth = -np.logaddexp(0, -np.abs(logits[:, 0, :, 0])).sum(axis=1)
        assert_allclose(mode.log_prob, truth, rtol=1e-12)
        assert mode.certified.all()

    @pytest.mark.parametrize("edges", [False, True])
    def test_sets_that_underflow_beside_the_best(self, edges):
        """A label must be on although each costs at least 790 nats: its probability underflows."""
        logits = np.full((1, 2, 40, 2 if edges else 1), -800.0)
        logits[0, :, 7] = -790.0
        parents = np.full((2, 40), -1)
        if edges:
            parents[:, 1:] = np.arange(39)
        mode = ForestMixture(np.log([[0.5, 0.5]]), logits, parents).find_mode(least=1)
        assert_array_equal(np.flatnonzero(mode.labels[0]), [7])
        assert_allclose(mode.log_prob, [-790.0], rtol=1e-12)
        assert mode.certified.all()

    def test_sizes_of_equal_labels_are_binomial(self):
        mixture = ForestMixture.independent(np.full((1, self.L), -1.0))
        truth = np.array([1.0])
        for _ in range(self.L):
            truth = np.convolve(truth, [1 - expit(-1.0), expit(-1.0)])
        assert_allclose(mixture.size_probs()[0], truth, rtol=1e-9, atol=1e-15)

    def test_a_long_chain(self):
        """Every label copies the one before it."""
        logits = np.tile([-np.inf, np.inf], (1, self.L, 1))
        logits[0, 0] = 1.0
        chain = ForestMixture.forest(logits, np.arange(self.L) - 1)
        assert_array_equal(chain.mode().labels, 1)
        assert_allclose(chain.marginals(), expit(1.0))
        given = np.full((1, self.L), -1)
        given[0, -1] = 0
        assert_array_equal(chain.condition(given).marginals(), 0)
        assert_allclose(chain.log_prob(given), np.log(expit(-1.0)))
        assert_allclose(chain.size_probs()[0, [0, -1]], [expit(-1.0), expit(1.0)])


class TestBudget:
    mixture = random_mixture(8, n_rows=30, n_components=6, n_labels=8, kind="independent")

    def test_what_is_given_without_certificate_is_within_the_gap(self):
        flat = ForestMixture(
            self.mixture.log_gate, self.mixture.forests.logits * 0.2, self.mixture.forests.parents
        )
        truth = all_log_probs(flat).max(axis=1)
        short = flat.find_mode(budget=1)
        assert not short.certified.all()
        assert (short.gap[~short.certified] > 0).all()
        assert (short.gap[short.certified] == 0).all()
        assert (truth <= short.log_prob + short.gap + 1e-12).all()
        assert_allclose(short.log_prob, flat.log_prob(short.labels), rtol=1e-12)

    def test_sets_not_reached_are_absent(self):
        short = self.mixture.find_top_k(200, budget=1)
        assert not short.certified.any()
        assert np.isinf(short.gap).all()
        assert ((short.labels == -1).all(axis=2) == (short.log_prob == -np.inf)).all()


class TestAnnealing:
    def test_never_better_than_exact_and_mostly_equal(self):
        mixture = random_mixture(9, n_rows=60, n_components=4, n_labels=8)
        exact = mixture.mode()
        annealed = mixture.annealed_mode(rng=np.random.default_rng(0))
        assert (annealed.log_prob <= exact.log_prob + 1e-12).all()
        assert_allclose(annealed.log_prob, mixture.log_prob(annealed.labels), rtol=1e-12)
        assert (exact.log_prob <= annealed.log_prob + annealed.gap + 1e-12).all()
        assert (annealed.labels == exact.labels).all(axis=1).mean() > 0.8

    @pytest.mark.parametrize("kind", ["independent", "forest", "deterministic"])
    def test_respects_evidence_and_min_labels(self, kind):
        mixture = random_mixture(10, n_rows=40, n_components=3, n_labels=7, kind=kind)
        evidence = mixture.sample(1, np.random.default_rng(0))[:, 0]
        evidence[:, 3:] = -1
        answer = mixture.restricted(min_labels=3).annealed_mode(evidence)
        found = answer.log_prob > -np.inf
        assert found.any()
        assert (answer.labels[found, :3] == evidence[found, :3]).all()
        assert (answer.labels[found].sum(axis=1) >= 3).all()
        assert (answer.labels[~found] == -1).all()

    def test_a_seed_repeats_the_walk(self):
        mixture = random_mixture(11, n_rows=10, n_labels=8)
        first, second = (mixture.annealed_mode(rng=np.random.default_rng(5)) for _ in range(2))
        assert_array_equal(first.labels, second.labels)


def test_entropy_is_sampled_beyond_enumeration_and_says_so():
    mixture = random_mixture(12, n_rows=4, n_components=3, n_labels=12)
    answer = mixture.entropy()
    log_p = all_log_probs(mixture)
    truth = -(np.exp(log_p) * log_p).sum(axis=1)
    assert answer.method == "sampled"
    assert (np.abs(answer.value - truth) <= 5 * answer.standard_error + 1e-12).all()
    assert (answer.lower <= truth + 1e-12).all()
    assert (truth <= answer.upper + 1e-12).all()


def test_evidence_in_blocks_of_rows(monkeypatch):
    """Red if the blocks of a long search are split or joined wrongly."""
    mixture = random_mixture(13, n_rows=17, n_labels=5)
    evidence = np.full((17, 5), -1)
    evidence[:, 0] = 1
    whole = mixture.top_k(3, evidence)
    monkeypatch.setattr("setwise.blocks.budget.BLOCK_BYTES", 32 * mixture.forests.logits[0].size)
    for a, b in zip(whole, mixture.top_k(3, evidence)):
        assert_array_equal(a, b)


def test_no_rows():
    none = random_mixture(14).take([])
    assert none.n_rows == 0
    assert none.mode().labels.shape == (0, 5)
    assert none.top_k(2, np.empty((0, 5))).labels.shape == (0, 2, 5)
    assert none.marginals().shape == (0, 5)
    assert none.sample(3, np.random.default_rng(0)).shape == (0, 3, 5)
    assert none.entropy().value.shape == (0,)


class TestErrors:
    def test_cycle(self):
        with pytest.raises(ValueError, match=r"component 1 form a cycle among labels \[0, 2\]"):
            ForestMixture(np.log([[0.5, 0.5]]), np.zeros((1, 2, 3, 2)), [[-1, 0, 0], [2, 0, 0]])

    def test_nan(self):
        logits = np.zeros((2, 1, 3, 1))
        logits[1, 0, 2] = np.nan
        with pytest.raises(ValueError, match="row 1, component 0, label 2"):
            ForestMixture(np.zeros((2, 1)), logits, [[-1, -1, -1]])

    def test_edges_without_tables(self):
        with pytest.raises(ValueError, match="label 1 of component 0 has a parent"):
            ForestMixture(np.zeros((2, 1)), np.zeros((2, 1, 3, 1)), [[-1, 0, -1]])

    @pytest.mark.parametrize("parent", [3, -2])
    def test_no_such_parent(self, parent):
        with pytest.raises(ValueError, match=rf"parents\[0, 1\] is {parent}"):
            ForestMixture(np.zeros((2, 1)), np.zeros((2, 1, 3, 2)), [[-1, parent, -1]])

    @pytest.mark.parametrize("shape", [(2, 3), (2, 1, 3, 3), (2, 0, 3, 1), (2, 1, 0, 1)])
    def test_shape_of_logits(self, shape):
        with pytest.raises(ValueError, match="logits has shape"):
            ForestMixture(np.zeros((2, 1)), np.zeros(shape), [[-1, -1, -1]])

    @pytest.mark.parametrize("gate", [[[0.1, 0.2]], [[np.nan, 0.0]], [[-np.inf, -np.inf]]])
    def test_weights_that_do_not_sum_to_one(self, gate):
        with pytest.raises(ValueError, match=r"log_gate\[0\] sums to"):
            ForestMixture(gate, np.zeros((1, 2, 3, 1)), [[-1] * 3] * 2)

    def test_shape_of_gate(self):
        with pytest.raises(ValueError, match=r"log_gate has shape \(2, 2\)"):
            ForestMixture(np.zeros((2, 2)), np.zeros((2, 1, 3, 1)), [[-1] * 3])

    def test_impossible_evidence_names_rows(self):
        certain = ForestMixture.independent(np.array([[0.0, 0.0], [np.inf, 0.0]]))
        with pytest.raises(ImpossibleEvidence, match=r"1 of 2 rows.*\[1\]"):
            certain.condition([[0, -1], [0, -1]])


@pytest.mark.parametrize("seed", range(3))
def test_forest_against_pgmpy(seed):
    """An independent implementation of exact inference: marginals, evidence and mode of one forest."""
    inference = pytest.importorskip("pgmpy.inference")
    models, factors = pytest.importorskip("pgmpy.models"), pytest.importorskip("pgmpy.factors.discrete")
    mixture = random_mixture(seed, n_rows=1, n_components=1, n_labels=7)
    logits, parents, _ = mixture.forests
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(range(7))
    network.add_edges_from((p, c) for c, p in enumerate(parents[0].tolist()) if p >= 0)
    for label, parent in enumerate(parents[0].tolist()):
        on = expit(logits[0, 0, label, : 2 if parent >= 0 else 1])
        given_parent = ([parent], [2]) if parent >= 0 else (None, None)
        network.add_cpds(factors.TabularCPD(label, 2, [1 - on, on], *given_parent))
    oracle = inference.VariableElimination(network)
    theirs = [oracle.query([label], show_progress=False).values[1] for label in range(7)]
    assert_allclose(mixture.marginals()[0], theirs, atol=1e-10)
    given = mixture.condition([[-1, 1, -1, 0, -1, -1, -1]]).marginals()[0]
    seen = {1: 1, 3: 0}
    theirs = [
        seen.get(j, 0) if j in seen else oracle.query([j], seen, show_progress=False).values[1]
        for j in range(7)
    ]
    assert_allclose(given, theirs, atol=1e-10)
    best = oracle.map_query(list(range(7)), show_progress=False)
    assert_array_equal(mixture.mode().labels[0], [best[j] for j in range(7)])
    best = oracle.map_query([j for j in range(7) if j not in seen], seen, show_progress=False) | seen
    assert_array_equal(mixture.mode([[-1, 1, -1, 0, -1, -1, -1]]).labels[0], [best[j] for j in range(7)])


def test_conditional_gate_is_bayes_rule():
    mixture = random_mixture(15, n_rows=1, n_components=3, n_labels=4)
    evidence = np.array([[1, -1, 0, -1]], dtype=np.int8)
    alone = [
        ForestMixture([[0.0]], mixture.forests.logits[:, [k]], mixture.forests.parents[[k]]) for k in range(3)
    ]
    joint = mixture.log_gate[0] + [one.log_prob(evidence)[0] for one in alone]
    assert_allclose(mixture.condition(evidence).log_gate[0], joint - logsumexp(joint), rtol=1e-12)


def test_the_best_draw_is_a_lower_bound_that_usually_is_the_mode():
    """Red if draws ignore the evidence or the smallest size, or are scored by another distribution."""
    rng = np.random.default_rng(5)
    mixture = ForestMixture(
        np.log(rng.dirichlet(np.ones(3), 40)), rng.normal(size=(40, 3, 4, 1)) * 2, np.full((3, 4), -1)
    )
    evidence = np.full((40, 4), -1, np.int8)
    evidence[:, 0] = 1
    for known, min_labels in ((None, 0), (evidence, 2)):
        exact = mixture.find_mode(known, least=min_labels)
        drawn = mixture.restricted(min_labels).sampled_mode(known)
        assert (drawn.log_prob <= exact.log_prob + 1e-12).all()
        assert (drawn.log_prob + drawn.gap >= exact.log_prob - 1e-12).all()
        assert (drawn.labels == exact.labels).all(axis=1).mean() > 0.9
        assert (drawn.labels[drawn.certified] == exact.labels[drawn.certified]).all()
        assert (drawn.labels.sum(axis=1) >= min_labels).all()
        if known is not None:
            assert (drawn.labels[:, 0] == 1).all()


def test_annealing_that_finds_no_set_proves_nothing():
    logits = np.zeros((1, 12, 2))
    logits[0, 0], logits[0, 1:, 0], logits[0, 1:, 1] = np.log(9), np.inf, -np.inf
    tree = ForestMixture.forest(logits, [-1] + [0] * 11)
    found = tree.restricted(min_labels=2).annealed_mode()
    assert found.certified[0] == (found.log_prob[0] > -np.inf)


def test_sampling_leaves_impossible_rows_to_themselves():
    """Red if one row's impossible evidence is an error for all."""
    mixture = ForestMixture.independent([[np.inf, 0.5], [1.0, 0.5]])
    mode = mixture.sampled_mode([[0, -1], [0, -1]])
    assert_array_equal(mode.labels, [[-1, -1], [0, 1]])
    assert_array_equal(np.isneginf(mode.log_prob), [True, False])
    assert mode.certified[0]


def test_other_families_say_that_they_have_no_published_search():
    """Red if the error is Python's own, which does not say what to use."""
    table, one = Table([[0], [1]], np.log([[0.5, 0.5]])), ForestMixture.independent([[1.0]])
    for joint in (table, SeenSets.of(one, [[1]], 0.5)):
        with pytest.raises(AttributeError, match="has no annealed_mode: the papers describe it for mixtures"):
            joint.annealed_mode()
        with pytest.raises(AttributeError, match="object has no attribute 'nonsense'"):
            _ = joint.nonsense
