"""Conditional trees: recovery of a known one, and screening that loses nothing."""

import numpy as np
import pytest
from scipy.special import expit

from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.design import Design
from setwise.learning.structure.tree import candidate_edges, fit_tree

PARENTS = [-1, 0, 1, 1, 0, 4]


@pytest.fixture(scope="module")
def tree():
    """Labels drawn from a known switching tree: strong edges, features that matter differently by value."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    slopes = rng.normal(size=(2, 3, 6))
    Y = np.zeros((4000, 6), np.int8)
    for j, parent in enumerate(PARENTS):
        value = Y[:, parent] if parent >= 0 else np.zeros(4000, int)
        score = np.einsum("nd,nd->n", X, slopes[value, :, j]) + 2.5 * (2 * value - 1) * (parent >= 0)
        Y[:, j] = rng.random(4000) < expit(score)
    return X, Y, slopes


def edges_of(parents):
    return {frozenset((i, int(p))) for i, p in enumerate(parents) if p >= 0}


def test_a_known_tree_is_recovered(tree):
    """Red if gains or the branching are wrong: the edges (not their direction) are identifiable."""
    X, Y, slopes = tree
    design = Design(X, standardize=False)
    fit = fit_tree(design, Y, None, row_folds(X))
    assert edges_of(fit.parents) == edges_of(PARENTS)
    if list(fit.parents) == PARENTS:
        coef = design.to_features(fit.coef.reshape(len(fit.coef), -1)).coef.reshape(3, 6, 2)
        np.testing.assert_allclose(coef[:, 1:].transpose(2, 0, 1), slopes[:, :, 1:], atol=0.5)


def test_screening_keeps_the_true_neighbours(tree):
    X, Y, _ = tree
    full = fit_tree(Design(X), Y, None, row_folds(X))
    screened = fit_tree(Design(X), Y, None, row_folds(X), candidates=2)
    assert edges_of(screened.parents) == edges_of(full.parents)
    assert np.isfinite(screened.gains).sum() == 12


def test_additive_coupling_finds_the_same_tree(tree):
    X, Y, _ = tree
    fit = fit_tree(Design(X, Y), Y, None, row_folds(X), coupling="additive")
    assert edges_of(fit.parents) == edges_of(PARENTS)
    slopes, intercept = np.delete(fit.coef, 3, axis=0), fit.coef[3]
    np.testing.assert_array_equal(slopes[:, :, 0], slopes[:, :, 1])
    assert all(intercept[i, 0] != intercept[i, 1] for i, p in enumerate(fit.parents) if p >= 0)


def test_independent_labels_get_no_edges():
    """Red if an edge is taken by which held-out rows lose. (In some other draws chance lets them gain.)"""
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(500, 2)), (rng.random((500, 3)) < 0.5).astype(np.int8)
    fit = fit_tree(Design(X), Y, None, row_folds(X))
    assert np.isfinite(fit.gains).sum() == 6
    assert fit.parents.tolist() == [-1, -1, -1]


def test_rare_and_constant_labels_are_never_parents():
    rng = np.random.default_rng(2)
    Y = (rng.random((300, 4)) < [0.5, 0.5, 0.01, 0.0]).astype(np.int8)
    edges = candidate_edges(Y, np.full((300, 4), 0.3), None, "all")
    assert set(edges.parent) == {0, 1}
    assert set(edges.child) == {0, 1, 2, 3}


def test_without_rows_to_hold_out_labels_are_independent():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(4, 2)), np.array([[0, 1], [1, 1], [0, 0], [1, 0]], np.int8)
    fit = fit_tree(Design(X), Y, None, row_folds(X))
    assert (fit.parents == -1).all()
    assert np.isfinite(fit.coef).all()
