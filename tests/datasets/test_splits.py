import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, cross_val_score

from setwise.datasets import IterativeStratification, available, load, stratified_train_test_split

label_sets = hnp.arrays(np.int8, st.tuples(st.integers(2, 30), st.integers(1, 6)), elements=st.integers(0, 1))


def fold_of(cv, Y):
    fold = np.full(Y.shape[0], -1)
    for f, (train, test) in enumerate(cv.split(np.zeros((Y.shape[0], 1)), Y)):
        assert (fold[test] == -1).all()
        assert len(train) + len(test) == Y.shape[0]
        fold[test] = f
    return fold


def deviation(Y, fold):
    """Mean over folds and labels of |label's share in the fold - its share in all rows|."""
    whole = Y.mean(axis=0)
    return np.mean([np.abs(Y[fold == f].mean(axis=0) - whole).mean() for f in range(fold.max() + 1)])


@given(label_sets, st.integers(2, 8), st.booleans())
def test_folds_partition_the_rows_and_have_exact_sizes(Y, n_splits, shuffle):
    n_splits = min(n_splits, len(Y))
    fold = fold_of(IterativeStratification(n_splits, shuffle=shuffle), Y)
    sizes = np.bincount(fold, minlength=n_splits)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() > 0


@given(label_sets, st.integers(0, 99))
def test_a_seed_repeats_and_sparse_equals_dense(Y, seed):
    folds = [
        fold_of(IterativeStratification(2, shuffle=True, random_state=seed), form(Y))
        for form in (np.asarray, np.asarray, sparse.csr_array)
    ]
    np.testing.assert_array_equal(folds[0], folds[1])
    np.testing.assert_array_equal(folds[0], folds[2])


def test_seeds_differ():
    Y = np.random.default_rng(0).integers(0, 2, (50, 4))
    one, two = (fold_of(IterativeStratification(5, shuffle=True, random_state=s), Y) for s in (1, 2))
    assert (one != two).any()


def test_folds_resemble_the_whole_on_real_data(data_folder):
    """Red if random folds deviate less on any data set, or iterative-stratification on the mean."""
    ours, theirs = [], []
    for name in set(available()) - {"imdb", "delicious", "mediamill", "tmc2007_500"}:  # slow in that package
        Y = np.asarray(load(name).Y)
        fold = fold_of(IterativeStratification(10, shuffle=True, random_state=0), Y)
        ours.append(deviation(Y, fold))
        assert ours[-1] < deviation(Y, fold_of(KFold(10, shuffle=True, random_state=0), Y)), name
        peer = MultilabelStratifiedKFold(n_splits=10, shuffle=True, random_state=0)
        theirs.append(deviation(Y, fold_of(peer, Y)))
    assert np.mean(ours) <= np.mean(theirs)


def test_usable_as_cv_in_scikit_learn():
    Y = np.repeat([[1, 0], [0, 1]], [40, 20], axis=0)
    cv = IterativeStratification(4, shuffle=True, random_state=0)
    assert cv.get_n_splits() == 4
    assert cross_val_score(DummyClassifier(), Y, Y, cv=cv) == pytest.approx([2 / 3] * 4, abs=0.34)


@given(label_sets, st.floats(0.05, 0.95))
def test_train_test_split_has_the_asked_sizes(Y, share):
    n_test = round(share * len(Y))
    if not 0 < n_test < len(Y):
        with pytest.raises(ValueError, match=r"one of the two parts of \d+ rows is empty"):
            stratified_train_test_split(Y, Y, test_size=share)
        return
    X = np.arange(len(Y))[:, None]
    X_train, X_test, Y_train, Y_test = stratified_train_test_split(X, Y, test_size=share)
    assert len(X_test) == n_test
    np.testing.assert_array_equal(np.sort(np.vstack([X_train, X_test]), axis=0), X)
    np.testing.assert_array_equal(Y[X_train[:, 0]], Y_train)
    np.testing.assert_array_equal(Y[X_test[:, 0]], Y_test)


def test_train_test_split_keeps_frames_and_sparse_matrices():
    X = pd.DataFrame({"a": range(8)})
    Y = sparse.csr_array(np.tile([[1, 0], [0, 1]], (4, 1)))
    X_train, X_test, Y_train, Y_test = stratified_train_test_split(X, Y, test_size=2, random_state=0)
    assert list(X_test.columns) == ["a"]
    assert Y_test.sum(axis=0).tolist() == [1, 1]
    assert Y_train.shape == (6, 2)
    assert len(X_train) == 6


def test_missing_labels_count_as_off():
    Y = np.tile([[1, -1], [0, -1]], (6, 1))
    fold = fold_of(IterativeStratification(3), Y)
    assert [Y[fold == f, 0].sum() for f in range(3)] == [2, 2, 2]


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        (np.array([0, 1, 1]), "StratifiedKFold"),
        (None, "pass Y"),
        (np.zeros((1, 2)), "1 rows cannot be split"),
    ],
)
def test_what_cannot_be_stratified_is_named(Y, message):
    with pytest.raises(ValueError, match=message):
        list(IterativeStratification(2).split(np.zeros((1 if Y is None else len(Y), 1)), Y))


def test_settings_are_checked():
    with pytest.raises(ValueError, match="n_splits"):
        IterativeStratification(1)
    with pytest.raises(ValueError, match="shuffle"):
        IterativeStratification(3, random_state=0)
