"""All methods give the same answer, among the allowed sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decisions import Constrained, Hamming, Subset
from setwise.distributions import Chain, DependencyNetwork, ForestMixture, Mixture, Product, Table
from setwise.distributions.gibbs import Gibbs
from setwise.inference.chains.conditionals import Linear
from setwise.inference.networks.gibbs import LinearConditionals
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.random_cascades import random_cascade
from tests.distributions.random_forests import random_mixture


def as_table(mixture):
    return Table(label_sets(mixture.n_labels), all_log_probs(mixture))


def chain(seed):
    rng = np.random.default_rng(seed)
    return Chain(Linear(rng.normal(size=(3, 4)), np.triu(rng.normal(size=(4, 4)), 1)))


def product(seed):
    return Product([[0, 3], [1, 2]], [as_table(random_mixture(seed + part, n_labels=2)) for part in (0, 1)])


FAMILIES = {
    "forests": lambda seed: random_mixture(seed, n_labels=4),
    "table": lambda seed: as_table(random_mixture(seed, n_labels=4)),
    "product": product,
    "mixture": lambda seed: Mixture(
        np.log(np.full((3, 2), 0.5)), [random_mixture(seed, n_labels=4), product(seed)]
    ),
    "chain": chain,
    "cascade": lambda seed: random_cascade(seed, n_labels=4, search="exact"),
}
every_family = pytest.mark.parametrize("family", FAMILIES)


def best_of(joint, evidence, min_labels):
    """By enumeration: the sets that agree with the evidence, of at least as many labels as may be answered."""
    sets, log_p = label_sets(joint.n_labels), all_log_probs(joint)
    agrees = ((sets == evidence[:, None]) | (evidence[:, None] == -1)).all(axis=2)
    least = np.minimum(min_labels, (evidence != 0).sum(axis=1))
    return np.where(agrees & (sets.sum(axis=1) >= least[:, None]), log_p, -np.inf)


@every_family
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), min_labels=st.integers(0, 4))
def test_answers_are_the_best_that_may_be_given(family, seed, min_labels):
    """Red if a method returns a set that is too small, misses a better one, or ignores evidence."""
    joint = FAMILIES[family](seed).restricted(min_labels)
    rng = np.random.default_rng(seed)
    evidence = np.where(rng.random((3, 4)) < 0.6, rng.choice([0, 0, 1], (3, 4)), -1)
    evidence[0] = -1
    truth = best_of(joint, evidence, min_labels)
    mode, top = joint.mode(evidence), joint.top_k(3, evidence)
    codes = mode.labels @ (1 << np.arange(4)[::-1])
    assert_allclose(truth[np.arange(3), codes], truth.max(axis=1), rtol=1e-9)
    assert_allclose(mode.log_prob, truth.max(axis=1), rtol=1e-9)
    assert_allclose(top.log_prob, -np.sort(-truth, axis=1)[:, :3], rtol=1e-9)


@every_family
@pytest.mark.parametrize("min_labels", [0, 1, 2])
def test_all_doors_agree(family, min_labels):
    """Red if mode, top_k, decide, predict or a rule disagree, with or without evidence."""
    for seed in range(5):
        joint = FAMILIES[family](seed).restricted(min_labels)
        doors = (
            [joint]
            if family == "cascade"
            else [joint, joint.condition([[0, -1, 0, -1], [0, 0, 0, 0], [-1] * 4])]
        )
        for some in doors:
            answers = [some.mode().labels, some.top_k(2).labels[:, 0], some.decide().labels, some.predict()]
            answers += [some.decide(rule).labels for rule in ("subset", Subset(), Constrained("subset"))]
            answers += [np.concatenate([row.predict() for row in some])]
            for labels in answers:
                assert_array_equal(labels, answers[0])


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "cascade"])
@pytest.mark.parametrize("min_labels", [1, 2, 3])
def test_evidence_given_or_conditioned_on_is_the_same(family, min_labels):
    """Red if mode(evidence) answers another set than the distribution given that evidence, also of few listed sets."""
    for seed in range(5):
        joint = FAMILIES[family](seed).restricted(min_labels)
        if family == "table":
            joint = Table(
                joint.sets[::3], np.log(np.full((3, len(joint.sets[::3])), 1 / len(joint.sets[::3])))
            )
            joint = joint.restricted(min_labels)
        known = np.array([[0, -1, 0, -1], [0, 0, -1, -1], [-1, 1, 0, -1]])
        known[np.isneginf(joint.log_prob(known))] = -1
        given = joint.condition(known)
        assert_array_equal(joint.mode(known).labels, given.mode().labels)
        assert_array_equal(joint.top_k(2, known).labels, given.top_k(2).labels)


def test_only_the_empty_set_fits_the_evidence():
    """Red if a label that is known to be off is returned because a set must have a label."""
    joint = random_mixture(0, n_rows=2, n_labels=3).restricted(min_labels=1)
    evidence = np.array([[0, 0, 0], [0, -1, 0]])
    given = joint.condition(evidence)
    for rule in ("subset", "hamming", "f1", "jaccard", Constrained("hamming", max_labels=2)):
        assert_array_equal(given.decide(rule).labels, [[0, 0, 0], [0, 1, 0]])
    assert_array_equal(joint.mode(evidence).labels, [[0, 0, 0], [0, 1, 0]])
    assert_array_equal(joint.top_k(2, evidence).labels[:, 0], [[0, 0, 0], [0, 1, 0]])


def test_a_table_that_lists_no_larger_set_answers_what_it_lists():
    """Red if evidence that only the empty set agrees with is overruled by min_labels."""
    table = Table([[0, 0, 0], [1, 0, 1], [0, 1, 0]], np.log([[0.2, 0.5, 0.3]])).restricted(min_labels=1)
    given = table.condition({0: 0, 1: 0})
    answers = [given.mode().labels, given.predict("hamming"), given.decide("f1").labels]
    answers += [table.mode({0: 0, 1: 0}).labels, table.top_k(2, {0: 0, 1: 0}).labels[:, 0]]
    for labels in answers:
        assert_array_equal(labels, [[0, 0, 0]])


def test_where_no_set_is_possible_probable_labels_are_answered():
    """Red if methods disagree when all allowed sets are impossible under the model."""
    table = Table([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.log([[0.2, 0.5, 0.3]])).restricted(min_labels=2)
    mode = table.mode()
    assert_array_equal(mode.labels, [[0, 1, 1]])
    assert np.isneginf(mode.log_prob).all()
    assert mode.certified.all()
    for labels in (table.predict(), table.decide().labels, table.top_k(3).labels[:, 0]):
        assert_array_equal(labels, mode.labels)
    assert (table.top_k(3).labels[:, 1:] == -1).all()


def test_impossible_evidence_has_no_set():
    certain = ForestMixture.independent([[np.inf, 0.0], [0.0, 0.5]]).restricted(min_labels=1)
    mode = certain.mode({0: 0})
    assert_array_equal(mode.labels, [[-1, -1], [0, 1]])
    assert_array_equal(np.isneginf(mode.log_prob), [True, False])
    assert_array_equal(certain.top_k(1, {0: 0}).labels[:, 0], mode.labels)


def test_probabilities_are_those_of_the_whole_joint():
    """Red if a restriction on the answers changes probabilities."""
    joint = random_mixture(3, n_labels=3)
    some = joint.restricted(min_labels=2)
    for question in ("marginals", "size_probs", "pairwise_marginals", "correlations"):
        assert_array_equal(getattr(some, question)(), getattr(joint, question)())
    sets = label_sets(3)
    assert_array_equal(some.log_probs_of(sets), joint.log_probs_of(sets))
    assert_allclose(some.mode().log_prob, joint.log_prob(some.mode().labels), rtol=1e-12)


def test_what_may_be_answered_is_kept():
    """Red if ``take``, ``condition`` or ``tempered`` loses the restriction."""
    joint = random_mixture(0, n_labels=3).restricted(min_labels=2)
    joint.decision, joint.label_names = Hamming(), np.array(["a", "b", "c"], dtype=object)
    for other in (
        joint.take([0]),
        joint[1:],
        joint.condition({"a": 1}),
        joint.tempered(2.0),
        next(iter(joint)),
    ):
        assert (other.min_labels, other.decision) == (2, Hamming())
        assert other.label_names is joint.label_names
    assert joint.unrestricted().min_labels == 0
    assert joint.min_labels == 2
    with pytest.raises(ValueError, match="min_labels is 4; expected 0 to 3"):
        joint.restricted(4)
    with pytest.raises(ValueError, match="k is 0"):
        joint.top_k(0)


def test_networks_that_never_sampled_a_set_answer_the_likeliest_labels():
    """Red if the counted mode, its list and decide() fill an empty answer in different ways."""
    shy = LinearConditionals(np.array([[-9.0, -8.0, -9.5]]), np.zeros((3, 3)))
    network = DependencyNetwork(shy).restricted(min_labels=1)
    answers = [network.mode().labels, network.top_k(2).labels[:, 0], network.decide("subset").labels]
    answers.append(network.decide(Gibbs()).labels)
    for labels in answers:
        assert_array_equal(labels, [[0, 1, 0]])


def test_nan_is_not_observed():
    mixture = random_mixture(0, n_rows=5, n_labels=4)
    known = np.array([[1.0, np.nan, 0.0, np.nan]] * 5)
    free = np.where(np.isnan(known), -1, known)
    assert_array_equal(mixture.log_prob(known), mixture.log_prob(free))
    assert_array_equal(mixture.condition(known).marginals(), mixture.condition(free).marginals())


def test_answers_show_names():
    joint = random_mixture(0, n_rows=2, n_labels=2).restricted(min_labels=1)
    joint.label_names, joint.row_names = np.array(["sea", "sand"], dtype=object), np.array(["ann", "bob"])
    for answer in (joint.mode(), joint.top_k(2), joint.decide(), joint.next_question(), joint.entropy()):
        assert answer.label_names is joint.label_names
        assert answer.row_names is joint.row_names
    assert "(no labels)" not in joint._repr_html_()
