"""Splits, measures and their standard errors against hand-worked values."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import BinaryRelevance, ConditionalBernoulliMixture
from setwise.datasets import Dataset
from setwise.estimators.base.seeds import seeded
from setwise.evaluation import Protocol, evaluate_split
from setwise.evaluation.methods import METHODS
from setwise.evaluation.peers.joints import joint_log_prob
from setwise.evaluation.protocol import summarise
from setwise.inference.sets.enumeration import label_sets


def data(rows=90, split=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4))
    return Dataset(X, X[:, :3] + rng.normal(size=(rows, 3)) > 0, split=split, name="toy")


@pytest.mark.parametrize(
    "protocol",
    [Protocol("folds", 5), Protocol("holdout", 3, test_size=0.2), Protocol("holdout", 2, test_size=30)],
)
def test_splits_are_disjoint_complete_and_repeatable(protocol):
    splits = protocol.splits(data())
    assert len(splits) == protocol.repeats
    for (train, test), (train_again, test_again) in zip(splits, protocol.splits(data())):
        assert sorted([*train, *test]) == list(range(90))
        np.testing.assert_array_equal(train, train_again)
        np.testing.assert_array_equal(test, test_again)
    if protocol.kind == "folds":
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(90))
    else:
        assert not np.array_equal(splits[0][1], splits[1][1])


def test_the_official_split():
    is_train = np.arange(90) < 60
    [(train, test)] = Protocol("official", 1).splits(data(split=is_train))
    assert len(train) == 60
    assert test.min() == 60
    with pytest.raises(ValueError, match="'toy' has no official split"):
        Protocol("official", 1).splits(data())


def test_measures_equal_those_of_the_model_itself():
    toy = data()
    train, test = Protocol("folds", 3).splits(toy)[0]
    model = BinaryRelevance(l2=1.0).fit(toy.X[train], toy.Y[train])
    scores = evaluate_split(BinaryRelevance(l2=1.0), toy, (train, test))
    predicted, log_prob = model.predict(toy.X[test]), model.log_prob(toy.X[test], toy.Y[test])
    assert scores["exact_match"] == pytest.approx((predicted == toy.Y[test]).all(axis=1).mean())
    assert scores["hamming_score"] == pytest.approx((predicted == toy.Y[test]).mean())
    assert scores["cll_loss"] == pytest.approx(-log_prob.sum())
    assert scores["joint_log_loss"] == pytest.approx(-log_prob.mean())


def test_seeds_reach_every_open_random_state():
    model = seeded(DummyClassifier(random_state=None), 7)
    assert model.random_state == 7
    assert seeded(DummyClassifier(random_state=3), 7).random_state == 3
    assert seeded(ConditionalBernoulliMixture(), 7).random_state == 7
    assert seeded(ConditionalBernoulliMixture(random_state=3), 7).random_state == 3
    nested = seeded(make_pipeline(StandardScaler(), DummyClassifier()), 7)
    assert nested[-1].random_state == 7


def test_standard_errors():
    """Ten folds: sd / sqrt(10). One split: binomial for a share of the rows, unknown for the rest."""
    values = np.random.default_rng(0).random(10)
    estimate = summarise([{"micro_f1": v} for v in values])["micro_f1"]
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(10))
    alone = summarise([{"exact_match": 0.5, "micro_f1": 0.5, "test_rows": 100.0}])
    assert alone["exact_match"].standard_error == pytest.approx(0.05)
    assert np.isnan(alone["micro_f1"].standard_error)
    infinite = summarise([{"cll_loss": np.inf}, {"cll_loss": 1.0}])["cll_loss"]
    assert infinite.mean == np.inf


@pytest.mark.parametrize("name", ["sklearn-OneVsRest", "sklearn-ClassifierChain"])
def test_the_joint_of_scikit_learns_classifiers_sums_to_one(name):
    toy = data()
    model = METHODS[name].build().fit(toy.X, toy.Y)
    total = sum(np.exp(joint_log_prob(model, toy.X[:5], np.tile(labels, (5, 1)))) for labels in label_sets(3))
    np.testing.assert_allclose(total, 1.0)


def test_one_vs_rest_keeps_the_order_of_many_labels():
    """Red if labels of eight bits reach scikit-learn 1.9, which mixes them up if there are more than 128."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 2)), (rng.random((40, 150)) < np.linspace(0.1, 0.9, 150)).astype(np.int8)
    marginals = METHODS["sklearn-OneVsRest"].build().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(marginals.mean(axis=0), Y.mean(axis=0), atol=0.02)


def test_methods_without_a_joint_have_no_log_loss():
    toy = data()
    scores = evaluate_split(DummyClassifier(), toy, Protocol("folds", 2).splits(toy)[0])
    assert "exact_match" in scores
    assert "cll_loss" not in scores
