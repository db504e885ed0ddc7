"""The solver on blocks takes the steps of the solver in memory, in fewer rounds."""

import numpy as np

from setwise.blockwise.rows import BlockRows
from setwise.learning.linear.descent import Descent
from setwise.learning.linear.in_blocks.descent import RoundDescent
from setwise.learning.linear.in_blocks.problems import BlockProblems
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems

from .conftest import cut


def rare_labels():
    """Rows of which few decide about a label, so that first steps are too long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 12)) * np.exp(rng.normal(size=(400, 1)))
    Z = X @ rng.normal(size=(12, 20)) + rng.normal(size=20) * 6 - 6
    return X, (Z + rng.normal(size=Z.shape) > 0).astype(np.int8)


def own_labels(weights, Y):
    return LogisticProblems.of(Y, weights=weights)


def test_no_problem_waits_for_the_shorter_steps_of_another(monkeypatch):
    """Red if a problem takes another step than in a batch that waits, loses a pair of its memory, or still waits."""
    X, Y = rare_labels()
    rounds, fits = [], []
    sums = BlockProblems.sums
    monkeypatch.setattr(BlockProblems, "sums", lambda *asked: rounds.append(1) or sums(*asked))
    rows = BlockRows.of(cut((X, None, Y), [150, 400]), (X[:0], None, Y[:0]))
    design = rows.design(standardize=True)
    for solver in (Descent, RoundDescent):
        monkeypatch.setattr(BlockProblems, "solver", solver)
        problems = rows.problems(design, own_labels, np.full(20, 0.01))
        fits.append((fit_logistic(design, problems, tol=1e-12), len(rounds)))
        rounds.clear()
    (waiting, most), (going_on, fewer) = fits
    assert np.array_equal(going_on.n_iter, waiting.n_iter)
    assert waiting.n_iter.max() > 24, "more steps than the memory has pairs"
    assert np.allclose(going_on.coef, waiting.coef, rtol=0, atol=1e-9 * np.abs(waiting.coef).max())
    assert fewer < most
