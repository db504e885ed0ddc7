"""Label errors are found where they were put."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from setwise import BinaryRelevance, ConditionalTree, LabelPowerset, find_label_errors
from setwise.decisions import Abstain
from setwise.distributions.outliers import outlier_scores
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.distributions.random_forests import random_mixture


@pytest.fixture(scope="module")
def corrupted():
    """Three labels, two of them alike, and 15 of 300 rows with one label flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    first = X[:, 0] + 0.3 * rng.normal(size=300) > 0
    second = np.where(rng.random(300) < 0.95, first, ~first)
    Y = np.column_stack([first, second, X[:, 1] + 0.3 * rng.normal(size=300) > 0]).astype(int)
    wrong = rng.choice(300, 15, replace=False)
    label = rng.integers(0, 3, 15)
    Y[wrong, label] ^= 1
    return X, Y, wrong, label


def test_flipped_labels_come_first_and_are_named(corrupted):
    X, Y, wrong, label = corrupted
    errors = find_label_errors(ConditionalTree(l2=1.0), X, Y)
    bad = np.isin(np.arange(300), wrong)
    assert average_precision_score(bad, errors.score) > 0.5
    assert_array_equal(np.sort(errors.order), np.arange(300))
    assert (np.diff(errors.score[errors.order]) <= 0).all()
    # Of two labels that should agree but do not, either may be the wrong one; by chance it would be a third.
    assert (errors.label_score[wrong].argmax(axis=1) == label).mean() > 2 / 3
    independent = find_label_errors(BinaryRelevance(l2=1.0), X, Y)
    assert average_precision_score(bad, errors.score) > average_precision_score(bad, independent.score)


def test_every_row_is_judged_by_a_model_that_has_not_seen_it(corrupted):
    X, Y, *_ = corrupted
    folds = list(KFold(3).split(X))
    errors = find_label_errors(ConditionalTree(l2=1.0), X, Y, cv=folds)
    train, test = folds[1]
    model = ConditionalTree(l2=1.0).fit(X[train], Y[train])
    assert_allclose(errors.log_prob[test], model.log_prob(X[test], Y[test]))
    assert_allclose(errors.score[test], model.outlier_score(X[test], Y[test], against="flips"))
    assert_array_equal(errors.suggested[test], model.predict(X[test]))


def test_frames_and_pipelines_keep_the_names(corrupted):
    X, Y, *_ = corrupted
    labels = pd.DataFrame(Y, columns=["rain", "umbrella", "picnic"])
    plain = find_label_errors(ConditionalTree(l2=1.0), X, Y)
    errors = find_label_errors(make_pipeline(FunctionTransformer(), ConditionalTree(l2=1.0)), X, labels)
    assert_allclose(errors.score, plain.score)
    frame = errors.to_frame(5)
    assert_array_equal(frame.index, errors.order[:5])
    assert set(frame["suspect"]) <= {"rain", "umbrella", "picnic"}
    name, probability = errors.suspects(int(errors.order[0]))[0]
    assert (name, probability) == (frame["suspect"].iloc[0], frame["suspect_probability"].iloc[0])


def test_the_index_of_the_frame_names_the_rows(corrupted):
    """Red if the answer numbers the rows of a DataFrame, in pandas, in polars or in print."""
    X, Y, *_ = corrupted
    frame = pd.DataFrame(
        X, columns=list("abcd"), index=pd.Index([f"day {i}" for i in range(300)], name="day")
    )
    errors = find_label_errors(ConditionalTree(l2=1.0), frame, Y)
    pd.testing.assert_index_equal(errors.to_frame().index, frame.index[errors.order])
    assert errors.to_frame(3, library="polars")["day"].to_list() == [f"day {i}" for i in errors.order[:3]]
    assert f"day {errors.order[0]} " in repr(errors)
    assert "300 rows in all" in repr(errors)
    texts = [" ".join(map(str, row)) for row in X]
    vectors = FunctionTransformer(lambda rows: np.array([row.split() for row in rows], dtype=float))
    by_labels = find_label_errors(
        make_pipeline(vectors, ConditionalTree(l2=1.0)), texts, pd.DataFrame(Y, index=frame.index)
    )
    pd.testing.assert_index_equal(by_labels.to_frame().index, frame.index[by_labels.order])


def test_folds_in_parallel_find_the_same(corrupted):
    """Red if a process sees other folds, or its rows come back in another order."""
    X, Y, *_ = corrupted
    alone = find_label_errors(ConditionalTree(l2=1.0), X, Y, cv=3)
    parallel = find_label_errors(ConditionalTree(l2=1.0), X, Y, cv=3, n_jobs=2)
    for field in ("order", "score", "log_prob", "label_score", "suggested"):
        assert_array_equal(getattr(alone, field), getattr(parallel, field))


def test_impossible_sets_are_the_most_suspicious(corrupted):
    X, Y, *_ = corrupted
    rare = Y.copy()
    rare[:, 1] = rare[:, 0]
    rare[5] = [1, 0, 1]
    errors = find_label_errors(LabelPowerset(l2=1.0, backoff=0.0), X, rare)
    assert errors.order[0] == 5
    assert errors.score[5] == np.inf
    assert not np.isnan(errors.label_score).any()


def test_impossible_sets_blame_the_labels_that_could_be_right(corrupted):
    """Red if every label of an impossible set is blamed, even one whose flip is impossible too."""
    X, Y, *_ = corrupted
    rare = np.column_stack([Y[:, 0], Y[:, 0], Y[:, 2], Y[:, 2]])
    rare[5], rare[6] = [1, 0, 1, 1], [1, 0, 1, 0]
    folds = list(KFold(2).split(X))
    errors = find_label_errors(LabelPowerset(l2=1.0, backoff=0.0), X, rare, cv=folds)
    train = next(train for train, test in folds if 5 in test)
    alone = np.abs(rare - LabelPowerset(l2=1.0, backoff=0.0).fit(X[train], rare[train]).predict_proba(X))
    assert_array_equal(errors.label_score[5, :2], [1, 1])
    assert_allclose(errors.label_score[5, 2:], alone[5, 2:])
    assert_allclose(errors.label_score[6], alone[6])


def test_where_an_estimator_abstains_the_most_probable_set_is_suggested(corrupted):
    """Red if abstention is shown as the empty set, or fails with classes."""
    X, Y, *_ = corrupted
    for labels in (Y, np.array(["no", "yes"])[Y[:, 0]]):
        sure = find_label_errors(ConditionalTree(l2=1.0), X, labels)
        unsure = find_label_errors(ConditionalTree(l2=1.0, decision=Abstain(0.9)), X, labels)
        assert_array_equal(unsure.suggested, sure.suggested)


def test_bad_folds_and_estimators_are_refused(corrupted):
    X, Y, *_ = corrupted
    with pytest.raises(ValueError, match="tests row 100 0 times"):
        find_label_errors(ConditionalTree(l2=1.0), X, Y, cv=[(np.arange(100, 300), np.arange(100))])
    with pytest.raises(TypeError, match="StandardScaler has no joint"):
        find_label_errors(StandardScaler(), X, Y, cv=2)


@pytest.mark.parametrize("kind", ["independent", "forest", "deterministic"])
def test_scores_equal_their_definitions(kind):
    """Against all 2^L sets; red when a flip misses a child's table."""
    mixture = random_mixture(2, n_rows=20, n_labels=5, kind=kind)
    log_p, sets = all_log_probs(mixture), label_sets(5)
    Y = mixture.sample(1, np.random.default_rng(0))[:, 0]
    distance = (Y[:, None] != sets).sum(axis=2)
    given = np.where(distance == 0, log_p, -np.inf).max(axis=1)
    flips = logsumexp(np.where(distance == 1, log_p, -np.inf), axis=1) - np.log(5)
    same = np.where(sets.sum(axis=1) == Y.sum(axis=1)[:, None], log_p, -np.inf).max(axis=1)
    assert_allclose(outlier_scores(mixture, Y, "flips"), flips - given, atol=1e-10)
    assert_allclose(outlier_scores(mixture, Y, "mode"), log_p.max(axis=1) - given, atol=1e-10)
    assert_allclose(outlier_scores(mixture, Y, "size"), same - given, atol=1e-10)
    with pytest.raises(ValueError, match="'flips'"):
        outlier_scores(mixture, Y, "all")


@pytest.mark.parametrize("classes", [["no", "yes"], [-1, 1]], ids=["words", "signs"])
def test_one_label_may_come_as_classes(corrupted, classes):
    """Red if predictions in the user's classes are read as 0 and 1."""
    X, Y, _, _ = corrupted
    found = find_label_errors(BinaryRelevance(l2=1.0), X, np.array(classes)[Y[:, 0]])
    expected = find_label_errors(BinaryRelevance(l2=1.0), X, Y[:, :1])
    assert_array_equal(found.order, expected.order)
    assert_array_equal(found.suggested, expected.suggested)
