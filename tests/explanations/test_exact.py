"""Explanations of models that can be read, against slopes by differences, enumeration and Shapley's formula."""

import itertools
import math
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier

from setwise import (
    AutoSetClassifier,
    BinaryRelevance,
    CalibratedSets,
    ChainEnsemble,
    ClassifierChain,
    ConditionalBernoulliMixture,
    ConditionalTree,
    DecisionForest,
    LabelPowerset,
    MixtureOfTreeExperts,
    MixtureOfTrees,
    MLkNN,
    NotTractable,
    PairwiseCRF,
    StackedSets,
    load,
    save,
)
from setwise.explanations.events import Event, read_given, read_target
from setwise.explanations.linear import LinearSource
from setwise.inference.sets.enumeration import all_log_probs

N, D, L = 120, 4, 4
EXACT = {
    "br": BinaryRelevance(l2=1.0),
    "tree": ConditionalTree(l2=1.0),
    "additive tree": ConditionalTree(coupling="additive", l2=1.0),
    "bernoulli": ConditionalBernoulliMixture(n_components=3, l2=1.0, random_state=0),
    "seen sets": MixtureOfTreeExperts(n_components=2, seen_share=0.3, random_state=0),
    "boosted": ConditionalBernoulliMixture(n_components=2, learner="boosting", random_state=0),
    "trees": MixtureOfTrees(n_components=2, seen_share=0.0, random_state=0),
    "tree experts": MixtureOfTreeExperts(n_components=2, random_state=0),
    "powerset": LabelPowerset(l2=1.0, backoff=0.2),
    "crf": PairwiseCRF(l2=1.0),
    "pseudo crf": PairwiseCRF(l2=1.0, training="pseudo", search="exact"),
    "chain": ClassifierChain(l2=1.0, order="random", random_state=3),
    "chains": ChainEnsemble(n_chains=2, l2=1.0, random_state=0),
    "forest": DecisionForest(10, random_state=0),
    "stack": StackedSets([BinaryRelevance(l2=1.0), LabelPowerset(l2=1.0)]),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) + 3.0
    Y = ((X - 3.0) @ rng.normal(size=(D, L)) + rng.normal(size=(N, L)) > 0).astype(int)
    return X, Y


@pytest.fixture(scope="module")
def fitted(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: model.fit(*data) for name, model in EXACT.items()}


def log_odds_by_enumeration(model, X, wanted, given):
    """From the probabilities of all 2^L sets."""
    joint = model.distribution(X)
    p = np.exp(all_log_probs(joint))
    sets = (np.arange(2**L)[:, None] >> np.arange(L)[::-1]) & 1
    holds = ((wanted[0] == -1) | (sets == wanted[0])).all(axis=1)
    known = ((given[0] == -1) | (sets == given[0])).all(axis=1)
    return np.log(p[:, holds & known].sum(axis=1)) - np.log(p[:, ~holds & known].sum(axis=1))


TARGETS = {
    "label": (1, None),
    "off": ({2: 0}, None),
    "pair": ((0, 3), None),
    "set": ({0, 2}, None),
    "given": (1, {0: 1, 3: 0}),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_contributions_add_up_to_the_log_odds_of_the_joint(name, target, fitted, data):
    """Red if a slope, a complement or the baseline is wrong."""
    model, X = fitted[name], data[0][:3]
    what, given = TARGETS[target]
    why = model.explain(X, what, given=given)
    wanted = read_target(what, 3, model.label_names_)
    known = read_given(given, wanted, model.label_names_)
    truth = log_odds_by_enumeration(model, X, wanted, known)
    assert why.method == "exact"
    np.testing.assert_allclose(why.log_odds, truth, atol=1e-9)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), truth, atol=1e-9)
    base = log_odds_by_enumeration(model, model.baseline_[None], wanted, known)
    np.testing.assert_allclose(why.base, np.repeat(base, 3), atol=1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_slopes_are_derivatives(name, fitted, data):
    """Central differences of the log-odds by every score."""
    joint, X = fitted[name]._scored(), data[0][:2]
    wanted = read_target((0, 2), 2, fitted[name].label_names_)
    event = Event(wanted, read_given({1: 1}, wanted, fitted[name].label_names_))
    scores = [source.scores(X) for source in joint.sources]
    joint = joint.for_event(event, scores, scores)
    graded = joint.log_odds(scores, event)
    for part, slopes in zip(scores, graded.slopes):
        for place in range(part.shape[1]):
            step = 1e-5 * max(1.0, np.abs(part[:, place]).max())
            values = []
            for sign in (1.0, -1.0):
                moved = part.copy()
                moved[:, place] += sign * step
                values.append(joint.log_odds([moved if s is part else s for s in scores], event).value)
            np.testing.assert_allclose(
                (values[0] - values[1]) / (2 * step), slopes[:, place], atol=1e-5, rtol=1e-4
            )


def test_a_linear_label_is_coefficient_times_distance(data):
    """The contribution of a linear model, to the last digits."""
    X, Y = data
    model = BinaryRelevance(l2=0.5).fit(X, Y)
    why = model.explain(X, 2)
    np.testing.assert_allclose(
        why.contributions, model.coef_[2] * (X - X.mean(axis=0)), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(why.log_odds, X @ model.coef_[2] + model.intercept_[2], atol=1e-9)


def shapley(value, x, b):
    """Shapley's formula over all subsets of features."""
    d = len(x)
    out = np.zeros(d)
    for j in range(d):
        others = [i for i in range(d) if i != j]
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for chosen in itertools.combinations(others, size):
                row = b.copy()
                row[list(chosen)] = x[list(chosen)]
                with_j = row.copy()
                with_j[j] = x[j]
                out[j] += weight * (value(with_j) - value(row))
    return out


def weighted_score(source, slopes, row):
    return float((source.scores(row[None]) * slopes).sum())


def label_log_odds(model, label, row):
    p = model.predict_proba(row[None])[0, label].clip(1e-15, 1 - 1e-15)
    return float(np.log(p) - np.log1p(-p))


def test_trees_have_shapley_values(fitted, data):
    """Boosted logits and weights in leaves, against the formula over all subsets."""
    x, b = data[0][5], fitted["forest"].baseline_
    for name, source in (
        ("boosted", fitted["boosted"]._scored().sources[0]),
        ("forest", fitted["forest"]._scored().sources[0]),
    ):
        slopes = np.random.default_rng(1).normal(size=(1, source.baseline().shape[1]))
        found = source.contributions(x[None], slopes)[0]
        truth = shapley(partial(weighted_score, source, slopes), x, b)
        np.testing.assert_allclose(found, truth, atol=1e-10, err_msg=name)


def test_other_models_are_moved_feature_by_feature(data):
    """Red if an order is counted twice or left out: of four features all orders are tried."""
    X, Y = data
    forest = RandomForestClassifier(5, random_state=0)
    for model in (MLkNN(), CalibratedSets(BinaryRelevance(l2=1.0)), BinaryRelevance(forest)):
        model.fit(X, Y)
        why = model.explain(X[:1], 1)
        truth = shapley(partial(label_log_odds, model, 1), X[0], model.baseline_)
        assert why.method == "sampled"
        np.testing.assert_allclose(why.contributions[0], truth, atol=1e-9)


def test_sampled_orders_are_right_on_average(data):
    """A linear model has the same contributions in every order."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 9))
    Y = (X[:, :2] > 0).astype(int)
    model = BinaryRelevance(l2=1.0).fit(X, Y)
    exact = model.explain(X[:2], 0)
    model._scored = lambda: None
    sampled = model.explain(X[:2], 0)
    np.testing.assert_allclose(sampled.contributions, exact.contributions, atol=1e-9)
    assert sampled.error.max() < 1e-9


def test_components(fitted, data):
    """The weight of a component, and a label inside it, against the gate and the marginals."""
    model, X = fitted["bernoulli"], data[0][:5]
    parts = model.components(X)
    weight = model.explain(X, component=1)
    p = parts.gate[:, 1]
    np.testing.assert_allclose(
        weight.base + weight.contributions.sum(axis=1), np.log(p) - np.log1p(-p), atol=1e-9
    )
    inside = model.explain(X, 2, component=1)
    p = parts.marginals[:, 1, 2]
    np.testing.assert_allclose(inside.log_odds, np.log(p) - np.log1p(-p), atol=1e-9)
    assert weight.targets[0] == "component 1"
    assert inside.targets[0] == "2 in component 1"
    with pytest.raises(ValueError, match="component is 3; expected a number from 0 to 2"):
        model.explain(X, component=3)
    with pytest.raises(NotTractable, match="no components"):
        fitted["br"].explain(X, component=0)


def test_long_chains_are_estimated_near_their_marginals():
    """Red if sets that were not drawn are needed for the odds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    Y = (X[:, [0] * 12] + rng.normal(size=(200, 12)) > 0).astype(int)
    model = ClassifierChain(l2=1.0).fit(X, Y)
    why = model.explain(X[:5], 11)
    p = model.predict_proba(X[:5])[:, 11]
    assert why.method == "estimated"
    np.testing.assert_allclose(why.log_odds, np.log(p) - np.log1p(-p), atol=0.4)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), why.log_odds, atol=1e-9)


@pytest.mark.parametrize("name", ["br", "boosted", "forest", "chain"])
def test_sparse_rows_and_files_give_the_same(name, fitted, data, tmp_path):
    model, X = fitted[name], data[0][:3]
    why = model.explain(X, 1)
    sparse = model.explain(sp.csr_array(X), 1)
    np.testing.assert_allclose(sparse.contributions.toarray(), why.contributions, atol=1e-9)
    save(model, tmp_path / "m.setwise")
    again = load(tmp_path / "m.setwise").explain(X, 1)
    np.testing.assert_array_equal(again.contributions, why.contributions)


def test_words_that_are_absent_contribute_nothing():
    """A column that is zero in most rows has the baseline zero."""
    rng = np.random.default_rng(0)
    X = sp.random_array((200, 30), density=0.1, rng=rng, format="csr")
    Y = (X[:, [0, 1]].toarray() > 0).astype(int)
    why = BinaryRelevance(l2=0.1).fit(X, Y).explain(X[:20], 0)
    there = X[:20].toarray() != 0
    assert not why.contributions.toarray()[~there].any()


def test_the_automatic_choice_is_explained(data):
    model = AutoSetClassifier(time_budget=2, random_state=0).fit(*data)
    why = model.explain(data[0][:2], 0)
    np.testing.assert_allclose(why.base + why.contributions.sum(axis=1), why.log_odds, atol=1e-9)


def test_the_scores_of_the_baseline_are_computed_once():
    """Red if every point of a quadrature multiplies the baseline again: minutes for texts with thousands of words."""
    asked = []

    def prepare(X):
        asked.append(len(X))
        return X

    source = LinearSource(np.ones((3, 2)), np.zeros(2), prepare, np.arange(3.0)[None])
    assert (source.baseline() == source.baseline()).all()
    assert asked == [1]
