"""Growing mixtures of trees: when growth ends, and which penalties the trees have then."""

import numpy as np
import pytest
from sklearn.base import clone

from setwise import MixtureOfTreeExperts, MixtureOfTrees
from setwise.contract import FREE
from setwise.learning.mixtures.growing import growth
from setwise.learning.mixtures.growing.growth import GrowthSettings, next_tree
from setwise.learning.mixtures.growing.tree_mixture import one_tree_mixture
from setwise.learning.mixtures.training_rows import TrainingRows
from setwise.learning.progress.monitor import Monitor
from setwise.learning.structure.tree import fit_tree


def two_regimes(rows=300, seed=0):
    """Labels that follow x in half of the rows and oppose it in the others: no single tree fits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    sign = rng.choice([-1, 1], rows)
    Y = (sign[:, None] * X + 0.3 * rng.normal(size=(rows, 3)) > 0).astype(int)
    return X, Y


def by_growth(rows, name):
    """The values of a column of ``growth_``, a list a growth."""
    return [
        [row[name] for row in rows if row["mixture"] == g] for g in sorted({row["mixture"] for row in rows})
    ]


def test_every_growth_ends_at_the_first_fall_and_keeps_the_best():
    """Red if growth continues after a drop, stops before one, or keeps the last mixture."""
    X, Y = two_regimes()
    model = MixtureOfTrees(random_state=0).fit(X, Y)
    kept = 0
    for held_out in by_growth(model.growth_, "held_out"):
        best = int(np.argmax(held_out))
        assert best > 0
        assert len(held_out) == best + 2
        kept += best + 1
    assert model.n_components_ <= kept


@pytest.mark.parametrize(
    "model", [MixtureOfTrees(random_state=0), MixtureOfTreeExperts(2, random_state=0)], ids=repr
)
def test_the_model_is_the_mean_of_the_growths(model):
    """Red if a growth is left out or weighs more than another."""
    X, Y = two_regimes()
    model.fit(X, Y)
    assert {row["mixture"] for row in model.growth_} == {row["mixture"] for row in model.trace_} == {0, 1, 2}
    last = [[row for row in model.trace_ if row["mixture"] == g][-1]["components"] for g in range(3)]
    weights = np.split(model.components(X[:1]).gate[0], np.cumsum(last)[:-1])
    np.testing.assert_allclose([w.sum() for w in weights], 1 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [MixtureOfTrees(3, random_state=0), MixtureOfTreeExperts(3, gate_l2=1.0, random_state=0)],
    ids=repr,
)
def test_where_held_out_rows_choose_nothing_there_is_one_growth(model):
    """Red if the number that the user gave is not the model's."""
    X, Y = two_regimes()
    model.fit(X, Y)
    assert model.n_components_ == 3
    assert [row["components"] for row in model.growth_] == [1, 2, 3]


def test_penalties_fall_only_while_held_out_rows_gain():
    """Red if a penalty rises along growth."""
    X, Y = two_regimes()
    for factor in by_growth(MixtureOfTrees(random_state=0).fit(X, Y).growth_, "penalty_factor"):
        assert factor[0] == 1.0
        assert np.all(np.diff(factor) <= 0)


@pytest.mark.parametrize(
    "model",
    [MixtureOfTrees(3, l2=2.0, random_state=0), MixtureOfTreeExperts(3, random_state=0)],
    ids=["given", "gate"],
)
def test_given_penalties_and_those_under_a_gate_stay(model):
    """Red if a penalty that the user gave is changed."""
    X, Y = two_regimes()
    assert {row["penalty_factor"] for row in model.fit(X, Y).growth_} == {1.0}


def test_one_tree_behind_a_gate_is_one_tree():
    """Red if a mixture is made of what has no gate to choose."""
    X, Y = two_regimes()
    assert MixtureOfTreeExperts(1, random_state=0).fit(X, Y).n_components_ == 1


def test_with_unknown_labels_the_first_tree_is_at_its_optimum_too():
    """Red if one tree as fitted to known labels is compared with two after EM over the unknown ones."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    Y = (X[:, :1] + rng.normal(size=(300, 1)) > 0) ^ (rng.random((300, 3)) < 0.1)
    known = np.where(rng.random(Y.shape) < 0.4, FREE, Y).astype(np.int8)
    rows = TrainingRows.of(X, known)
    tree = fit_tree(rows.design, rows.Y, rows.weights, rows.fold, l2=1.0)
    mixture = one_tree_mixture(tree, rows)
    before = mixture.log_prob(rows)
    mixture.run(20, Monitor())
    np.testing.assert_allclose(mixture.log_prob(rows), before, atol=0.02)


def test_a_later_tree_is_learned_from_the_hard_rows_shaken(monkeypatch):
    """Row i has weight 1 - P(y_i | x_i) on average over many draws, and a fifth of its square is the variance.

    Red if hard rows count like others, the user's weights are lost, or every tree sees the same rows.
    """
    rng = np.random.default_rng(2)
    X = 3 * rng.normal(size=(200, 1))
    Y = (X + rng.logistic(size=(200, 2)) > 0).astype(np.int8)
    rows = TrainingRows.of(X, Y, rng.uniform(0.5, 2.0, 200))
    tree = fit_tree(rows.design, rows.Y, rows.weights, rows.fold, l2=1.0)
    mixture = one_tree_mixture(tree, rows)
    settings = GrowthSettings(2, None, candidates=5, l2=1.0, max_iter=5, seed=0)
    seen = []
    monkeypatch.setattr(growth, "fit_tree", lambda design, Y, weights, *a, **kw: seen.append(weights) or tree)
    next_tree(None, rows, settings, rng, Monitor())
    np.testing.assert_array_equal(seen.pop(), rows.weights)
    for _ in range(1000):
        next_tree(mixture, rows, settings, rng, Monitor())
    hard = rows.weights * (1 - np.exp(mixture.log_prob(rows)))
    shaken, mean = np.array(seen), hard * rows.weights.sum() / hard.sum()
    np.testing.assert_allclose(shaken.sum(axis=1), rows.weights.sum())
    np.testing.assert_allclose(shaken.mean(axis=0), mean, rtol=0.1)
    np.testing.assert_allclose((shaken.var(axis=0) / mean**2).mean(), 1 / 5, rtol=0.1)


def few_sets(rows=400, seed=0):
    """Six labels that only ever come as one of five sets, which of them by x."""
    rng = np.random.default_rng(seed)
    sets = np.unique(rng.integers(0, 2, (5, 6)), axis=0)
    X = rng.normal(size=(rows, 2))
    return X, sets[
        np.digitize(X[:, 0] + 0.3 * rng.normal(size=rows), [-1.0, -0.3, 0.3, 1.0][: len(sets) - 1])
    ]


@pytest.mark.parametrize(
    "model", [MixtureOfTrees(random_state=0), MixtureOfTreeExperts(2, random_state=0)], ids=repr
)
def test_rows_held_out_choose_the_share_of_the_seen_sets(model):
    """Red if the share is not chosen, the joint does not have it, or held-out rows are worse off."""
    X, Y = few_sets()
    model.fit(X[:200], Y[:200])
    assert model.seen_share_ > 0.5
    np.testing.assert_array_equal(model.seen_sets_, np.unique(Y[:200], axis=0))
    without = clone(model).set_params(seen_share=0.0).fit(X[:200], Y[:200])
    assert without.seen_share_ == 0
    assert model.log_prob(X[200:], Y[200:]).mean() > without.log_prob(X[200:], Y[200:]).mean()
    joint = model.distribution(X[200:])
    np.testing.assert_allclose(joint.joint.marginals(), without.predict_proba(X[200:]), atol=1e-12)
    np.testing.assert_allclose(np.exp(joint.log_gate), [[1 - model.seen_share_, model.seen_share_]] * 200)


def test_free_labels_keep_the_share_small():
    """Red if sets are reinforced though every combination is as likely as the model says."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    Y = (rng.random((600, 12)) < 0.5).astype(int)
    assert MixtureOfTrees(random_state=0).fit(X, Y).seen_share_ < 0.05


def test_a_given_share_is_taken():
    """Red if a share that the user gave is changed."""
    X, Y = few_sets()
    for share in (0, 0.25):
        assert MixtureOfTrees(2, seen_share=share, random_state=0).fit(X, Y).seen_share_ == share


@pytest.mark.parametrize(
    "model",
    [
        MixtureOfTrees(2, random_state=0),
        MixtureOfTrees(2, l2=1.0, random_state=0),
        MixtureOfTreeExperts(2, gate_l2=1.0, random_state=0),
    ],
)
def test_one_growth_chooses_its_share_too(model):
    """Red if a given number of trees, or given penalties, leave the share at 0 though few sets occur."""
    X, Y = few_sets()
    assert model.fit(X, Y).seen_share_ > 0.5


def test_without_rows_to_hold_out_no_share_is_chosen():
    """Red if the training rows choose the share themselves: they all have seen sets, so it would be all of it."""
    X, Y = few_sets()
    model = MixtureOfTrees(2, l2=1.0, random_state=0).fit(X[:4], Y[:4])
    assert model.seen_share_ == 0


def test_only_rows_known_in_full_are_seen():
    """Red if an unknown label is taken for a set's, or a fit without any complete row fails."""
    X, Y = few_sets()
    partly = Y.copy()
    partly[::2, 0] = FREE
    model = MixtureOfTrees(random_state=0).fit(X, partly)
    np.testing.assert_array_equal(model.seen_sets_, np.unique(Y[1::2], axis=0))
    partly[1::2, 1] = FREE
    model.fit(X, partly)
    assert model.seen_share_ == 0
    assert np.isfinite(model.log_prob(X, Y)).all()
