import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as sk

from setwise import metrics

pairs = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.int8, shape, elements=st.integers(0, 1))] * 2)
)


@settings(max_examples=40, deadline=None)
@given(pairs)
def test_equal_to_scikit_learn_where_both_exist(pair):
    for ours, theirs in [
        (metrics.instance_precision, sk.precision_score),
        (metrics.instance_recall, sk.recall_score),
        (metrics.instance_f1, sk.f1_score),
        (metrics.instance_jaccard, sk.jaccard_score),
    ]:
        expected = theirs(*pair, average="samples", zero_division=0)
        assert ours(*pair, both_empty=0) == pytest.approx(expected, abs=1e-12)
    assert metrics.exact_match(*pair) == pytest.approx((pair[0] == pair[1]).all(axis=1).mean())
    assert metrics.hamming_score(*pair) == pytest.approx((pair[0] == pair[1]).mean())


@settings(max_examples=40, deadline=None)
@given(pairs)
def test_sparse_equals_dense(pair):
    dense = metrics.instance_scores(*pair)
    for forms in [(sparse.csr_array, sparse.csr_array), (sparse.csr_array, np.asarray)]:
        mixed = metrics.instance_scores(*(form(Y) for form, Y in zip(forms, pair)))
        np.testing.assert_array_equal(mixed, dense)
    assert metrics.exact_match(*map(sparse.csr_array, pair)) == metrics.exact_match(*pair)
    assert metrics.hamming_score(*map(sparse.csr_array, pair)) == metrics.hamming_score(*pair)


def test_a_single_label_is_a_label_set_too():
    Y, P = [[1], [0], [1], [0]], [[1], [0], [0], [1]]
    assert metrics.instance_f1(Y, P) == metrics.exact_match(Y, P) == metrics.hamming_score(Y, P) == 0.5
    assert metrics.exact_match(sparse.csr_array(Y), sparse.csr_array(P)) == 0.5
    assert metrics.micro_f1(Y, P) == metrics.macro_f1(Y, P) == 0.5
    assert metrics.macro_f1([[1], [0]], [[0], [0]]) == 0


def test_worked_by_hand():
    # 2 of 3 predicted are true; 2 of 4 true are predicted; union of 5
    scores = metrics.instance_scores([[1, 1, 1, 1, 0, 0]], [[1, 1, 0, 0, 1, 0]])
    assert (scores.precision, scores.recall) == (2 / 3, 2 / 4)
    assert (scores.f1, scores.jaccard) == (4 / 7, 2 / 5)


@pytest.mark.parametrize(
    ("true", "pred", "expected"),
    [([0, 0], [0, 0], 1), ([0, 0], [1, 0], 0), ([1, 0], [0, 0], 0), ([1, 0], [0, 1], 0), ([1, 1], [1, 1], 1)],
)
def test_empty_sets_follow_mulan(true, pred, expected):
    """The four cases written down in Mulan's InformationRetrievalMeasures, and a perfect answer."""
    assert [float(score[0]) for score in metrics.instance_scores([true], [pred])] == [expected] * 4


def test_meka_counts_two_empty_sets_as_zero_in_f1_but_one_in_jaccard():
    empty = [[0, 0]]
    assert metrics.instance_f1(empty, empty, both_empty=0) == 0
    assert metrics.instance_jaccard(empty, empty) == 1


def test_cardinality():
    assert metrics.cardinality([[1, 1, 0], [0, 0, 0]]) == 1.0
    assert metrics.cardinality(sparse.csr_array([[1, 1, 0], [0, 0, 0]])) == 1.0


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([[1, 0]], [[1, -1]], r"Y_pred\[0, 1\] is -1: unknown"),
        ([[1, -2]], [[1, 0]], r"Y_true\[0, 1\] is -2: expected 0 or 1"),
        ([[1, 0]], [[1, 2]], r"Y_pred\[0, 1\] is 2: expected 0 or 1"),
        ([[1, 0]], [[0.5, 0]], r"Y_pred\[0, 0\]"),
        ([[1, 0]], [[np.nan, 0]], r"Y_pred\[0, 0\]"),
        ([[1, 0]], [[1]], r"shape \(1, 2\) but Y_pred has shape \(1, 1\)"),
        ([1, 0], [1, 0], "expected label sets"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "at least one row"),
    ],
)
def test_bad_input_is_named(true, pred, message):
    with pytest.raises(ValueError, match=message):
        metrics.instance_f1(true, pred)


@pytest.mark.parametrize(
    "metric",
    [
        metrics.instance_precision,
        metrics.instance_recall,
        metrics.instance_f1,
        metrics.instance_jaccard,
        metrics.exact_match,
        metrics.hamming_score,
        metrics.micro_f1,
        metrics.macro_f1,
        metrics.macro_f1_of_means,
    ],
)
def test_weights_are_repetitions(metric):
    """Red if a metric takes weights and leaves them out."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 2, (2, 30, 4))
    weights = rng.integers(0, 4, 30)
    repeated = metric(np.repeat(true, weights, axis=0), np.repeat(pred, weights, axis=0))
    assert metric(true, pred, sample_weight=weights) == pytest.approx(repeated)
    assert repeated != metric(true, pred)
