"""The design matrix: one meaning, dense or sparse, whatever the units of the columns."""

import numpy as np
import pytest
import scipy.sparse as sp

import setwise.learning.linear.design as module
from setwise import BinaryRelevance
from setwise.kernels.matrices import column_moments
from setwise.learning.linear.coordinates import column_scales
from setwise.learning.linear.design import Design
from setwise.learning.linear.row_axes import RowAxes
from setwise.learning.linear.scores import LinearScores


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(60, 5)) * [1, 10, 1e-3, 1, 1] + [0, 5, 0, 0, 0]
    words = (rng.random((60, 4)) < [0.3, 0.1, 0.05, 0.0]).astype(float)
    return np.hstack([dense, words])


def test_scales_follow_the_units(X):
    """Red if changing the unit of a column changes what the penalty sees."""
    units = np.array([3.0, 1e-4, 1e5, 7.0, 1.0, 10.0, 0.01, 5.0, 1.0])
    full = (X != 0).mean(axis=0) > 0.5
    scaled, plain = (column_scales(column_moments(Z[:, full])) for Z in (X * units, X))
    np.testing.assert_allclose(scaled, plain * units[full], rtol=1e-10)


def test_mostly_zero_columns_keep_their_sizes_unless_in_another_unit():
    """Red if tf-idf weights are scaled away, or a column in cents outweighs all words."""
    rng = np.random.default_rng(0)
    words = (rng.random((500, 6)) < 0.1) * np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])
    scale = column_scales(column_moments(words))
    np.testing.assert_allclose(scale, scale[0])
    assert np.var(words / scale, axis=0).mean() == pytest.approx(1.0)
    words[:, 3] *= 1e6
    scale = column_scales(column_moments(words))
    np.testing.assert_allclose(np.delete(scale, 3), scale[0])
    assert 0.5 < scale[3] / (1e6 * scale[0]) < 1.5


def test_words_keep_their_sizes_beside_numbers_that_are_scaled(X):
    """Red if tf-idf weights beside standardized numbers get unit variance each, and drown the numbers."""
    words = X[:, 5:8]
    numbers = (X[:, :5] - X[:, :5].mean(axis=0)) / X[:, :5].std(axis=0)
    scale = column_scales(column_moments(np.hstack([numbers, 0.1 * words])))
    np.testing.assert_allclose(scale, 1.0)
    raw = column_scales(column_moments(np.hstack([X[:, :3], 0.1 * words])))
    assert np.var(0.1 * words / raw[3:], axis=0).mean() == pytest.approx(1.0)


@pytest.mark.parametrize("rotated", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_coefficients_mean_the_same_on_the_original_features(X, rotated, sparse, monkeypatch):
    """Scores of the design equal scores of X with the translated coefficients: dense, rotated, CSR."""
    monkeypatch.setattr(module, "sparse_is_faster", lambda *_: sparse)
    monkeypatch.setattr(module, "ROTATED_COLUMNS", 2000 if rotated else 0)
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, (60, 3)).astype(float)
    for container in (np.asarray, sp.csr_array):
        design = Design(container(X), labels)
        coef = rng.normal(size=(design.n_columns, 2))
        linear = design.to_features(coef)
        np.testing.assert_allclose(design.scores(coef), linear(X) + labels @ linear.labels, atol=1e-8)
        residual = rng.normal(size=(60, 2))
        np.testing.assert_allclose(
            np.vdot(design.gradient(residual), coef), np.vdot(residual, design.scores(coef)), rtol=1e-9
        )
        part = design.take(np.arange(5, 25))
        np.testing.assert_allclose(part.scores(coef), design.scores(coef)[5:25], atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_axes_of_few_rows_give_the_optimum_of_their_features(weighted, monkeypatch):
    """Red if a fit on the axes of sparse rows has another optimum, or other means of the columns."""
    rng = np.random.default_rng(0)
    X = sp.random_array((40, 300), density=0.05, rng=rng, format="csr")
    X = sp.csr_array(sp.hstack([X, rng.normal(size=(40, 2))]))
    Y = rng.integers(0, 2, (40, 3))
    weights = rng.choice([0.0, 1.0, 2.5], 40) if weighted else None
    model = BinaryRelevance(l2=0.3, tol=1e-12, unit_rows=False)
    assert Design(X, weights=weights).n_columns <= 41
    on_axes = model.fit(X, Y, sample_weight=weights).coef_
    monkeypatch.setattr(module, "row_axes_are_faster", lambda *_: False)
    assert Design(X).n_columns > 200
    np.testing.assert_allclose(on_axes, model.fit(X, Y, sample_weight=weights).coef_, rtol=1e-5, atol=1e-5)


def test_axes_of_rows_go_to_features_and_back():
    """Red if the axes of sparse rows, which are never written down, multiply otherwise than an orthonormal matrix."""
    X = sp.random_array((30, 400), density=0.05, rng=np.random.default_rng(1), format="csr")
    axes, along = RowAxes.of(sp.csr_array(X), X.mean(axis=0), np.ones(30))
    written = axes @ np.eye(axes.combinations.shape[1])
    np.testing.assert_allclose(written.T @ written, np.eye(written.shape[1]), atol=1e-9)
    np.testing.assert_allclose((X.toarray() - X.mean(axis=0)) @ written, along, atol=1e-9)
    features = np.random.default_rng(2).normal(size=(400, 3))
    np.testing.assert_allclose(axes.T @ features, written.T @ features, atol=1e-9)


def test_centred_columns_with_zeros_for_missing_values_count_as_scaled():
    """Red when one missing number in a hundred makes words as heavy as the scaled numbers beside them."""
    rng = np.random.default_rng(0)
    words = rng.random((400, 200)) * (rng.random((400, 200)) < 0.05) * 0.3
    numbers = rng.normal(size=(400, 4)) * (rng.random((400, 4)) > 0.2)
    scales = column_scales(column_moments(np.hstack([words, numbers])))
    np.testing.assert_array_equal(scales[:200], 1.0)


@pytest.mark.parametrize("n_scores", [1, 2, 3, 12])
def test_scores_do_not_depend_on_the_order_in_memory(n_scores):
    """Red if a DataFrame, which lies column by column, gets other last bits than the same rows as an array."""
    rng = np.random.default_rng(0)
    X, coef = rng.normal(size=(202, 72)), rng.normal(size=(72, n_scores))
    scores = LinearScores(coef, np.zeros(n_scores), np.zeros((0, n_scores)))
    turned = LinearScores(np.asfortranarray(coef), scores.intercept, scores.labels)
    np.testing.assert_array_equal(scores(X), turned(np.asfortranarray(X)))
