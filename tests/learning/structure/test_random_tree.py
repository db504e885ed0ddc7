"""Trees with a given structure, and their averages."""

import numpy as np

import setwise
from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear.design import Design
from setwise.learning.structure.random_tree import fit_given_tree, random_tree
from setwise.learning.structure.tree import fit_tree


def data(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(size=n) > 0
    Y = np.column_stack([first, first ^ (rng.random(n) < 0.2), X[:, 1] > 0.5, rng.random(n) < 0.4])
    return X, Y.astype(np.int8)


def test_random_trees_are_trees_and_all_labels_can_be_parents():
    trees = np.stack([random_tree(4, np.random.default_rng(s)) for s in range(200)])
    assert ((trees == -1).sum(axis=1) == 1).all()
    assert (np.bincount(trees[trees >= 0], minlength=4) > 50).all()


def test_the_learned_structure_gives_the_learned_regressions():
    """Red if a regression is fitted to other rows than those of its parent's value."""
    X, Y = data()
    design = Design(X)
    learned = fit_tree(design, Y, None, row_folds(X), l2=1.0)
    given = fit_given_tree(design, Y, np.ones(len(Y)), None, learned.parents, l2=1.0)
    np.testing.assert_allclose(given.coef, learned.coef, atol=0.05)


def test_the_mean_of_equal_trees_is_the_tree():
    X, Y = data()
    trees = setwise.TreeEnsemble(3, structure="learned", bagging=False, l2=1.0).fit(X, Y)
    tree = setwise.ConditionalTree(l2=1.0, tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(trees.log_prob(X, Y), tree.log_prob(X, Y), atol=1e-3)
    np.testing.assert_array_equal(trees.predict(X), tree.predict(X))
