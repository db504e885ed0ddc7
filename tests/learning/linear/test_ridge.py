"""Ridge regression against scikit-learn's."""

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from setwise.learning.by_content.folds import row_folds
from setwise.learning.linear import design as designs
from setwise.learning.linear.design import Design
from setwise.learning.linear.ridge import choose_ridge, fit_ridge


def test_it_is_the_optimum_of_scikit_learn(monkeypatch):
    rng = np.random.default_rng(0)
    X, T, weights = rng.normal(size=(60, 4)), rng.normal(size=(60, 3)), rng.random(60) + 0.1
    for rows in (X, sp.csr_array(np.where(X > 0.5, X, 0.0))):
        monkeypatch.setattr(designs, "DENSE_BYTES", 0 if sp.issparse(rows) else 2**27)
        design = Design(rows, standardize=False)
        found = design.to_features(fit_ridge(design, T, weights, 3.0).coef)
        other = Ridge(3.0, tol=1e-12).fit(rows, T, sample_weight=weights)
        np.testing.assert_allclose(found.coef.T, other.coef_, atol=1e-5)
        np.testing.assert_allclose(found.intercept, other.intercept_, atol=1e-5)


def test_the_penalty_has_the_least_held_out_error():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 5))
    T = X @ rng.normal(size=(5, 2)) + rng.normal(size=(90, 2))
    design, weights, fold = Design(X), np.ones(90), row_folds(X)
    chosen = choose_ridge(design, T, weights, fold, "auto")
    for l2 in (0.1, 5.0, 500.0):
        other = choose_ridge(design, T, weights, fold, l2)
        assert ((chosen.scores - T) ** 2).sum() <= ((other.scores - T) ** 2).sum() * 1.001
