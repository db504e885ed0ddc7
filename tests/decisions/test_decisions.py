"""Every decision attains the least expected loss found by enumerating all answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from setwise.decisions import (
    Abstain,
    Constrained,
    Costs,
    FBeta,
    Hamming,
    Jaccard,
    Loss,
    Sizes,
    Subset,
)
from setwise.distributions import ForestMixture, Mixture, Product, Table
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.decisions.oracle import (
    allowed,
    assert_best,
    codes,
    cost_loss,
    expected_losses,
    f_loss,
    hamming_loss,
    jaccard_loss,
    subset_loss,
)
from tests.distributions.random_forests import mixtures, random_mixture

LOSSES = {
    "subset": (Subset(), subset_loss),
    "hamming": (Hamming(), hamming_loss),
    "f1": (FBeta(), f_loss(1.0)),
    "f2": (FBeta(beta=2.0), f_loss(2.0)),
    "f0.7, by the joint of sizes": (FBeta(beta=0.7), f_loss(0.7)),
    "jaccard": (Jaccard(), jaccard_loss),
    "own": (Loss(lambda t, a: ((t != a).sum(axis=-1) > 1) + 0.1 * a.sum(axis=-1)), None),
}
LOSSES["own"] = (LOSSES["own"][0], lambda t, a: float((t != a).sum() > 1) + 0.1 * a.sum())
every_loss = pytest.mark.parametrize("name", LOSSES)


def as_table(mixture):
    return Table(label_sets(mixture.n_labels), all_log_probs(mixture))


@settings(max_examples=25, deadline=None)
@given(
    mixture=mixtures, false_positive=st.sampled_from([0.3, 5.0]), false_negative=st.sampled_from([0.2, 1.0])
)
def test_forest_mixtures(mixture, false_positive, false_negative):
    for name, (rule, loss) in LOSSES.items():
        if mixture.n_labels <= 6 or "," not in name:
            assert_best(mixture.decide(rule), expected_losses(mixture, loss))
    costs = Costs(false_positive, np.full(mixture.n_labels, false_negative))
    assert_best(mixture.decide(costs), expected_losses(mixture, cost_loss(false_positive, false_negative)))


@every_loss
def test_other_exact_families(name):
    rule, loss = LOSSES[name]
    for seed in range(6):
        mixture = random_mixture(seed, n_labels=5, kind=["forest", "deterministic"][seed % 2])
        table = as_table(mixture)
        parts = Product(
            [[0, 3], [1, 2, 4]], [as_table(random_mixture(seed, n_labels=size)) for size in (2, 3)]
        )
        both = Mixture(np.log(np.tile([0.3, 0.7], (3, 1))), [table, parts])
        for family in (table, parts, both):
            if not (name == "subset" and family is both):  # a list of sets cannot always prove its best
                assert_best(family.decide(rule), expected_losses(family, loss))


CONSTRAINTS = {
    "sizes": ({"min_labels": 2, "max_labels": 3}, {"sizes": (2, 3)}),
    "one size": ({"min_labels": 4, "max_labels": 4}, {"sizes": (4, 4)}),
    "fixed": ({"contains": [1], "excludes": [3, 0]}, {"on": [1], "off": [0, 3]}),
    "hierarchy": ({"implies": [(0, 1), (1, 2), (4, 2)]}, {"implies": [(0, 1), (1, 2), (4, 2)]}),
    "exclusions": ({"exclusive": [(0, 1, 2), (3, 4)]}, {"exclusive": [(0, 1, 2), (3, 4)]}),
    "all": (
        {
            "contains": [4],
            "implies": [(0, 1), (4, 3)],
            "exclusive": [(1, 2)],
            "min_labels": 2,
            "max_labels": 4,
        },
        {"on": [4], "implies": [(0, 1), (4, 3)], "exclusive": [(1, 2)], "sizes": (2, 4)},
    ),
}


@every_loss
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraints(name, constraint):
    rule, loss = LOSSES[name]
    asked, truth = CONSTRAINTS[constraint]
    fits = allowed(5, **truth)
    for seed in range(9):
        mixture = random_mixture(seed, n_labels=5, kind=["independent", "forest", "deterministic"][seed % 3])
        for family in (mixture, as_table(mixture)):
            assert_best(family.decide(Constrained(rule, **asked)), expected_losses(family, loss), fits)


@every_loss
@pytest.mark.parametrize("constraint", [None, "sizes", "all"])
def test_a_list_of_sets(name, constraint):
    """Red if a set outside of the list is answered, a better one of it is not, or its loss is another than stated."""
    rule, loss = LOSSES[name]
    asked, truth = CONSTRAINTS[constraint] if constraint else ({}, {})
    sets, rng = label_sets(5), np.random.default_rng(0)
    for seed in range(6):
        mixture = random_mixture(seed, n_labels=5, kind=["independent", "forest", "deterministic"][seed % 3])
        fits = allowed(5, **truth) & (rng.random(32) < 0.5)
        if not fits.any():
            continue
        listed = np.repeat(sets[fits | (rng.random(32) < 0.3) & ~allowed(5, **truth)], 2, axis=0)
        for family in (mixture, as_table(mixture)):
            decided = family.decide(Constrained(rule, among=listed, **asked))
            assert_best(decided, expected_losses(family, loss), fits)
            nested = family.decide(Constrained(Constrained(rule, among=listed), among=sets[fits]))
            assert_best(nested, expected_losses(family, loss), fits)


@every_loss
def test_a_list_of_sets_with_many_labels(name):
    """Red if the loss of an answer for more labels than are enumerated is not that of draws, within its error."""
    rule, _ = LOSSES[name]
    mixture = random_mixture(3, n_labels=14)
    listed = np.random.default_rng(1).integers(0, 2, size=(40, 14)).astype(np.int8)
    decided = mixture.decide(Constrained(rule, among=listed))
    assert (decided.labels[:, None] == listed).all(axis=2).any(axis=1).all()
    draws = mixture.sample(20_000, np.random.default_rng(2))
    losses = np.stack([rule.loss(draws, y[None, None]).mean(axis=1) for y in listed], axis=1)
    error = 0.02 + 4 * decided.standard_error
    assert (
        np.abs(rule.loss(draws, decided.labels[:, None]).mean(axis=1) - decided.expected_loss) < error
    ).all()
    assert (decided.expected_loss < losses.min(axis=1) + error).all()
    exact = name not in ("jaccard", "own")
    assert (decided.certified == exact).all()


@pytest.mark.parametrize(
    "wrong", [{"contains": "ab"}, {"excludes": "ab"}, {"exclusive": ["ab", "c"]}, {"implies": ["ab"]}]
)
def test_a_bare_name_is_no_list_of_letters(wrong):
    """Red if the labels "a" and "b" are taken where "ab" was meant."""
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} has the name 'ab'"):
        Constrained(**wrong)


@pytest.mark.parametrize(
    ("among", "message"),
    [
        ([[1, 0]], "each of the 3 labels"),
        ([[1, 0, 0], [1, 0, 2]], r"among\[1, 2\] is .*2.*; expected 0 or 1"),
        ([1, 0, 0], "each of the 3 labels"),
        (np.zeros((0, 3)), "no label set satisfies"),
        ([[1, 1, 1]], "one of 1 given sets"),
    ],
)
def test_a_list_that_leaves_no_answer_is_refused(among, message):
    joint = ForestMixture.independent([[2.0, -1.0, -3.0]])
    with pytest.raises(ValueError, match=message):
        joint.decide(Constrained(among=among, max_labels=2))


@settings(max_examples=30, deadline=None)
@given(mixture=mixtures, data=st.data())
def test_sizes(mixture, data):
    """Also the range of a single size, where the search tilts the bounds."""
    least = data.draw(st.integers(0, mixture.n_labels))
    most = data.draw(st.integers(least, mixture.n_labels))
    fits = allowed(mixture.n_labels, sizes=(least, most))
    for rule in ("subset", "hamming", "f1"):
        decided = mixture.decide(Sizes(least, most, rule))
        assert_best(decided, expected_losses(mixture, LOSSES[rule][1]), fits)


@every_loss
def test_abstention_is_best_where_it_costs_what_is_said(name):
    rule, loss = LOSSES[name]
    mixture = random_mixture(3, n_rows=30, n_labels=4)
    expected = expected_losses(mixture, loss)
    decided = mixture.decide(Abstain(0.6, rule))
    none = (decided.labels == -1).all(axis=1)
    assert_array_equal(none, expected.min(axis=1) > 0.4)
    assert_allclose(decided.expected_loss, np.minimum(expected.min(axis=1), 0.4), atol=1e-10)
    assert_array_equal(codes(decided.labels[~none]), codes(mixture.take(~none).decide(rule).labels))


@pytest.mark.parametrize("confidence", [80, -0.1, np.nan])
@pytest.mark.parametrize("decision", ["subset", "f1", Hamming(), Constrained("jaccard", contains=[0])])
def test_confidence_is_a_share_where_the_loss_is(confidence, decision):
    """Red where percents are taken, and no row is ever answered."""
    with pytest.raises(ValueError, match=rf"confidence is {confidence}; expected a number from 0 to 1"):
        Abstain(confidence, decision)


def test_costs_give_abstention_any_price():
    assert (random_mixture(0, n_labels=4).decide(Abstain(-7.0, Costs())).labels >= 0).all()
    with pytest.raises(ValueError, match="confidence is nan; expected a finite number"):
        Abstain(np.nan, Costs())


@every_loss
def test_the_loss_of_abstention(name):
    """Red when a row without an answer costs anything but what is said, or an answer anything but its own loss."""
    rule, loss = LOSSES[name]
    sets = label_sets(4)
    answers = np.vstack([sets, np.full((1, 4), -1)])
    expected = np.array([[loss(truth, answer) for answer in sets] + [0.4] for truth in sets])
    assert_allclose(Abstain(0.6, rule).loss(sets[:, None], answers[None]), expected, atol=1e-12)


def test_many_labels_beyond_the_first_sizes():
    """Equally likely single labels: the best F1 answer holds them all, far beyond the sizes tried first."""
    table = Table(np.eye(40, dtype=int), np.full((1, 40), -np.log(40)))
    decided = table.decide(FBeta())
    assert decided.labels.sum() == 40
    assert_allclose(decided.expected_loss, 1 - 2 / 41)
    spread = ForestMixture(
        np.full((1, 40), -np.log(40)), 60.0 * np.eye(40)[None, :, :, None] - 30, -np.ones((40, 40))
    )
    decided = spread.decide(FBeta())
    assert decided.labels.sum() == 40
    assert_allclose(decided.expected_loss, 1 - 2 / 41, atol=1e-10)


@pytest.mark.parametrize(
    "rule", [Jaccard(), Loss(lambda t, a: 1 - (t & a).sum(-1) / np.maximum((t | a).sum(-1), 1))]
)
def test_estimates_keep_their_stated_error(rule):
    """Twelve labels: no enumeration inside, but the truth can be enumerated here."""
    mixture = random_mixture(8, n_rows=12, n_labels=12, kind="independent")
    decided = mixture.decide(rule)
    P, sets = np.exp(all_log_probs(mixture)), label_sets(12)
    truth = np.array([p @ rule.loss(sets, y) for p, y in zip(P, decided.labels)])
    assert (np.abs(decided.expected_loss - truth) <= 5 * decided.standard_error + 1e-9).all()
    assert not decided.certified.any()
    best_f1 = np.array([p @ rule.loss(sets, y) for p, y in zip(P, mixture.decide(FBeta()).labels)])
    assert truth.mean() <= best_f1.mean() + 1e-3


def _everything(distribution):
    return np.ones((distribution.n_rows, distribution.n_labels))


def test_names_rules_and_callables():
    mixture = random_mixture(0, n_labels=4)
    assert_array_equal(mixture.decide("f1").labels, mixture.decide(FBeta()).labels)
    own = mixture.decide(_everything)
    assert own.labels.all()
    assert np.isnan(own.expected_loss).all()
    with pytest.raises(ValueError, match="'subset', 'hamming', 'f1', 'jaccard'"):
        mixture.decide("best")
    assert (mixture.restricted(min_labels=4).decide("subset").labels == 1).all()


def test_errors_say_what_is_wrong():
    mixture = random_mixture(0, n_labels=4)
    mixture.label_names = np.array(["sea", "sky", "dog", "cat"], dtype=object)
    with pytest.raises(ValueError, match=r"no label is named 'fog'; the labels are 'sea', 'sky'"):
        mixture.decide(Constrained(contains=["fog"]))
    with pytest.raises(ValueError, match="must and must not"):
        mixture.decide(Constrained(contains=["sea"], excludes=[0]))
    for outer, inner in (("contains", "excludes"), ("excludes", "contains")):
        with pytest.raises(ValueError, match="label 0 must and must not"):
            mixture.decide(Constrained(Constrained("subset", **{inner: ["sea"]}), **{outer: [0]}))
    with pytest.raises(ValueError, match="no label set satisfies"):
        mixture.decide(Constrained(contains=["sea", "sky"], exclusive=[("sea", "sky")]))
    with pytest.raises(ValueError, match="sizes do not meet"):
        mixture.decide(Sizes(3, 2))
    with pytest.raises(ValueError, match="false_positive"):
        mixture.decide(Costs(false_positive=[1.0, 2.0]))
    with pytest.raises(ValueError, match="beta"):
        mixture.decide(FBeta(beta=0))
    with pytest.raises(ValueError, match="the loss gave an array of shape"):
        mixture.decide(Loss(lambda t, a: 1.0))


@pytest.mark.parametrize(
    "answer", [np.full((5, 4), 0.5), np.ones(4), np.full((5, 4), 7)], ids=["shares", "shape", "values"]
)
def test_own_decisions_give_label_sets(answer):
    """Red where what a function gives is cut to integers or answered as it is."""
    mixture = random_mixture(0, n_rows=5, n_labels=4)
    for door in (mixture.decide, mixture.predict):
        with pytest.raises(ValueError, match=r"the decision gave .* expected label sets \(5, 4\)"):
            door(lambda distribution: answer)


def test_nan_is_not_observed():
    mixture = random_mixture(0, n_rows=5, n_labels=4)
    given = np.array([[1.0, np.nan, 0.0, np.nan]] * 5)
    known = np.where(np.isnan(given), -1, given)
    assert_array_equal(mixture.log_prob(given), mixture.log_prob(known))
    assert_array_equal(mixture.condition(given).marginals(), mixture.condition(known).marginals())
