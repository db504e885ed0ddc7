"""The conditional tree's two couplings, against independent regressions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from setwise import ConditionalTree
from tests.estimators.random_labels import correlated


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("coupling", ["additive", "switching"])
def test_each_label_is_the_regression_given_its_parent(coupling, form):
    """Red if a table is not P(label | parent, x): labels that are centred or scaled must be so in it, too."""
    X, Y = correlated(0, n_rows=400, n_labels=4)
    tree = ConditionalTree(coupling=coupling, l2=1e-6, tol=1e-12).fit(form(X), Y)
    children = np.flatnonzero(tree.parents_ >= 0)
    assert len(children)
    logits = tree.scores_(form(X)).reshape(len(X), 4, 2)
    plain = LogisticRegression(C=np.inf, tol=1e-8, max_iter=5000)
    for child in children:
        parent = Y[:, tree.parents_[child]]
        for value in (0, 1):
            if coupling == "additive":
                together = plain.fit(np.column_stack([X, parent]), Y[:, child])
                expected = together.decision_function(np.column_stack([X, np.full(len(X), value)]))
            else:
                expected = plain.fit(X[parent == value], Y[parent == value, child]).decision_function(X)
            np.testing.assert_allclose(logits[:, child, value], expected, atol=1e-2)
