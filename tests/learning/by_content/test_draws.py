import numpy as np

from setwise.learning.by_content.draws import POOL, draw_by_key
from setwise.learning.by_content.keys import example_keys, shuffle_by_key


def examples(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), rng.integers(0, 2, (n, 4)).astype(np.int8)


def test_draws_have_the_distribution_of_the_pool_and_differ_between_calls():
    """Red if keys choose some entries more often than others, or every call the same ones."""
    rng = np.random.default_rng(0)
    keys = example_keys(*examples(20_000))
    first, second = (draw_by_key(keys, rng.gamma(5.0, 0.2, POOL), rng) for _ in range(2))
    np.testing.assert_allclose([first.mean(), first.var()], [1.0, 0.2], rtol=0.06)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03


def test_draws_follow_the_row():
    """Red if a row draws another number among other rows."""
    keys = example_keys(*examples(500))
    some = np.random.default_rng(1).permutation(500)[:100]
    pool = np.random.default_rng(2).random(POOL)
    every = draw_by_key(keys, pool, np.random.default_rng(3))
    assert np.array_equal(draw_by_key(keys[some], pool, np.random.default_rng(3)), every[some])


def test_keys_tell_labels_apart():
    """Red if equal features with other labels share a key: components of a mixture would then never part."""
    X, Y = examples(300)
    assert len(np.unique(example_keys(np.zeros_like(X), Y))) == len(np.unique(Y, axis=0))


def test_keys_follow_rows_and_labels_in_any_order():
    """Red if a key depends on the place of a row or of a label, or on copies of a row."""
    X, Y = examples(300)
    Y[::7, 2] = -1
    keys, rng = example_keys(X, Y), np.random.default_rng(1)
    rows, labels = rng.permutation(300), rng.permutation(4)
    assert np.array_equal(example_keys(X[rows], Y[rows][:, labels]), keys[rows])
    assert np.array_equal(example_keys(X.repeat(2, axis=0), Y.repeat(2, axis=0)), keys.repeat(2))


def test_shuffled_rows_follow_content_seed_and_weights():
    """Red if the order depends on places, if copies stay together, or seeds do not matter."""
    keys = np.repeat(example_keys(*examples(100)), 5)
    weights = np.tile(np.arange(5.0), 100)
    order = shuffle_by_key(keys, 0, weights)
    there = np.random.default_rng(1).permutation(500)
    moved = there[shuffle_by_key(keys[there], 0, weights[there])]
    assert np.array_equal(moved, order)
    assert not np.array_equal(shuffle_by_key(keys, 1, weights), order)
    assert len(np.unique(keys[order[:150]])) > 60
