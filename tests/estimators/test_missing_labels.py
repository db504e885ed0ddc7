"""Unknown labels in training: which estimators accept them, in which forms, and what is learned from the rest."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from setwise import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    ConditionalTree,
    LabelPowerset,
    MixtureOfTrees,
)
from setwise.contract import FREE
from setwise.datasets import make_cbm, read
from tests.estimators.registry import MAKERS

TAKERS = [make for make in MAKERS if make.func.takes_missing_labels]
OTHERS = [make for make in MAKERS if not make.func.takes_missing_labels]


def by_name(makers):
    return pytest.mark.parametrize("make", makers, ids=[make.func.__name__ for make in makers])


@pytest.fixture(scope="module")
def data():
    """Three dependent labels, a quarter of their values unknown."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    first = rng.random(200) < expit(2 * X[:, 0])
    Y = np.column_stack([first, first ^ (rng.random(200) < 0.1), X[:, 1] + rng.normal(size=200) > 0])
    return X, np.where(rng.random(Y.shape) < 0.25, FREE, Y).astype(np.int8)


@by_name(OTHERS)
@pytest.mark.parametrize("unknown", [FREE, np.nan])
def test_the_others_say_where_and_who_can(make, data, unknown):
    X, Y = data[0], np.abs(data[1]).astype(float)
    Y[7, 1] = Y[9, 2] = unknown
    labels = pd.DataFrame(Y, columns=["sun", "rain", "snow"])
    with pytest.raises(ValueError, match=r"row 7, label 'rain' \(2 missing .*such as BinaryRelevance"):
        make().fit(X, labels)


@by_name(TAKERS)
def test_every_form_of_not_known_is_one(make, data):
    X, Y = data
    holes = np.where(Y == FREE, np.nan, Y)
    expected = make().fit(X, Y).predict_proba(X)
    objects = holes.astype(object)
    objects[Y == FREE] = None
    nullable = pd.DataFrame(np.abs(Y), dtype="Int64").mask(Y == FREE)
    for form in (holes, pd.DataFrame(holes), sp.csr_array(Y), objects, nullable):
        np.testing.assert_array_equal(make().fit(X, form).predict_proba(X), expected)
    assert not np.isnan(make().fit(X, holes).log_prob(X, holes)).any()


@by_name(TAKERS)
def test_rows_without_labels_carry_no_information(make, data):
    """Red if such rows, wherever they stand, enter the features' scale, the folds, the start, the gate or set sizes."""
    X, Y = data
    rng = np.random.default_rng(1)
    more, both = np.vstack([X, 5 + 9 * rng.normal(size=(60, 4))]), np.vstack([Y, np.full((60, 3), FREE)])
    order = rng.permutation(260)
    some = order[(both[order] != FREE).any(axis=1)]
    alone = make().fit(more[some], both[some])
    np.testing.assert_array_equal(
        make().fit(more[order], both[order]).predict_proba(X), alone.predict_proba(X)
    )


@by_name(TAKERS)
def test_with_all_labels_known_nothing_is_summed_out(make, data, monkeypatch):
    """Red if EM over unknown labels runs where there are none: the second fit has nothing to do it with."""
    X, Y = data[0], np.abs(data[1])
    expected = make().fit(X, Y).predict_proba(X)
    for name in (
        "estimators.conditional_tree.refit_tree",
        "learning.mixtures.growing.tree_mixture.refit_tree",
    ):
        monkeypatch.setattr(f"setwise.{name}", None)
    monkeypatch.setattr("setwise.learning.mixtures.experts.complete", None)
    np.testing.assert_array_equal(make().fit(X, Y.astype(float)).predict_proba(X), expected)


@by_name(TAKERS)
def test_weights_and_missing_labels_go_together(make, data):
    X, Y = data
    weights = (np.arange(200) % 4 > 0).astype(float)
    spoiled = np.where((weights == 0)[:, None] & (Y != FREE), 1 - Y, Y)
    np.testing.assert_allclose(
        make().fit(X, spoiled, sample_weight=weights).predict_proba(X),
        make().fit(X[weights > 0], Y[weights > 0]).predict_proba(X),
        atol=1e-6,
    )


@pytest.mark.parametrize("make", [BinaryRelevance, lambda: ConditionalTree(l2=1.0)])
def test_a_weight_of_two_is_two_rows(make, data):
    X, Y = data
    weights = np.where(np.arange(200) < 80, 2.0, 1.0)
    twice = np.r_[np.arange(200), np.arange(80)]
    np.testing.assert_allclose(
        make().fit(X, Y, sample_weight=weights).predict_proba(X),
        make().fit(X[twice], Y[twice]).predict_proba(X),
        atol=1e-4,
    )


@by_name(TAKERS)
def test_odd_patterns_give_finite_models_or_say_why_not(make, data):
    X, Y = data
    unseen = Y.copy()
    unseen[:, 1] = FREE
    with pytest.warns(UserWarning, match="label '1' has no known value"):
        model = make().fit(X, unseen)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 0.5, atol=1e-6)
    lonely = np.full_like(Y, FREE)
    lonely[np.arange(200), np.arange(200) % 3] = np.abs(Y[np.arange(200), np.arange(200) % 3])
    one_sided = np.where(Y == 0, FREE, Y)
    one_sided[0] = 0
    for labels in (lonely, one_sided, Y[:, :1]):
        p = make().fit(X, labels).predict_proba(X)
        assert np.isfinite(p).all()
    few = make().fit(X[:3], [[1, -1, 0], [-1, 1, 0], [0, 0, -1]])
    assert np.isfinite(few.predict_proba(X)).all()
    with pytest.raises(ValueError, match="all labels of y are unknown"):
        make().fit(X, np.full((200, 3), np.nan))
    with pytest.raises(ValueError, match="all labels of y are unknown"):
        make().fit(X, np.where(np.arange(200)[:, None] < 5, Y, FREE), sample_weight=np.arange(200) > 4)
    with pytest.raises(ValueError, match="code a label that is off as 0"):
        make().fit(X, np.where(Y == 1, 1, -1))
    with pytest.raises(ValueError, match="row 3, label '2'"):
        make().fit(X, np.where(np.arange(600).reshape(200, 3) == 11, 2, Y))


def test_each_label_is_learned_from_its_known_rows(data):
    """Binary relevance of any learner, with its own penalty a label, is that of the rows where the label is known."""
    X, Y = data
    for settings in ({"l2": 2.0}, {"learner": DecisionTreeClassifier(max_depth=2, random_state=0)}):
        model = BinaryRelevance(standardize=False, tol=1e-12, **settings).fit(X, Y)
        for label in range(3):
            known = Y[:, label] != FREE
            alone = BinaryRelevance(standardize=False, tol=1e-12, **settings)
            alone.fit(X[known], Y[known, label][:, None])
            np.testing.assert_allclose(
                model.predict_proba(X)[:, label], alone.predict_proba(X)[:, 0], atol=1e-5
            )


def test_the_smallest_set_is_that_of_complete_rows(data):
    X, Y = data
    full = (Y != FREE).all(axis=1)
    some = Y.copy()
    some[full & ~(Y == 1).any(axis=1), 0] = 1
    assert ConditionalTree().fit(X, some).min_labels_ == 1
    some[np.flatnonzero(full)[0]] = 0
    assert ConditionalTree().fit(X, some).min_labels_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nowhere_full = np.where(np.arange(3) == np.arange(200)[:, None] % 3, FREE, np.abs(Y))
        assert ConditionalTree().fit(X, nowhere_full).min_labels_ == 0


def test_a_known_mixture_comes_back():
    """Masked rows give nearly the model of all labels, and a far better one than zeros in their place."""
    known, truth = make_cbm(6000, n_labels=6, random_state=1)
    X, Y = known.X[:4000], known.Y[:4000]
    hidden = np.random.default_rng(0).random(Y.shape) < 0.3
    mixture = ConditionalBernoulliMixture(3, l2=0.3, gate_l2=0.3, tuning=False, max_iter=60, random_state=0)
    expected = truth.distribution(known.X[4000:]).log_prob(known.Y[4000:]).mean()
    full, masked, zeros = (
        mixture.fit(X, labels).log_prob(known.X[4000:], known.Y[4000:]).mean()
        for labels in (Y, np.where(hidden, FREE, Y), np.where(hidden, 0, Y))
    )
    assert expected - full < 0.03
    assert full - masked < 0.02
    assert full - zeros > 0.3


@pytest.mark.parametrize("make", [ConditionalTree, lambda: MixtureOfTrees(1, l2=1.0, random_state=0)])
def test_a_known_tree_comes_back(make):
    """A chain of labels: the third is learned through the second where that is not known, and so on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    first = rng.random(4000) < expit(X[:, 0])
    second = first ^ (rng.random(4000) < 0.1)
    third = second ^ (rng.random(4000) < 0.2)
    Y = np.column_stack([first, second, third]).astype(np.int8)
    masked = np.where(rng.random(Y.shape) < 0.4, FREE, Y)
    joint = make().fit(X, masked).distribution(X[:50])
    given = joint.query([2], given={1: 1}).mean(), joint.query([1], given={0: 0}).mean()
    np.testing.assert_allclose(given, [0.8, 0.1], atol=0.03)
    complete = make().fit(X, Y).distribution(X[:50])
    np.testing.assert_allclose(joint.marginals(), complete.marginals(), atol=0.06)


@pytest.mark.parametrize("learner", ["boosting", DecisionTreeClassifier(max_depth=3, random_state=0)])
def test_any_learner_of_the_mixture_sums_out(data, learner):
    X, Y = data
    model = ConditionalBernoulliMixture(2, learner=learner, tuning=False, max_iter=4, random_state=0).fit(
        X, Y
    )
    assert np.isfinite(model.log_prob(X, Y)).all()
    np.testing.assert_allclose(model.log_prob(X, np.full_like(Y, FREE)), 0.0, atol=1e-9)


def test_tuning_sums_out(data):
    X, Y = data
    model = ConditionalBernoulliMixture(max_iter=4, random_state=0).fit(X, Y)
    assert all(np.isfinite(row["held_out"]) for row in model.tuning_)
    constant = np.log(0.5) * (Y != FREE).sum()
    assert max(row["held_out"] for row in model.tuning_) > constant


def test_labels_as_features_need_all_of_them(data):
    with pytest.raises(ValueError, match="use coupling='switching'"):
        ConditionalTree(coupling="additive").fit(*data)


def test_from_a_file_to_a_model(tmp_path, data):
    """A question mark in a label column of a file is a label that is summed out."""
    X, Y = data
    frame = pd.DataFrame(X, columns=list("abcd"))
    for label in range(3):
        frame[f"tag_{label}"] = np.where(Y[:, label] == FREE, "?", Y[:, label].astype(str))
    frame.to_csv(tmp_path / "some.csv", index=False)
    found = read(tmp_path / "some.csv", "tag_*")
    model = ConditionalTree().fit(found.X, found.named_labels())
    np.testing.assert_allclose(
        model.predict_proba(X), ConditionalTree().fit(X, Y).predict_proba(X), atol=1e-6
    )
    assert model.label_names_.tolist() == ["tag_0", "tag_1", "tag_2"]
    with pytest.raises(ValueError, match="label 'tag_"):
        LabelPowerset().fit(found.X, found.named_labels())
